#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "tidemark/base/secret.h"

namespace tidemark::blob {

struct AzureSharedKey {
  std::string account;
  Secret key;  // its bytes
};

// A shared access signature: a query string that is itself the right to ask.
struct AzureSas {
  Secret query;
};

// Whoever this host is to Azure: azure_identity.h.
struct AzureIdentity {};

// The blob service of a storage account, and who asks.
struct AzureAccount {
  std::string endpoint;  // https://account.blob.core.windows.net, or with a path; no slash behind
  std::variant<AzureSharedKey, AzureSas, AzureIdentity> credential;
};

// From the settings state_backend.azure.{storage_account_url,connection_string}, empty when not
// set: the URL wins. Error kInvalid says what is missing or wrong and never shows a value.
AzureAccount find_azure_account(const std::string& storage_account_url,
                                const Secret& connection_string);

}  // namespace tidemark::blob
