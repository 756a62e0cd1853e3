// Pull requests of a repository into DuckDB, only what is new, with state of our own: the program
// of dlt's course in C++.
//
//   SOURCES__SECRET_KEY=<token> github_pulls [https://api.github.com]
#include <iostream>

#include <tidemark/tidemark.h>

namespace td = tidemark;

int main(int argc, char** argv) {
  const std::string base_url = argc > 1 ? argv[1] : "https://api.github.com";
  td::rest::Client github({.base_url = base_url,
                           .auth = td::rest::bearer(td::secret("sources.secret_key")),
                           .paginator = td::rest::header_link()});

  td::Resource pulls(
      {.name = "github_pulls", .primary_key = {"id"}, .write_disposition = td::merge},
      [github](td::Extraction& x) {
        auto& cursor = x.incremental("updated_at", {.initial_value = "2000-01-01"});
        x.resource_state().setdefault("new_key", td::array("first_value", "second"));
        x.source_state().setdefault("first_since", cursor.start_value());
        for (td::Page page :
             github.paginate(x, "repos/django/django/pulls", {{"since", cursor.start_value()}})) {
          x.yield(std::move(page));
        }
      });

  try {
    td::Pipeline pipeline({.name = "github_pipeline", .dataset = "github_data"});
    std::cout << pipeline.run(td::Source("github", {pulls}));
    if (auto trace = pipeline.last_trace()) {
      if (const auto* normalized = trace->last_normalize_info()) {
        std::cout << td::to_text(normalized->row_counts());
      }
    }
  } catch (const td::Error& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
