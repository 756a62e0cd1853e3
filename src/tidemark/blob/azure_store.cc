#include "tidemark/blob/azure_store.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/blob/azure_account.h"
#include "tidemark/blob/azure_identity.h"
#include "tidemark/blob/azure_signing.h"
#include "tidemark/blob/entry.h"
#include "tidemark/blob/key.h"
#include "tidemark/blob/session.h"
#include "tidemark/blob/xml.h"
#include "tidemark/json/utf8.h"
#include "tidemark/net/excerpt.h"
#include "tidemark/net/status.h"
#include "tidemark/net/url.h"

namespace tidemark::blob {
namespace {

constexpr const char* kApiVersion = "2021-12-02";

// What an answer that is no success says: a code in a header, and XML with a message.
struct Refusal {
  int status = 0;
  std::string code;
  std::string message;
};

Refusal read_refusal(const net::HttpRequest& request, const net::HttpResponse& response) {
  Refusal refusal{.status = response.status,
                  .code = std::string(response.headers.find("x-ms-error-code").value_or("")),
                  .message = {}};
  try {
    read_xml(response.body.view(), [&](const XmlLeaf& leaf) {
      if (leaf.path == "Error/Code" && refusal.code.empty()) refusal.code = leaf.text;
      // The lines behind the first are a request id and a time.
      if (leaf.path == "Error/Message") refusal.message = leaf.text.substr(0, leaf.text.find('\n'));
    });
  } catch (const Error&) {
    refusal.message = response.body.view();  // a proxy's page, or nothing
  }
  refusal.message = net::excerpt(request, refusal.message);
  return refusal;
}

ErrorCode code_of(const Refusal& refusal) {
  if (refusal.status == 409) return ErrorCode::kConflict;
  // Somebody holds a lease on the blob: LeaseIdMissing.
  if (refusal.status == 412) return ErrorCode::kLocked;
  return net::error_code(refusal.status);
}

Error error_of(const Refusal& refusal) {
  std::string text = fmt::format("status {}", refusal.status);
  if (!refusal.code.empty()) text += " " + refusal.code;
  if (!refusal.message.empty()) text += ": " + refusal.message;
  return {code_of(refusal), std::move(text)};
}

bool is_success(const net::HttpResponse& response) {
  return response.status >= 200 && response.status < 300;
}

// False when the condition did not hold.
bool is_written(const net::HttpRequest& request, const net::HttpResponse& response) {
  if (is_success(response)) return true;
  const Refusal refusal = read_refusal(request, response);
  if (refusal.code == "BlobAlreadyExists" || refusal.code == "ConditionNotMet") return false;
  throw error_of(refusal);
}

// False when the blob is missing, not its container.
bool is_found(const net::HttpRequest& request, const net::HttpResponse& response) {
  if (is_success(response)) return true;
  const Refusal refusal = read_refusal(request, response);
  if (refusal.code == "BlobNotFound") return false;
  throw error_of(refusal);
}

std::string header_of(const net::HttpResponse& response, std::string_view name) {
  const auto value = response.headers.find(name);
  if (!value) throw Error(ErrorCode::kCorrupt, fmt::format("the answer has no {}", name));
  return std::string(*value);
}

// A quoted text; what else stands in If-Match (`*`, a list) means more than one version.
bool is_etag(const Version& version) {
  return version.text.size() >= 2 && version.text.find('"', 1) == version.text.size() - 1 &&
         version.text.front() == '"';
}

bool can_hold(const Condition& condition) {
  const auto* match = std::get_if<IfMatch>(&condition);
  return match == nullptr || is_etag(match->version);
}

void add_condition(net::Headers& headers, const Condition& condition) {
  if (std::holds_alternative<IfAbsent>(condition)) headers.add("If-None-Match", "*");
  if (const auto* match = std::get_if<IfMatch>(&condition)) {
    headers.add("If-Match", match->version.text);
  }
}

// What the service calls a key: it takes a backslash for a slash, but not in the query of a
// listing.
std::string azure_name(std::string_view key) {
  std::string name(key);
  std::ranges::replace(name, '\\', '/');
  return name;
}

void check_azure_name(std::string_view name) {
  check_key(name);
  if (json::valid_utf8_size(name) != name.size() || name.find('\0') != std::string_view::npos) {
    throw Error(ErrorCode::kInvalid, "Azure takes no key that is not UTF-8 or holds NUL");
  }
}

struct Page {
  std::vector<Entry> entries;
  std::string marker;  // of the next page; empty on the last
};

Page parse_page(std::string_view document) {
  Page page;
  read_xml(document, [&](const XmlLeaf& leaf) {
    if (leaf.path == "EnumerationResults/Blobs/Blob/Name") {
      const bool is_encoded = leaf.attributes.find("Encoded=\"true\"") != std::string_view::npos;
      page.entries.push_back(
          {.name = is_encoded ? net::percent_decode(leaf.text) : std::string(leaf.text)});
    } else if (leaf.path == "EnumerationResults/Blobs/Blob/Properties/Content-Length" &&
               !page.entries.empty()) {
      page.entries.back().size = parse_size(leaf.text);
    } else if (leaf.path == "EnumerationResults/Blobs/Blob/Properties/ResourceType" &&
               leaf.text == "directory" && !page.entries.empty()) {
      page.entries.pop_back();  // of a hierarchical namespace: no blob of ours
    } else if (leaf.path == "EnumerationResults/NextMarker") {
      page.marker = leaf.text;
    }
  });
  return page;
}

class AzureStore final : public BlobStore {
 public:
  struct Place {
    std::string endpoint;
    std::string container;
    std::string prefix;
  };

  AzureStore(Place place, const CloudEnvironment& environment, std::unique_ptr<Signer> signer)
      : place_(std::move(place)),
        root_(place_.prefix.empty() ? "" : azure_name(place_.prefix) + "/"),
        session_(environment, std::move(signer)) {}

  std::optional<Blob> get(std::string_view key) override {
    return in_call("get", key, *this, [&]() -> std::optional<Blob> {
      net::HttpRequest request = blob_request("GET", key);
      const net::HttpResponse response = session_.send(request);
      if (!is_found(request, response)) return std::nullopt;
      return Blob{std::string(response.body.view()), {header_of(response, "ETag")}};
    });
  }

  std::optional<BlobInfo> stat(std::string_view key) override {
    return in_call("stat", key, *this, [&] { return find_info(key); });
  }

  std::optional<Version> put(std::string_view key, std::string_view bytes,
                             const Condition& condition) override {
    return in_call("put", key, *this, [&]() -> std::optional<Version> {
      net::HttpRequest request = blob_request("PUT", key);
      if (!can_hold(condition)) return std::nullopt;
      request.headers.add("x-ms-blob-type", "BlockBlob");
      add_condition(request.headers, condition);
      request.body = bytes;
      request.is_repeatable = std::holds_alternative<Always>(condition);
      const net::HttpResponse response = session_.send(request);
      if (!is_written(request, response)) return std::nullopt;
      return Version{header_of(response, "ETag")};
    });
  }

  bool remove(std::string_view key, const Condition& condition) override {
    return in_call("remove", key, *this, [&] {
      check_remove_condition(condition);
      if (!can_hold(condition)) return !find_info(key);
      net::HttpRequest request = blob_request("DELETE", key);
      add_condition(request.headers, condition);
      request.is_repeatable = std::holds_alternative<Always>(condition);
      const net::HttpResponse response = session_.send(request);
      if (response.status == 404 && !is_found(request, response)) return true;
      // The service calls a missing blob one that does not match.
      return is_written(request, response) || !find_info(key);
    });
  }

  // Azure orders names by UTF-16 or, in a hierarchical namespace, by folder, and cannot start a
  // listing in between: all pages are read, then sorted.
  void list(const Listing& wanted,
            const std::function<void(const Listed& listed)>& visit) override {
    Listing listing = wanted;
    for (std::string* part : {&listing.prefix, &listing.after, &listing.skipped}) {
      *part = azure_name(*part);
    }
    if (!listing.skipped.empty() && listing.prefix.starts_with(listing.skipped)) return;
    std::vector<Entry> entries =
        in_call("list", listing.prefix, *this, [&] { return read_entries(listing); });
    if (!std::ranges::is_sorted(entries, {}, &Entry::name)) {
      std::ranges::sort(entries, {}, &Entry::name);
    }
    for (const Entry& entry : entries) visit({.key = entry.name, .size = entry.size});
  }

  Time store_time() override {
    return in_call("time", "", *this, [&] {
      if (!session_.service_time()) (void)send_list({{"maxresults", "1"}});
      const auto time = session_.service_time();
      if (!time) throw Error(ErrorCode::kCorrupt, "the answer has no Date");
      return *time;
    });
  }

  Capabilities capabilities() const override { return {.takes_backslash_for_slash = true}; }

  std::string describe() const override {
    return place_.prefix.empty() ? fmt::format("azure://{}", place_.container)
                                 : fmt::format("azure://{}/{}", place_.container, place_.prefix);
  }

 private:
  std::string container_url() const {
    return place_.endpoint + "/" + net::percent_encode(place_.container);
  }

  std::optional<BlobInfo> find_info(std::string_view key) {
    net::HttpRequest request = blob_request("HEAD", key);
    const net::HttpResponse response = session_.send(request);
    if (!is_found(request, response)) return std::nullopt;
    const auto size = parse_size(header_of(response, "Content-Length"));
    if (!size) throw Error(ErrorCode::kCorrupt, "the answer's Content-Length is no number");
    return BlobInfo{.size = *size, .version = {header_of(response, "ETag")}};
  }

  net::HttpRequest blob_request(std::string method, std::string_view key) const {
    check_azure_name(azure_name(key));
    std::string url = container_url();
    const std::string name = root_ + azure_name(key);
    for (size_t start = 0; start <= name.size();) {
      const size_t end = std::min(name.find('/', start), name.size());
      url += "/" + net::percent_encode(std::string_view(name).substr(start, end - start));
      start = end + 1;
    }
    return {.method = std::move(method),
            .url = std::move(url),
            .headers = {{"x-ms-version", kApiVersion}}};
  }

  net::HttpResponse send_list(net::QueryParams params) {
    params.insert(params.begin(), {{"restype", "container"}, {"comp", "list"}});
    net::HttpRequest request{.url = net::with_query(container_url(), params),
                             .headers = {{"x-ms-version", kApiVersion}}};
    net::HttpResponse response = session_.send(request);
    if (!is_success(response)) throw error_of(read_refusal(request, response));
    return response;
  }

  // Named by their keys.
  std::vector<Entry> read_entries(const Listing& listing) {
    std::vector<Entry> entries;
    std::string marker;
    do {
      net::QueryParams params = {{"prefix", root_ + listing.prefix}};
      if (!marker.empty()) params.emplace_back("marker", marker);
      Page page = parse_page(send_list(std::move(params)).body.view());
      for (Entry& entry : page.entries) {
        if (!entry.name.starts_with(root_)) continue;
        entry.name.erase(0, root_.size());
        if (is_listed(listing, entry.name)) entries.push_back(std::move(entry));
      }
      if (!marker.empty() && page.marker == marker) {
        throw Error(ErrorCode::kCorrupt, "the same page came twice");
      }
      marker = std::move(page.marker);
    } while (!marker.empty());
    return entries;
  }

  const Place place_;
  const std::string root_;  // that names of blobs begin with
  Session session_;
};

// A token says nothing about what it is for, so whoever reads it on its way can use it.
void check_private(const std::string& endpoint) {
  const std::string origin = net::url_origin(endpoint + "/");
  if (origin.starts_with("https://") || origin.starts_with("http://127.0.0.1:") ||
      origin.starts_with("http://localhost:")) {
    return;
  }
  throw Error(ErrorCode::kInvalid,
              fmt::format("storage_account_url '{}' must begin with https:// where the host's "
                          "identity is used",
                          endpoint));
}

std::unique_ptr<Signer> make_signer(const AzureAccount& account,
                                    const CloudEnvironment& environment) {
  if (const auto* key = std::get_if<AzureSharedKey>(&account.credential)) {
    return make_shared_key_signer(*key);
  }
  if (const auto* sas = std::get_if<AzureSas>(&account.credential)) return make_sas_signer(*sas);
  check_private(account.endpoint);
  return make_bearer_signer(find_azure_identity(environment), environment.clock);
}

}  // namespace

std::unique_ptr<BlobStore> make_azure_store(AzureOptions options,
                                            const CloudEnvironment& environment) {
  const AzureAccount account =
      find_azure_account(options.storage_account_url, options.connection_string);
  return std::make_unique<AzureStore>(AzureStore::Place{.endpoint = account.endpoint,
                                                        .container = std::move(options.container),
                                                        .prefix = std::move(options.prefix)},
                                      environment, make_signer(account, environment));
}

}  // namespace tidemark::blob
