#pragma once

#include <optional>
#include <string>

#include "tidemark/config/node.h"
#include "tidemark/os/environment.h"

namespace tidemark::project {

// Where the pipeline's state document is mirrored.
enum class StateBackend {
  kAuto,  // in the project's state backend, when it has one
  kNone,  // only in the destination
};

// Where a pipeline loads to. The node is a map with `type`, or a text: a destination's type or URL.
struct DestinationDefinition {
  std::string name;  // dlt's name of it: its settings are looked for in `destination.<name>`
  config::Node node;
};

// One entry of `pipelines:`, with its variables expanded.
struct PipelineDefinition {
  std::string name;
  DestinationDefinition destination;
  std::optional<std::string> dataset;
  std::string source_name;  // of the schema
  config::Node source;      // a map with `type`
  StateBackend state_backend = StateBackend::kAuto;
  bool is_dev_mode = false;
  bool restores_from_destination = true;
  // The whole entry: config::Settings looks into its sections `extract`, `normalize` and `load`.
  config::Node node;
};

// What can be told of an entry without its variables: that all keys are known, what must be there
// is there, and the name can be a directory's. Error kInvalid names file, line and key path.
void validate_pipeline(const config::Node& entry);

// Binds an entry that passed validate_pipeline(), all but its destination, which may stand
// elsewhere. Error kInvalid also for a variable that is not set.
PipelineDefinition bind_pipeline(const config::Node& entry, const os::Environment& environment);

}  // namespace tidemark::project
