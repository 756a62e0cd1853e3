#include "tidemark/project/state_backend_settings.h"

#include <gtest/gtest.h>

#include "tidemark/project/setting_vectors.h"

namespace tidemark::project {
namespace {

class StateBackendSettingsTest : public ProjectFixture {
 protected:
  StateBackendSettings read(std::string_view text) {
    return read_state_backend_settings(load(text).settings());
  }
  std::string fault_of(std::string_view text) {
    return fault([&] { read(text); });
  }
};

TEST_F(StateBackendSettingsTest, HaveMeltanosDefaults) {
  const StateBackendSettings settings = read("version: 1\n");
  EXPECT_EQ(settings.uri.value.reveal(), "systemdb");
  EXPECT_EQ(settings.uri.origin, "the default");
  EXPECT_EQ(settings.lock_timeout.value, std::chrono::seconds(10));
  EXPECT_FALSE(settings.allow_unconditional.value);
  EXPECT_EQ(settings.database_uri->value.reveal(),
            "sqlite:///" + (root_ / ".meltano/meltano.db").native());
  EXPECT_EQ(settings.database_max_retries.value, 3);
  EXPECT_EQ(settings.database_retry_timeout.value, std::chrono::seconds(5));
  EXPECT_FALSE(settings.s3.aws_access_key_id);
  EXPECT_FALSE(settings.s3.path_style);
}

TEST_F(StateBackendSettingsTest, TakeEveryCloudSetting) {
  options_.environment = os::Environment{{"MELTANO_STATE_BACKEND_S3_AWS_SECRET_ACCESS_KEY", "key"}};
  const StateBackendSettings settings = read(
      "state_backend:\n"
      "  uri: s3://b/p\n"
      "  allow_unconditional: true\n"
      "  s3: {aws_access_key_id: id, aws_session_token: t, endpoint_url: http://h, profile: p,\n"
      "       region: r, path_style: 'yes'}\n"
      "  gcs: {application_credentials: a, application_credentials_json: '{}',\n"
      "        application_credentials_path: f}\n"
      "  azure: {connection_string: c, storage_account_url: u}\n");
  EXPECT_EQ(settings.s3.aws_access_key_id->value.reveal(), "id");
  EXPECT_EQ(settings.s3.aws_secret_access_key->value.reveal(), "key");
  EXPECT_EQ(settings.s3.aws_secret_access_key->origin,
            "environment variable MELTANO_STATE_BACKEND_S3_AWS_SECRET_ACCESS_KEY");
  EXPECT_EQ(settings.s3.aws_session_token->value.reveal(), "t");
  EXPECT_EQ(settings.s3.endpoint_url->value, "http://h");
  EXPECT_EQ(settings.s3.endpoint_url->origin, "meltano.yml:4:67");
  EXPECT_EQ(settings.s3.profile->value, "p");
  EXPECT_EQ(settings.s3.region->value, "r");
  EXPECT_TRUE(settings.s3.path_style->value);
  EXPECT_EQ(settings.gcs.application_credentials->value.reveal(), "a");
  EXPECT_EQ(settings.gcs.application_credentials_json->value.reveal(), "{}");
  EXPECT_EQ(settings.gcs.application_credentials_path->value.reveal(), "f");
  EXPECT_EQ(settings.azure.connection_string->value.reveal(), "c");
  EXPECT_EQ(settings.azure.storage_account_url->value, "u");
  EXPECT_TRUE(settings.allow_unconditional.value);
}

TEST_F(StateBackendSettingsTest, ALockTimeoutMayHaveAFraction) {
  const auto with = [&](const char* seconds) {
    options_.environment = os::Environment{{"MELTANO_STATE_BACKEND_LOCK_TIMEOUT_SECONDS", seconds}};
    return read("version: 1\n").lock_timeout.value;
  };
  EXPECT_EQ(with("10"), std::chrono::seconds(10));
  EXPECT_EQ(with("0.5"), std::chrono::milliseconds(500));
  EXPECT_EQ(fault([&] { with("abc"); }),
            "environment variable MELTANO_STATE_BACKEND_LOCK_TIMEOUT_SECONDS: "
            "state_backend.lock_timeout_seconds: expected a number");
}

TEST_F(StateBackendSettingsTest, BadValuesAreNamedWithTheirPlace) {
  EXPECT_EQ(fault_of("state_backend:\n  lock_timeout_seconds: -1\n"),
            "meltano.yml:2:25: state_backend.lock_timeout_seconds: expected seconds that are not "
            "below zero");
  EXPECT_EQ(fault_of("database_max_retries: 1.5\n").substr(0, 43),
            "meltano.yml:1:23: database_max_retries: exp");
  EXPECT_EQ(fault_of("database_max_retries: -3\n"),
            "meltano.yml:1:23: database_max_retries: expected a number that is not below zero");
  EXPECT_EQ(fault_of("state_backend: {s3: {region: [a]}}\n"),
            "meltano.yml:1:30: state_backend.s3.region: expected text, found a list");
  EXPECT_EQ(fault_of("state_backend: {uri: $BUCKET}\n"),
            "meltano.yml:1:22: state_backend.uri: nothing is left of it: a variable in it is not "
            "set");
}

TEST_F(StateBackendSettingsTest, AMisspeltNameIsNoSettingOfAnotherTool) {
  EXPECT_EQ(fault_of("state_backend:\n  url: file:///x\n"),
            "meltano.yml:2:8: state_backend.url: unknown setting; did you mean "
            "'state_backend.uri'?");
  EXPECT_EQ(fault_of("state_backend:\n  s3: {reigon: eu-1}\n"),
            "meltano.yml:2:16: state_backend.s3.reigon: unknown setting; did you mean "
            "'state_backend.s3.region'?");
  EXPECT_EQ(fault_of("state_backend.lock_timeout: 5\n").substr(0, 60),
            "meltano.yml:1:29: state_backend.lock_timeout: unknown settin");
  EXPECT_NO_THROW(read("state_backend: {x-note: ours, snowflake: {account: a}}\n"));
}

}  // namespace
}  // namespace tidemark::project
