#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "tidemark/blob/azure_account.h"
#include "tidemark/blob/session.h"

namespace tidemark::blob {

// What is signed of a request that carries its x-ms-date, by
// https://learn.microsoft.com/rest/api/storageservices/authorize-with-shared-key (Blob service,
// since version 2015-02-21).
std::string azure_string_to_sign(const net::HttpRequest& request, std::string_view account);

// Adds x-ms-date and the signature; a request refused while the clocks differ by more than a minute
// is worth signing by the service's.
std::unique_ptr<Signer> make_shared_key_signer(AzureSharedKey key);
std::unique_ptr<Signer> make_sas_signer(AzureSas sas);

}  // namespace tidemark::blob
