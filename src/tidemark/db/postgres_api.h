#pragma once

// Private to this module: libpq's functions, looked up in a library loaded at run time, since only
// a PostgreSQL database needs it and the LDAP and Kerberos that it brings along.

#include <libpq-fe.h>

namespace tidemark::db {

// clang-format off
#define TIDEMARK_PQ_FUNCTIONS(X) \
  X(clear) X(cmdStatus) X(cmdTuples) X(connectPoll) X(connectStartParams) X(consumeInput)      \
  X(errorMessage) X(finish) X(flush) X(fname) X(ftype) X(getResult) X(getisnull) X(getlength)  \
  X(getvalue) X(isBusy) X(resultErrorField) X(resultStatus) X(sendQuery) X(sendQueryParams)    \
  X(setErrorVerbosity) X(setNoticeProcessor) X(setSingleRowMode) X(setnonblocking) X(socket)   \
  X(status) X(transactionStatus)
// clang-format on

struct PqApi {
// NOLINTNEXTLINE(bugprone-macro-parentheses): the name of a member.
#define X(name) decltype(&::PQ##name) name = nullptr;
  TIDEMARK_PQ_FUNCTIONS(X)
#undef X
};

// Loads the library at the first call. Thread-safe. Error kNotFound when it is not installed,
// kUnsupported when it is too old.
const PqApi& pq();

}  // namespace tidemark::db
