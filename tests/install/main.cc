// Three rows into a DuckDB file in the directory argv[1], then none on a second run: what a program
// sees that has nothing but the installed package.

#include <filesystem>
#include <iostream>

#include <tidemark/tidemark.h>

namespace td = tidemark;

namespace {

void yield_events(td::Extraction& x) {
  x.incremental("id", {});
  auto events =
      td::json::Parser().parse_document(td::json::Buffer(R"([{"id":1},{"id":2},{"id":3}])"));
  x.yield(td::Page::rows(events, events->root(), "events"));
}

bool has_loaded(const td::LoadInfo& load) { return !load.is_empty(); }

}  // namespace

int main(int, char** argv) {
  const std::filesystem::path directory = argv[1];
  td::Pipeline pipeline({.name = "installed",
                         .destination = td::duckdb(directory / "events.duckdb"),
                         .pipelines_dir = directory / "pipelines"});
  const td::Source source("events",
                          {td::Resource({.name = "events", .primary_key = {"id"}}, yield_events)});
  const bool first = has_loaded(pipeline.run(source));
  const bool second = has_loaded(pipeline.run(source));
  std::cout << "first run loaded: " << first << ", second: " << second << '\n';
  return first && !second ? 0 : 1;
}
