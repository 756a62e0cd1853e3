#pragma once

#include <cstdlib>
#include <string>

#include <unistd.h>

#include "tidemark/base/cancellation.h"
#include "tidemark/base/error.h"
#include "tidemark/base/random.h"
#include "tidemark/db/database_url.h"
#include "tidemark/db/postgres.h"
#include "tidemark/os/files.h"

namespace tidemark::db {

// For tests: a schema of its own on the server that tests/servers/start-postgres.sh started, or on
// that of $TIDEMARK_POSTGRES_URL; gone with everything in it when this goes.
class TestPostgres {
 public:
  TestPostgres() {
    SystemRandom random;
    schema_ = "t" + random_hex(random, 8);
    admin()->run_script("CREATE SCHEMA " + schema_);
  }
  ~TestPostgres() {
    try {
      admin()->run_script("SET client_min_messages = error; DROP SCHEMA " + schema_ + " CASCADE");
    } catch (const Error&) {  // The server goes too.
    }
  }
  TestPostgres(const TestPostgres&) = delete;
  TestPostgres& operator=(const TestPostgres&) = delete;

  // `postgresql://tidemark:tidemark@127.0.0.1:5432/postgres`.
  static std::string server_url() {
    if (const char* url = std::getenv("TIDEMARK_POSTGRES_URL")) return url;
    std::string url = os::read_file(TIDEMARK_SERVERS_DIR "/postgres.url");
    while (url.ends_with('\n')) url.pop_back();
    return url;
  }
  // The same with the schema as search path.
  std::string url() const { return server_url() + "?options=-csearch_path%3D" + schema_; }
  const std::string& schema() const { return schema_; }

  std::unique_ptr<SqlConnection> connect() const { return connect_to(url()); }
  static std::unique_ptr<SqlConnection> admin() { return connect_to(server_url()); }
  static std::unique_ptr<SqlConnection> connect_to(const std::string& url) {
    static const Cancellation never;
    return connect_postgres({.url = std::get<PostgresUrl>(parse_database_url(url))}, never);
  }

 private:
  std::string schema_;
};

}  // namespace tidemark::db
