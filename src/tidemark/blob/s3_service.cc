#include "tidemark/blob/s3_service.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "tidemark/base/ascii.h"
#include "tidemark/base/error.h"
#include "tidemark/blob/s3_refusal.h"
#include "tidemark/net/url.h"

namespace tidemark::blob {
namespace {

std::string first_not_empty(std::initializer_list<std::string> texts) {
  for (const std::string& text : texts) {
    if (!text.empty()) return text;
  }
  return {};
}

std::string variable(const os::Environment& variables, std::string_view name) {
  const std::string* text = variables.find_not_empty(name);
  return text != nullptr ? *text : std::string();
}

// Whether the name can stand in front of a host under a certificate for one name more.
bool is_host_name(std::string_view bucket) {
  return bucket.size() >= 3 && bucket.size() <= 63 &&
         bucket.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") ==
             std::string_view::npos &&
         bucket.front() != '-' && bucket.back() != '-';
}

std::string aws_endpoint(std::string_view region) {
  const std::string_view top = region.starts_with("cn-") ? "amazonaws.com.cn" : "amazonaws.com";
  return fmt::format("https://s3.{}.{}", region, top);
}

std::string configured_endpoint(const os::Environment& variables, const AwsProfile& profile) {
  const std::string ignored = variable(variables, "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS");
  if (equals_ignoring_case(ignored, "true")) return {};
  return first_not_empty({variable(variables, "AWS_ENDPOINT_URL_S3"),
                          variable(variables, "AWS_ENDPOINT_URL"),
                          setting_of(profile, "endpoint_url")});
}

class GivenKeys final : public AwsLoginWay {
 public:
  explicit GivenKeys(AwsCredentials credentials) : credentials_(std::move(credentials)) {}

  std::optional<AwsLogin> log_in(std::string&) override {
    return AwsLogin{.credentials = credentials_};
  }
  std::string name() const override { return "settings"; }

 private:
  AwsCredentials credentials_;
};

std::vector<std::unique_ptr<AwsLoginWay>> ways_to_log_in(const S3Options& options,
                                                         const AwsProfiles& profiles,
                                                         const CloudEnvironment& environment,
                                                         const std::string& region) {
  if (options.access_key_id.empty()) return find_aws_credentials(profiles, environment, region);
  std::vector<std::unique_ptr<AwsLoginWay>> ways;
  ways.push_back(std::make_unique<GivenKeys>(AwsCredentials{
      options.access_key_id.reveal(), options.secret_access_key, options.session_token}));
  return ways;
}

// Meltano's words.
void check_key_pair(const S3Options& options) {
  if (options.access_key_id.empty() == options.secret_access_key.empty()) return;
  throw Error(ErrorCode::kInvalid,
              options.access_key_id.empty()
                  ? "AWS secret access key configured, but not AWS access key ID."
                  : "AWS access key ID configured, but no AWS secret access key.");
}

bool find_path_style(const S3Options& options, const AwsProfile& profile, bool is_custom) {
  const bool is_host = is_host_name(options.bucket);
  if (options.is_path_style) {
    if (is_host || *options.is_path_style) return *options.is_path_style;
    throw Error(ErrorCode::kInvalid,
                fmt::format("path_style is false, but bucket '{}' cannot stand in a host name",
                            options.bucket));
  }
  const std::string style = setting_of(profile, "s3.addressing_style");
  return !is_host || (is_custom ? style != "virtual" : style == "path");
}

}  // namespace

S3Address find_s3_address(const S3Options& options, const os::Environment& variables,
                          const AwsProfile& profile) {
  S3Address address;
  address.region = first_not_empty({options.region, variable(variables, "AWS_DEFAULT_REGION"),
                                    variable(variables, "AWS_REGION"),
                                    setting_of(profile, "region"), "us-east-1"});
  address.endpoint =
      first_not_empty({options.endpoint_url, configured_endpoint(variables, profile)});
  while (address.endpoint.ends_with('/')) address.endpoint.pop_back();
  address.is_custom = !address.endpoint.empty();
  if (address.is_custom && !address.endpoint.starts_with("http://") &&
      !address.endpoint.starts_with("https://")) {
    throw Error(ErrorCode::kInvalid,
                fmt::format("the S3 endpoint '{}' does not begin with http:// or https://",
                            net::mask_url(address.endpoint)));
  }
  address.is_path_style = find_path_style(options, profile, address.is_custom);
  if (!address.is_custom) address.endpoint = aws_endpoint(address.region);
  return address;
}

class S3Service::BucketSigner final : public Signer {
 public:
  BucketSigner(std::vector<std::unique_ptr<AwsLoginWay>> ways, Clock& clock, std::string region)
      : credentials_(std::move(ways), clock), region_(std::move(region)) {}

  void sign(net::HttpRequest& request, Time now) override {
    sign_for_aws(request, credentials_.get(), {region(), "s3"}, now);
  }

  // RequestTimeTooSkewed, though an answer to HEAD has no body that says so.
  bool may_sign_again(const net::HttpRequest&, int status,
                      std::chrono::microseconds skew) override {
    return status == 403 && std::chrono::abs(skew) > std::chrono::minutes(1);
  }

  void set_region(std::string region) {
    const std::lock_guard lock(mutex_);
    region_ = std::move(region);
  }

 private:
  std::string region() const {
    const std::lock_guard lock(mutex_);
    return region_;
  }

  AwsCredentialChain credentials_;
  mutable std::mutex mutex_;
  std::string region_;
};

S3Service::S3Service(const S3Options& options, const CloudEnvironment& environment)
    : bucket_(options.bucket) {
  check_key_pair(options);
  const AwsProfiles profiles = AwsProfiles::read(environment.variables, options.profile);
  address_ = find_s3_address(options, environment.variables, profiles.active());
  auto signer = std::make_unique<BucketSigner>(
      ways_to_log_in(options, profiles, environment, address_.region), environment.clock,
      address_.region);
  signer_ = signer.get();
  session_ = std::make_unique<Session>(environment, std::move(signer));
}

net::HttpResponse S3Service::send(net::HttpRequest& request, const std::string& target) {
  request.follows_redirects = false;    // the signature is good for one host
  request.accepts_compression = false;  // the bytes are the object's own
  request.url = url_of(target);
  net::HttpResponse response = session_->send(request);
  if (!moves(request, response)) return response;
  request.url = url_of(target);
  return session_->send(request);
}

std::string S3Service::url_of(const std::string& target) const {
  const std::lock_guard lock(mutex_);
  if (address_.is_path_style) {
    return address_.endpoint + "/" + net::percent_encode(bucket_) + target;
  }
  const size_t host = address_.endpoint.find("://") + 3;
  return address_.endpoint.substr(0, host) + bucket_ + "." + address_.endpoint.substr(host) +
         target;
}

bool S3Service::moves(const net::HttpRequest& request, const net::HttpResponse& response) {
  const int status = response.status;
  if (status != 301 && status != 307 && status != 400) return false;
  const std::string region = read_s3_refusal(request, response).region;
  const std::lock_guard lock(mutex_);
  if (region.empty() || region == address_.region) return false;
  address_.region = region;
  if (!address_.is_custom) address_.endpoint = aws_endpoint(region);
  signer_->set_region(region);
  return true;
}

}  // namespace tidemark::blob
