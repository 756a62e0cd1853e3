#pragma once

#include "tidemark/project/layered_settings.h"
#include "tidemark/project/plugin.h"
#include "tidemark/project/project.h"

namespace tidemark::project {

// The layers of a plugin's settings and extras. overrides is a map of what flags say; handed_on are
// variables of the plugins in front of it in a run, which beat the project's own. Where it
// inherits, the parent's settings are a layer.
LayeredSettings plugin_settings(const Project& project, const Plugin& plugin,
                                const config::Node& overrides = {},
                                const os::Environment& handed_on = {});

}  // namespace tidemark::project
