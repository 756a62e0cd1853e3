#pragma once

#include <memory>
#include <string>

#include "tidemark/base/secret.h"
#include "tidemark/blob/access_token.h"
#include "tidemark/blob/cloud_environment.h"

namespace tidemark::blob {

// The settings state_backend.gcs.application_credentials_{json,path}; empty means not set.
struct GcsCredentials {
  Secret application_credentials_json = {};
  std::string application_credentials_path = {};

  bool empty() const {
    return application_credentials_json.empty() && application_credentials_path.empty();
  }
};

// The login by the settings, else Google's application default credentials: the file that
// GOOGLE_APPLICATION_CREDENTIALS names, that of gcloud's login, the metadata server. Reads files,
// asks nobody before the first fetch(). Error kInvalid for both settings at once and for what is no
// credential file.
std::unique_ptr<TokenSource> find_gcs_credentials(const GcsCredentials& credentials,
                                                  const CloudEnvironment& environment);

}  // namespace tidemark::blob
