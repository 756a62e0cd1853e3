#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "tidemark/base/secret.h"
#include "tidemark/os/environment.h"
#include "tidemark/os/files.h"
#include "tidemark/state/context.h"
#include "tidemark/state/state_store.h"

namespace tidemark::blob {
class BlobStore;
}

namespace tidemark::state {

// The settings `state_backend.s3.*`. Empty means not set: the credentials of the URI, then AWS's
// own chain of environment, profile files and metadata services.
struct S3Settings {
  Secret aws_access_key_id = {};
  Secret aws_secret_access_key = {};
  Secret aws_session_token = {};
  std::string profile = {};
  std::string endpoint_url = {};
  std::string region = {};
  std::optional<bool> path_style = {};
};

// The settings `state_backend.gcs.*`. None of them: Application Default Credentials.
struct GcsSettings {
  Secret application_credentials_json = {};
  std::string application_credentials_path = {};
  // Meltano's older name of the path.
  std::string application_credentials = {};
};

// The settings `state_backend.azure.*`. The account URL wins, with the host's own identity.
struct AzureSettings {
  Secret connection_string = {};
  std::string storage_account_url = {};
};

// The settings `state_backend.*` and `database_*` after expansion, and where the project is.
struct BackendOptions {
  // `systemdb`, or a URL with the scheme file, s3, gs, azure or memory. May hold credentials.
  Secret uri{"systemdb"};
  // Meltano's: a `lock` that stays unchanged for so long is dead.
  std::chrono::milliseconds lock_timeout{10'000};
  // Whether a bucket that does not honour conditional writes is used all the same.
  bool allow_unconditional = false;
  S3Settings s3 = {};
  GcsSettings gcs = {};
  AzureSettings azure = {};
  Secret database_uri = {};
  int database_max_retries = 3;
  std::chrono::seconds database_retry_timeout{5};
  // Relative database files are against it.
  os::Path project_root = {};
  // Where it is remembered which buckets honour conditions: outside of the project.
  os::Path cache_directory = {};
};

// An open state backend: where the states are, where our records about them are, and how Meltano is
// kept from writing in between.
struct Backend {
  // What the stores borrow.
  std::shared_ptr<void> base;
  // Leases and histories, and the states themselves where they are objects.
  std::unique_ptr<blob::BlobStore> objects;
  std::unique_ptr<StateStore> states;
  // Of `states`, where it has this ability; else null.
  ExclusiveSaving* exclusive = nullptr;
  // Whether a save holds the `lock` of its ID. Meltano knows of it where its states are objects; in
  // a database it keeps only writers of ours apart.
  bool has_lock_objects = false;
  std::chrono::milliseconds lock_timeout{};
  // How long after a save a write of Meltano's that did not see it may still land.
  std::chrono::milliseconds settle_time{};
  // Whether it must still be tried that the store heeds conditions, and where it is remembered that
  // it does; an empty path: not at all.
  bool needs_probe = false;
  os::Path probe_file = {};
  bool allow_unconditional = false;
};

// Opens what options.uri names; connects at the first use. environment and what context names
// outlive the backend. Error kInvalid for options that Meltano refuses (half a key pair, two kinds
// of credentials, no container) and for a file URI with a host, kUnsupported for a scheme that is
// not built in.
Backend open_backend(const BackendOptions& options, const os::Environment& environment,
                     const Context& context);

}  // namespace tidemark::state
