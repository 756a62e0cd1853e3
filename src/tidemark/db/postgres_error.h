#pragma once

#include <string_view>

#include "tidemark/base/error.h"

namespace tidemark::db {

// What an error of the server means to us, by its SQLSTATE.
Error postgres_error(std::string_view sqlstate, std::string_view message);

// Why a connect failed, from libpq's text in verbose form, which holds the server's SQLSTATE; what
// has none came from libpq itself.
Error postgres_connect_error(std::string_view text);

}  // namespace tidemark::db
