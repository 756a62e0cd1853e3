#pragma once

#include <memory>

#include "tidemark/blob/access_token.h"
#include "tidemark/blob/cloud_environment.h"
#include "tidemark/json/value.h"

namespace tidemark::blob {

// The login that one of Google's credential files stands for, by its `type`: service_account,
// authorized_user (gcloud's login), impersonated_service_account, and external_account whose
// subject token is in a file or at a URL. The tokens read and write objects. Error kInvalid names a
// missing field, kUnsupported another type.
std::unique_ptr<TokenSource> make_gcs_token_source(const json::Value& credentials,
                                                   const CloudEnvironment& environment);

// Tokens of the machine's service account, from the metadata server. Error kUnauthorized when none
// answers.
std::unique_ptr<TokenSource> make_gcs_metadata_source(const CloudEnvironment& environment);

}  // namespace tidemark::blob
