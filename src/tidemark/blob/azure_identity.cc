#include "tidemark/blob/azure_identity.h"

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/os/files.h"

namespace tidemark::blob {
namespace {

constexpr std::string_view kResource = "https://storage.azure.com";

std::string variable(const CloudEnvironment& environment, std::string_view name) {
  const std::string* value = environment.variables.find_not_empty(name);
  return value != nullptr ? *value : std::string();
}

bool is_set(const CloudEnvironment& environment, std::string_view name) {
  return environment.variables.find_not_empty(name) != nullptr;
}

// A form to the token endpoint of a tenant, signed by a secret or by a token of another issuer.
class ClientLogin : public TokenSource {
 public:
  explicit ClientLogin(const CloudEnvironment& environment)
      : environment_(environment), client_id_(variable(environment, "AZURE_CLIENT_ID")) {
    std::string authority = variable(environment, "AZURE_AUTHORITY_HOST");
    if (authority.empty()) authority = "login.microsoftonline.com";
    if (authority.find("://") == std::string::npos) authority.insert(0, "https://");
    while (authority.ends_with('/')) authority.pop_back();
    url_ = fmt::format("{}/{}/oauth2/v2.0/token", authority,
                       net::percent_encode(variable(environment, "AZURE_TENANT_ID")));
  }

  AccessToken fetch() final {
    const net::QueryParams proof = this->proof();
    net::QueryParams form = {{"grant_type", "client_credentials"},
                             {"client_id", client_id_},
                             {"scope", std::string(kResource) + "/.default"}};
    form.insert(form.end(), proof.begin(), proof.end());
    std::vector<std::string> secrets;
    for (const auto& [name, value] : proof) secrets.push_back(value);
    const net::HttpRequest request = token_form(url_, form);
    return read_token(request, environment_.http.send(request, environment_.cancellation),
                      environment_.clock.now(), secrets);
  }

 protected:
  virtual net::QueryParams proof() const = 0;

 private:
  CloudEnvironment environment_;
  std::string client_id_;
  std::string url_;
};

class ServicePrincipal final : public ClientLogin {
 public:
  explicit ServicePrincipal(const CloudEnvironment& environment)
      : ClientLogin(environment), secret_(variable(environment, "AZURE_CLIENT_SECRET")) {}

 private:
  net::QueryParams proof() const override { return {{"client_secret", secret_.reveal()}}; }

  Secret secret_;
};

class WorkloadIdentity final : public ClientLogin {
 public:
  explicit WorkloadIdentity(const CloudEnvironment& environment)
      : ClientLogin(environment), file_(variable(environment, "AZURE_FEDERATED_TOKEN_FILE")) {}

 private:
  // Read each time: the cluster replaces the file before the token in it ends.
  net::QueryParams proof() const override {
    return {{"client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"},
            {"client_assertion", os::read_file(file_)}};
  }

  os::Path file_;
};

// What a request to a managed identity's service asks for.
net::QueryParams identity_params(const CloudEnvironment& environment, std::string version) {
  net::QueryParams params = {{"api-version", std::move(version)},
                             {"resource", std::string(kResource)}};
  if (is_set(environment, "AZURE_CLIENT_ID")) {
    params.emplace_back("client_id", variable(environment, "AZURE_CLIENT_ID"));
  }
  return params;
}

class AppServiceIdentity final : public TokenSource {
 public:
  explicit AppServiceIdentity(const CloudEnvironment& environment) : environment_(environment) {}

  AccessToken fetch() override {
    const net::HttpRequest request{
        .url = net::with_query(variable(environment_, "IDENTITY_ENDPOINT"),
                               identity_params(environment_, "2019-08-01")),
        .credentials = {{"X-IDENTITY-HEADER", variable(environment_, "IDENTITY_HEADER")}},
        .follows_redirects = false};
    return read_token(request, environment_.metadata_http.send(request, environment_.cancellation),
                      environment_.clock.now(), {});
  }

 private:
  CloudEnvironment environment_;
};

class MachineIdentity final : public TokenSource {
 public:
  explicit MachineIdentity(const CloudEnvironment& environment) : environment_(environment) {}

  AccessToken fetch() override try {
    std::string host = variable(environment_, "AZURE_POD_IDENTITY_AUTHORITY_HOST");
    if (host.empty()) host = "http://169.254.169.254";
    while (host.ends_with('/')) host.pop_back();
    const net::HttpRequest request{
        .url = net::with_query(host + "/metadata/identity/oauth2/token",
                               identity_params(environment_, "2018-02-01")),
        .headers = {{"Metadata", "true"}},
        .follows_redirects = false};
    return read_token(request, environment_.metadata_http.send(request, environment_.cancellation),
                      environment_.clock.now(), {});
  } catch (const Error& error) {
    if (error.code() == ErrorCode::kCancelled) throw;
    throw nothing_found(error);
  }

 private:
  static Error nothing_found(const Error& last) {
    return {ErrorCode::kUnauthorized,
            "no Azure identity: tried the environment (AZURE_TENANT_ID, AZURE_CLIENT_ID and "
            "AZURE_CLIENT_SECRET are not all set), workload identity (AZURE_FEDERATED_TOKEN_FILE "
            "is not set), App Service (IDENTITY_ENDPOINT is not set) and the machine's managed "
            "identity (" +
                last.message() +
                "); an account URL with a shared access signature, or a connection string, needs "
                "none"};
  }

  CloudEnvironment environment_;
};

[[noreturn]] void refuse(std::string_view what) {
  throw Error(ErrorCode::kUnsupported,
              fmt::format("Azure identity: {} is not supported; use AZURE_CLIENT_SECRET, "
                          "AZURE_FEDERATED_TOKEN_FILE, or a managed identity of App Service or of "
                          "a virtual machine",
                          what));
}

void check_supported(const CloudEnvironment& environment) {
  if (is_set(environment, "AZURE_CLIENT_CERTIFICATE_PATH")) {
    refuse("a login by certificate (AZURE_CLIENT_CERTIFICATE_PATH)");
  }
  if (is_set(environment, "AZURE_USERNAME") && is_set(environment, "AZURE_PASSWORD")) {
    refuse("a login by user name and password (AZURE_USERNAME)");
  }
}

void check_managed_identity(const CloudEnvironment& environment) {
  if (is_set(environment, "IDENTITY_ENDPOINT")) {
    if (is_set(environment, "IDENTITY_SERVER_THUMBPRINT")) {
      refuse("an identity of Service Fabric (IDENTITY_SERVER_THUMBPRINT)");
    }
    if (!is_set(environment, "IDENTITY_HEADER")) refuse("an identity of Azure Arc (IMDS_ENDPOINT)");
  } else if (is_set(environment, "MSI_ENDPOINT")) {
    refuse("an identity of the Cloud Shell or Azure ML (MSI_ENDPOINT)");
  }
}

}  // namespace

std::unique_ptr<TokenSource> find_azure_identity(const CloudEnvironment& environment) {
  const bool has_client =
      is_set(environment, "AZURE_TENANT_ID") && is_set(environment, "AZURE_CLIENT_ID");
  if (has_client && is_set(environment, "AZURE_CLIENT_SECRET")) {
    return std::make_unique<ServicePrincipal>(environment);
  }
  if (has_client) check_supported(environment);
  if (has_client && is_set(environment, "AZURE_FEDERATED_TOKEN_FILE")) {
    return std::make_unique<WorkloadIdentity>(environment);
  }
  check_managed_identity(environment);
  if (is_set(environment, "IDENTITY_ENDPOINT")) {
    return std::make_unique<AppServiceIdentity>(environment);
  }
  return std::make_unique<MachineIdentity>(environment);
}

}  // namespace tidemark::blob
