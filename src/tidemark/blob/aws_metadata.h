#pragma once

#include <memory>

#include "tidemark/blob/aws_credentials.h"

namespace tidemark::blob {

// The services that give a container (ECS, EKS) or an instance (EC2, version 2 of its metadata
// service) the keys of its role.
std::unique_ptr<AwsLoginWay> make_aws_container_way(const CloudEnvironment& environment);
std::unique_ptr<AwsLoginWay> make_aws_instance_way(const CloudEnvironment& environment);

}  // namespace tidemark::blob
