#include "tidemark/blob/azure_account.h"

#include <map>
#include <optional>

#include <fmt/format.h>

#include "tidemark/base/ascii.h"
#include "tidemark/base/base64.h"
#include "tidemark/base/error.h"
#include "tidemark/net/url.h"

namespace tidemark::blob {
namespace {

// What every Azure emulator has, and no secret:
// https://learn.microsoft.com/azure/storage/common/storage-configure-connection-string
constexpr std::string_view kEmulatorAccount = "devstoreaccount1";
constexpr std::string_view kEmulatorKey =
    "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";

Error invalid(std::string_view what) {
  return {ErrorCode::kInvalid, "Azure connection string: " + std::string(what)};
}

// `name=value;...`; names without regard to case, as Azure's libraries read them.
class ConnectionString {
 public:
  explicit ConnectionString(std::string_view text) {
    while (!text.empty()) {
      const std::string_view part = text.substr(0, text.find(';'));
      text.remove_prefix(std::min(part.size() + 1, text.size()));
      if (part.find_first_not_of(" \t\r\n") == std::string_view::npos) continue;
      const size_t equals = part.find('=');
      if (equals == std::string_view::npos) throw invalid("expected name=value;name=value;...");
      values_[ascii_lower(part.substr(0, equals))] = part.substr(equals + 1);
    }
  }

  // Empty when it is not there.
  std::string get(std::string_view name) const {
    const auto found = values_.find(ascii_lower(name));
    return found != values_.end() ? found->second : std::string();
  }

 private:
  std::map<std::string, std::string> values_;
};

std::string without_slashes_behind(std::string url) {
  while (url.ends_with('/')) url.pop_back();
  return url;
}

// The endpoint of a URL and, when its query is a signature, that.
AzureAccount split_url(const std::string& url) {
  const size_t mark = url.find('?');
  AzureAccount account{.endpoint = without_slashes_behind(url.substr(0, mark)),
                       .credential = AzureIdentity{}};
  if (net::has_query_param(url, "sig")) {
    account.credential = AzureSas{Secret(url.substr(mark + 1))};
  }
  return account;
}

void check_endpoint(const std::string& endpoint, std::string_view name) {
  const bool is_http = endpoint.starts_with("https://") || endpoint.starts_with("http://");
  if (!is_http || endpoint.find('@') != std::string::npos) {
    throw Error(ErrorCode::kInvalid,
                fmt::format("{} is no URL of a blob service: expected something like "
                            "https://ACCOUNT.blob.core.windows.net",
                            name));
  }
}

std::string endpoint_of(const ConnectionString& text) {
  const std::string account = text.get("AccountName");
  if (account.empty()) throw invalid("it names neither BlobEndpoint nor AccountName");
  const std::string protocol = text.get("DefaultEndpointsProtocol");
  const std::string suffix = text.get("EndpointSuffix");
  return fmt::format("{}://{}.blob.{}", protocol.empty() ? "https" : protocol, account,
                     suffix.empty() ? "core.windows.net" : suffix);
}

AzureSharedKey shared_key(std::string_view account, std::string_view key) {
  if (account.empty()) throw invalid("an AccountKey needs its AccountName");
  std::optional<std::string> bytes = base64_decode(key);
  if (!bytes) throw invalid("AccountKey is not base64");
  return {std::string(account), Secret(*std::move(bytes))};
}

AzureAccount emulator_account(const ConnectionString& text) {
  const std::string proxy = text.get("DevelopmentStorageProxyUri");
  const std::string host = proxy.empty() ? "http://127.0.0.1" : without_slashes_behind(proxy);
  return {.endpoint = fmt::format("{}:10000/{}", host, kEmulatorAccount),
          .credential = shared_key(kEmulatorAccount, kEmulatorKey)};
}

AzureAccount parse_connection_string(const ConnectionString& text) {
  if (equals_ignoring_case(text.get("UseDevelopmentStorage"), "true")) {
    return emulator_account(text);
  }
  const std::string explicit_endpoint = text.get("BlobEndpoint");
  AzureAccount account =
      split_url(explicit_endpoint.empty() ? endpoint_of(text) : explicit_endpoint);
  check_endpoint(account.endpoint, "BlobEndpoint of the Azure connection string");
  std::string sas = text.get("SharedAccessSignature");
  if (sas.starts_with('?')) sas.erase(0, 1);
  if (const std::string key = text.get("AccountKey"); !key.empty()) {
    account.credential = shared_key(text.get("AccountName"), key);
  } else if (!sas.empty()) {
    account.credential = AzureSas{Secret(std::move(sas))};
  } else if (std::holds_alternative<AzureIdentity>(account.credential)) {
    throw invalid("it holds neither AccountKey nor SharedAccessSignature");
  }
  return account;
}

}  // namespace

AzureAccount find_azure_account(const std::string& storage_account_url,
                                const Secret& connection_string) {
  if (!storage_account_url.empty()) {
    AzureAccount account = split_url(storage_account_url);
    check_endpoint(account.endpoint, "storage_account_url");
    return account;
  }
  if (!connection_string.empty()) {
    return parse_connection_string(ConnectionString(connection_string.reveal()));
  }
  throw Error(ErrorCode::kInvalid,
              "Azure state backend requires a connection string or an account URL to use host "
              "credentials. Read https://learn.microsoft.com/en-us/azure/storage/common/"
              "storage-configure-connection-string for more information.");
}

}  // namespace tidemark::blob
