#include "tidemark/state/backend.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidemark/base/error.h"
#include "tidemark/blob/blob_store.h"
#include "tidemark/json/write.h"
#include "tidemark/os/processes.h"
#include "tidemark/os/temp_directory.h"
#include "tidemark/state/cloud_backend.h"
#include "tidemark/state/service.h"
#include "tidemark/state/state_store_conformance.h"

namespace tidemark::state {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

class BackendTest : public testing::Test {
 protected:
  Backend open(const std::string& uri) {
    BackendOptions options;
    options.uri = Secret(uri);
    options.database_uri = Secret("sqlite:///" + (directory_ / "meltano.db").native());
    options.project_root = directory_.path();
    return open_backend(options, environment_, context_);
  }

  os::TempDirectory directory_;
  os::Environment environment_;
  SystemClock clock_;
  SystemSleeper sleeper_;
  SystemRandom random_;
  os::SystemProcesses processes_;
  Cancellation cancellation_;
  Context context_{.clock = clock_,
                   .sleeper = sleeper_,
                   .random = random_,
                   .processes = processes_,
                   .cancellation = cancellation_};
};

TEST_F(BackendTest, EveryKindConformsAndKeepsWhatTheServiceWrites) {
  for (const std::string& uri :
       {std::string("memory:"), "file://" + (directory_ / "states").native(),
        std::string("systemdb")}) {
    SCOPED_TRACE(uri);
    Backend backend = open(uri);
    const bool is_database = uri == "systemdb";
    EXPECT_THAT(state_store_faults(*backend.states, {.keeps_other_keys = !is_database,
                                                     .lists_whole_ids = is_database}),
                IsEmpty());
    StateService service(backend, {.who = "me@host", .operation = "state set", .run_id = ""},
                         context_);
    const json::Value state = json::Object{{"singer_state", json::Object{{"x", 1}}}};
    EXPECT_TRUE(std::holds_alternative<Saved>(service.set("a", state, {})));
    EXPECT_TRUE(std::holds_alternative<Saved>(service.merge("a", state)));
    EXPECT_EQ(service.show("a")->written->sequence, 2);
    EXPECT_TRUE(std::holds_alternative<Saved>(service.rollback("a", "1", {})));
    EXPECT_TRUE(std::holds_alternative<Saved>(service.clear("a", true, {})));
    EXPECT_FALSE(service.states().load("a"));
    EXPECT_TRUE(service.locks().leases.empty());
  }
}

TEST_F(BackendTest, AFileStateIsWhereMeltanoHasIt) {
  Backend backend = open("FILE://" + directory_.path().native() + "/states?x=1");
  StateService service(backend, {}, context_);
  service.set("dev:a", json::Object{{"singer_state", 1}}, {});
  EXPECT_EQ(os::read_file(directory_ / "states/dev:a/state.json"),
            R"({"completed": {"singer_state": 1}, "partial": {}})");
  EXPECT_FALSE(os::path_exists(directory_ / "states/dev:a/lock"));
}

TEST_F(BackendTest, ReadingMakesNothing) {
  for (const std::string& uri :
       {"file://" + (directory_ / "states").native(), std::string("systemdb")}) {
    Backend backend = open(uri);
    EXPECT_FALSE(backend.states->load("a"));
    backend.states->list("", [](std::string_view) {});
    StateService service(backend, {}, context_);
    EXPECT_FALSE(service.show("a"));
    EXPECT_TRUE(service.history("a").empty());
    EXPECT_TRUE(service.locks().locks.empty());
  }
  EXPECT_THAT(os::list_directory(directory_.path()), IsEmpty());
}

TEST_F(BackendTest, ABucketUrlIsTakenAsItStands) {
  const BucketUrl keyed = parse_bucket_url(Secret("s3://id:se:c@Acme-data//at/elt%20x/"));
  EXPECT_EQ(keyed.bucket, "Acme-data");
  EXPECT_EQ(keyed.prefix, "at/elt%20x");
  EXPECT_EQ(keyed.key_id.reveal(), "id");
  EXPECT_EQ(keyed.secret.reveal(), "se:c");
  EXPECT_EQ(parse_bucket_url(Secret("gs://b")).prefix, "");
  for (const char* bare : {"s3://", "s3:", "gs://", "azure:///x"}) {
    EXPECT_TRUE(parse_bucket_url(Secret(bare)).bucket.empty()) << bare;
  }
}

TEST_F(BackendTest, AKeyThatASlashCutsIsRefusedWithoutBeingShown) {
  try {
    parse_bucket_url(Secret("s3://AKIAID:se/cret@bucket/prefix"));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalid);
    EXPECT_THAT(error.message(), HasSubstr("aws_secret_access_key"));
    for (const char* part : {"AKIAID", "se/", "cret@"}) {
      EXPECT_THAT(error.message(), testing::Not(HasSubstr(part)));
    }
  }
}

TEST_F(BackendTest, ABucketBackendIsSetUpByItsKind) {
  BackendOptions options;
  options.uri = Secret("s3://id:secret@bucket/prefix");
  options.s3.endpoint_url = "http://127.0.0.1:1";
  options.cache_directory = directory_.path();
  const Backend s3 = open_backend(options, environment_, context_);
  EXPECT_EQ(s3.states->label(), "AWS S3");
  EXPECT_TRUE(s3.needs_probe);
  EXPECT_TRUE(s3.has_lock_objects);
  EXPECT_EQ(s3.settle_time, std::chrono::seconds(1));
  EXPECT_THAT(s3.states->describe(), testing::Not(HasSubstr("secret")));
  EXPECT_THROW(open("s3://id@bucket"), Error) << "half a key pair";
  for (const char* uri : {"s3://", "gs:///prefix", "azure://"}) {
    try {
      open(uri);
      ADD_FAILURE() << uri;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kInvalid) << uri;
    }
  }
}

TEST_F(BackendTest, ABucketIsRememberedByTheServiceThatItIsOf) {
  BackendOptions options;
  options.uri = Secret("s3://id:secret@bucket");
  options.cache_directory = directory_.path();
  std::set<os::Path> files;
  for (const char* endpoint : {"http://one", "http://two", "http://one"}) {
    environment_ = os::Environment{{"AWS_ENDPOINT_URL", endpoint}};
    files.insert(open_backend(options, environment_, context_).probe_file);
  }
  EXPECT_EQ(files.size(), 2U);
}

TEST_F(BackendTest, RefusesAFileUriWithAHostAndSchemesThatAreNotBuiltIn) {
  for (const char* uri : {"file://states/dir", "file://", "file:"}) {
    try {
      open(uri);
      ADD_FAILURE() << uri;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kInvalid) << uri;
      EXPECT_THAT(error.message(), HasSubstr("needs an absolute path"));
    }
  }
  try {
    open("snowflake://user:password@account");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUnsupported);
    EXPECT_THAT(error.message(), HasSubstr("No state backend found for scheme 'snowflake'"));
    EXPECT_THAT(error.message(), testing::Not(HasSubstr("password")));
  }
}

}  // namespace
}  // namespace tidemark::state
