#pragma once

#include <filesystem>
#include <string>

#include "tidemark/cli/arguments.h"
#include "tidemark/cli/destination_url.h"
#include "tidemark/source/resource.h"

namespace tidemark::cli {

// The pipeline that an `ingest` stands for, without a project file.
struct IngestPlan {
  std::string pipeline;  // the source's stem and a hash of absolute source and destination
  std::string name;      // the stem: of the schema and, with _dataset behind it, of the dataset
  std::string dataset;
  std::string source;  // absolute, or a URL, or -
  DestinationChoice destination;
  source::ResourceOptions resource;
};

// Pure: nothing is opened. Relative paths are against directory. Error kInvalid for a destination
// that is none.
IngestPlan plan_ingest(const IngestArguments& arguments, const std::filesystem::path& directory);

bool is_web_address(std::string_view source);

}  // namespace tidemark::cli
