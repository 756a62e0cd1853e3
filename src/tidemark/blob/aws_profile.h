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
  // chosen is the name of the active profile; empty: AWS_PROFILE, else AWS_DEFAULT_PROFILE, else
  // `default`. A file that is not there is empty. Error kInvalid with file and line for what cannot
  // be read, and when neither file has the chosen profile.
  static AwsProfiles read(const os::Environment& variables, std::string_view chosen);

  const std::string& active_name() const { return active_name_; }
  // Whether somebody chose it, so that its login comes before that of the environment.
  bool is_chosen() const { return is_chosen_; }
  // Empty when there is none of that name.
  const AwsProfile& find(std::string_view name) const;
  const AwsProfile& active() const { return find(active_name_); }

 private:
  std::string active_name_;
  bool is_chosen_ = false;
  std::map<std::string, AwsProfile, std::less<>> profiles_;
};

// The setting, empty when the profile has none.
std::string setting_of(const AwsProfile& profile, std::string_view name);

}  // namespace tidemark::blob
