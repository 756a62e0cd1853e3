#pragma once

#include <memory>

#include "tidemark/blob/access_token.h"
#include "tidemark/blob/cloud_environment.h"

namespace tidemark::blob {

// Tokens for Azure Storage of whoever this host is, found in the order of Azure's own libraries
// (DefaultAzureCredential): a service principal (AZURE_TENANT_ID, AZURE_CLIENT_ID,
// AZURE_CLIENT_SECRET), a workload identity (AZURE_FEDERATED_TOKEN_FILE with the first two), the
// managed identity of App Service (IDENTITY_ENDPOINT, IDENTITY_HEADER) or that of the machine
// (instance metadata service; AZURE_CLIENT_ID picks one of several). Logins of developer tools such
// as the Azure CLI are not used. Error kUnsupported for a login of the environment that is none of
// these; fetch() says what was tried when none gives a token.
std::unique_ptr<TokenSource> find_azure_identity(const CloudEnvironment& environment);

}  // namespace tidemark::blob
