#pragma once

#include <vector>

#include "tidemark/project/setting_definition.h"

namespace tidemark::project {

// Meltano's own settings as version 4.4.1 has them, in its order, each of ours behind the group it
// belongs to: `state_backend.s3.region`, `state_backend.allow_unconditional`.
const std::vector<SettingDefinition>& meltano_settings();

}  // namespace tidemark::project
