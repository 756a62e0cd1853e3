#pragma once

#include <memory>
#include <string>

#include "tidemark/blob/aws_credentials.h"

namespace tidemark::blob {

// Roles that AWS's security token service (STS) lends: that of the active profile for the keys of
// its source_profile, and that of a web identity.
std::unique_ptr<AwsLoginWay> make_aws_role_way(const AwsProfiles& profiles,
                                               const CloudEnvironment& environment,
                                               const std::string& region);
std::unique_ptr<AwsLoginWay> make_aws_web_identity_way(const AwsProfiles& profiles,
                                                       const CloudEnvironment& environment,
                                                       const std::string& region);

}  // namespace tidemark::blob
