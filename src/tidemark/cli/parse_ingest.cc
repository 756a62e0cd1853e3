#include <memory>

#include "tidemark/base/error.h"
#include "tidemark/cli/parse_commands.h"

namespace tidemark::cli {
namespace {

std::vector<OptionSpec> options(IngestArguments& ingest, OptionSpec source) {
  return {
      std::move(source),
      {"--to", &ingest.to, "Destination: out.duckdb, duckdb:///out.duckdb, a URL"},
      {"--table", &ingest.table, "Name of the table"},
      {"--dataset", &ingest.dataset, "Schema of the database"},
      {.names = "--format",
       .target = &ingest.format,
       .help = "Instead of what the name says",
       .choices = {"jsonl", "json", "csv"}},
      {"--key", CommaSeparated{&ingest.key}, "Primary key, names separated by commas"},
      {"--cursor", &ingest.cursor, "Field by which only new rows are taken"},
      {.names = "--write-disposition",
       .target = &ingest.write_disposition,
       .help = "merge when there is a key, else append",
       .choices = {"append", "replace", "merge"}},
      {"--as-json", &ingest.as_json, "Keep each row whole, in the JSON column value"},
      {"--limit-pages", &ingest.limit_pages, "At most so many pages"},
  };
}

void check(const IngestArguments& ingest) {
  if (ingest.write_disposition == "merge" && ingest.key.empty()) {
    throw Error(ErrorCode::kInvalid,
                "--write-disposition merge needs --key: the columns by which rows are the same");
  }
}

}  // namespace

CommandSpec ingest_spec() {
  auto ingest = std::make_shared<IngestArguments>();
  return {.name = "ingest",
          .help = "Load files or an address without a project",
          .options = options(*ingest, {.names = "SOURCE",
                                       .target = &ingest->source,
                                       .help = "Path, glob, - for stdin, or URL",
                                       .is_required = true}),
          .result = [ingest] {
            check(*ingest);
            return *ingest;
          }};
}

CommandSpec init_spec() {
  auto init = std::make_shared<InitArguments>();
  return {.name = "init",
          .help = "Write a tidemark.yml that does what ingest would",
          .options = options(init->ingest, {"SOURCE", &init->ingest.source, "Path, glob or URL"}),
          .result = [init] {
            check(init->ingest);
            return *init;
          }};
}

}  // namespace tidemark::cli
