#include "tidemark/blob/aws_metadata.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "tidemark/base/ascii.h"
#include "tidemark/base/datetime.h"
#include "tidemark/base/error.h"
#include "tidemark/json/read.h"
#include "tidemark/net/url.h"
#include "tidemark/os/files.h"

namespace tidemark::blob {
namespace {

std::string text_in(const json::Value& body, std::string_view name) {
  const json::Value* text = body.find(name);
  return text != nullptr && text->is_string() ? text->as_string() : std::string();
}

// {"AccessKeyId": ..., "SecretAccessKey": ..., "Token": ..., "Expiration": "2026-01-01T00:00:00Z"}
AwsLogin read_login(std::string_view service, std::string_view text) {
  const json::Value body = json::read(text);
  AwsLogin login{.credentials = {.access_key_id = text_in(body, "AccessKeyId"),
                                 .secret_access_key = Secret(text_in(body, "SecretAccessKey")),
                                 .session_token = Secret(text_in(body, "Token"))}};
  if (login.credentials.access_key_id.empty() || login.credentials.secret_access_key.empty()) {
    throw Error(ErrorCode::kUnauthorized,
                fmt::format("{} gives no keys: {}", service, text_in(body, "Code")));
  }
  if (const auto end = parse_iso_datetime(text_in(body, "Expiration"))) {
    login.end = Time(std::chrono::microseconds(end->utc_micros()));
  }
  return login;
}

std::string without_line_break(std::string text) {
  while (text.ends_with('\n') || text.ends_with('\r')) text.pop_back();
  return text;
}

// Keys may go unencrypted only where nobody can listen.
bool is_safe(const std::string& url) {
  if (url.starts_with("https://")) return true;
  constexpr std::array<std::string_view, 6> kHosts = {
      "localhost", "[::1]", "169.254.170.2", "169.254.170.23", "[fd00:ec2::23]", "127.0.0.1"};
  const std::string origin = net::url_origin(url);
  return std::ranges::any_of(kHosts, [&](std::string_view host) {
    return origin.starts_with(fmt::format("http://{}:", host));
  });
}

class ContainerWay final : public AwsLoginWay {
 public:
  explicit ContainerWay(const CloudEnvironment& environment) : environment_(environment) {}

  std::optional<AwsLogin> log_in(std::string& reason) override {
    const std::string url = service_url();
    if (url.empty()) {
      reason = "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI and _FULL_URI are not set";
      return std::nullopt;
    }
    if (!is_safe(url)) {
      throw Error(
          ErrorCode::kInvalid,
          "AWS_CONTAINER_CREDENTIALS_FULL_URI is neither https nor an address of this host");
    }
    net::HttpRequest request{.url = url};
    request.follows_redirects = false;
    if (const std::string token = authorization(); !token.empty()) {
      request.credentials.add("Authorization", token);
    }
    const net::HttpResponse response =
        environment_.metadata_http.send(request, environment_.cancellation);
    if (response.status != 200) {
      throw Error(ErrorCode::kUnauthorized,
                  fmt::format("the container's service answers with status {}", response.status));
    }
    return read_login("the container's service", response.body.view());
  }

  std::string name() const override { return "container"; }

 private:
  std::string service_url() const {
    if (const auto* path =
            environment_.variables.find_not_empty("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI")) {
      return "http://169.254.170.2" + *path;
    }
    const auto* url = environment_.variables.find_not_empty("AWS_CONTAINER_CREDENTIALS_FULL_URI");
    return url != nullptr ? *url : std::string();
  }

  std::string authorization() const {
    if (const auto* file =
            environment_.variables.find_not_empty("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE")) {
      return without_line_break(os::read_file(*file));
    }
    const auto* token = environment_.variables.find_not_empty("AWS_CONTAINER_AUTHORIZATION_TOKEN");
    return token != nullptr ? *token : std::string();
  }

  CloudEnvironment environment_;
};

class InstanceWay final : public AwsLoginWay {
 public:
  explicit InstanceWay(const CloudEnvironment& environment) : environment_(environment) {}

  std::optional<AwsLogin> log_in(std::string& reason) override {
    const auto* disabled = environment_.variables.find("AWS_EC2_METADATA_DISABLED");
    if (disabled != nullptr && equals_ignoring_case(*disabled, "true")) {
      reason = "AWS_EC2_METADATA_DISABLED is set";
      return std::nullopt;
    }
    try {
      return ask(reason);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::kUnavailable && error.code() != ErrorCode::kTimeout) throw;
      reason = "no metadata service answers";
      return std::nullopt;
    }
  }

  std::string name() const override { return "instance metadata"; }

 private:
  std::optional<AwsLogin> ask(std::string& reason) {
    net::HttpRequest token_request{.method = "PUT", .url = endpoint() + "/latest/api/token"};
    token_request.headers.add("X-aws-ec2-metadata-token-ttl-seconds", "21600");
    const auto token = text_of(std::move(token_request));
    if (!token) {
      reason = "the metadata service gives no token";
      return std::nullopt;
    }
    const auto role = text_of(with_token("", *token));
    if (!role || role->empty()) {
      reason = "the instance has no role";
      return std::nullopt;
    }
    const auto login = text_of(with_token(role->substr(0, role->find('\n')), *token));
    if (!login) throw Error(ErrorCode::kUnauthorized, "the instance's role has no keys");
    return read_login("the instance's metadata service", *login);
  }

  std::string endpoint() const {
    const auto* url = environment_.variables.find_not_empty("AWS_EC2_METADATA_SERVICE_ENDPOINT");
    std::string endpoint = url != nullptr ? *url : "http://169.254.169.254";
    while (endpoint.ends_with('/')) endpoint.pop_back();
    return endpoint;
  }

  net::HttpRequest with_token(std::string_view role, const std::string& token) const {
    net::HttpRequest request{
        .url = fmt::format("{}/latest/meta-data/iam/security-credentials/{}", endpoint(), role)};
    request.credentials.add("X-aws-ec2-metadata-token", token);
    return request;
  }

  // Nothing for any status but 200.
  std::optional<std::string> text_of(net::HttpRequest request) {
    request.follows_redirects = false;
    const net::HttpResponse response =
        environment_.metadata_http.send(request, environment_.cancellation);
    if (response.status != 200) return std::nullopt;
    return std::string(response.body.view());
  }

  CloudEnvironment environment_;
};

}  // namespace

std::unique_ptr<AwsLoginWay> make_aws_container_way(const CloudEnvironment& environment) {
  return std::make_unique<ContainerWay>(environment);
}

std::unique_ptr<AwsLoginWay> make_aws_instance_way(const CloudEnvironment& environment) {
  return std::make_unique<InstanceWay>(environment);
}

}  // namespace tidemark::blob
