#pragma once

#include <map>
#include <string>
#include <string_view>

#include "tidemark/os/environment.h"

namespace tidemark::blob {

// The settings of one profile. A nested one is named with its parent: `s3.addressing_style`.
using AwsProfile = std::map<std::string, std::string, std::less<>>;

// What AWS's own tools share: ~/.aws/credentials and ~/.aws/config, or the files that
// AWS_SHARED_CREDENTIALS_FILE and AWS_CONFIG_FILE name. The first wins where both say something.
class AwsProfiles {
 public:
  // A file that is not there is empty. Error kInvalid with file and line for what cannot be read.
  static AwsProfiles read(const os::Environment& variables);

  // AWS_PROFILE, else AWS_DEFAULT_PROFILE, else `default`.
  const std::string& active_name() const { return active_name_; }
  // Empty when there is none of that name.
  const AwsProfile& find(std::string_view name) const;
  const AwsProfile& active() const { return find(active_name_); }

 private:
  std::string active_name_;
  std::map<std::string, AwsProfile, std::less<>> profiles_;
};

// The setting, empty when the profile has none.
std::string setting_of(const AwsProfile& profile, std::string_view name);

}  // namespace tidemark::blob
