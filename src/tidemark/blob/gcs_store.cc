#include "tidemark/blob/gcs_store.h"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/blob/entry.h"
#include "tidemark/blob/key.h"
#include "tidemark/blob/session.h"
#include "tidemark/json/read.h"
#include "tidemark/json/utf8.h"
#include "tidemark/net/excerpt.h"
#include "tidemark/net/status.h"
#include "tidemark/net/url.h"

namespace tidemark::blob {
namespace {

constexpr std::string_view kService = "https://storage.googleapis.com";

// What an answer that is no success says: {"error": {"message": ..., "errors": [{"reason": ...}]}},
// or plain text where the object's bytes were asked for.
struct Refusal {
  int status = 0;
  std::string reason;
  std::string message;
};

std::string text_in(const json::Value* value, std::string_view name) {
  const json::Value* text = value != nullptr ? value->find(name) : nullptr;
  return text != nullptr && text->is_string() ? text->as_string() : std::string();
}

Refusal read_refusal(const net::HttpRequest& request, const net::HttpResponse& response) {
  Refusal refusal{.status = response.status,
                  .reason = {},
                  .message = net::excerpt(request, response.body.view())};
  try {
    const json::Value body = json::read(response.body.view());
    const json::Value* error = body.find("error");
    const std::string message = text_in(error, "message");
    if (!message.empty()) refusal.message = net::excerpt(request, message);
    const json::Value* errors = error != nullptr ? error->find("errors") : nullptr;
    if (errors != nullptr && errors->is_array() && !errors->as_array().empty()) {
      refusal.reason = text_in(errors->as_array().data(), "reason");
    }
  } catch (const Error&) {
    // Plain text, then, or a proxy's page.
  }
  return refusal;
}

ErrorCode code_of(const Refusal& refusal) {
  if (refusal.status == 409) return ErrorCode::kConflict;
  if (refusal.reason.ends_with("ateLimitExceeded")) return ErrorCode::kUnavailable;
  return net::error_code(refusal.status);
}

Error error_of(const Refusal& refusal) {
  std::string text = fmt::format("status {}", refusal.status);
  if (!refusal.reason.empty()) text += " " + refusal.reason;
  if (!refusal.message.empty()) text += ": " + refusal.message;
  return {code_of(refusal), std::move(text)};
}

bool is_success(const net::HttpResponse& response) {
  return response.status >= 200 && response.status < 300;
}

// Generations are numbers above zero; zero as a condition means "absent".
bool is_generation(const Version& version) {
  return !version.text.empty() && version.text.front() != '0' &&
         version.text.find_first_not_of("0123456789") == std::string::npos;
}

net::QueryParams query_of(const Condition& condition) {
  if (std::holds_alternative<IfAbsent>(condition)) return {{"ifGenerationMatch", "0"}};
  const auto* match = std::get_if<IfMatch>(&condition);
  if (match == nullptr) return {};
  return {{"ifGenerationMatch", match->version.text}};
}

bool can_hold(const Condition& condition) {
  const auto* match = std::get_if<IfMatch>(&condition);
  return match == nullptr || is_generation(match->version);
}

// 64-bit numbers are texts in this API.
std::optional<uint64_t> find_size(const json::Value& object) {
  return parse_size(text_in(&object, "size"));
}

uint64_t size_in(const json::Value& object) {
  const auto size = find_size(object);
  if (!size) throw Error(ErrorCode::kCorrupt, "the answer has no size");
  return *size;
}

// The first name above all that begin with the prefix, which ends in ASCII.
std::string behind(std::string prefix) {
  ++prefix.back();
  return prefix;
}

void check_gcs_key(std::string_view key) {
  check_key(key);
  if (json::valid_utf8_size(key) != key.size()) {
    throw Error(ErrorCode::kInvalid, "Google Cloud Storage takes no key that is not UTF-8");
  }
  if (key.find_first_of("\r\n") != std::string_view::npos) {
    throw Error(ErrorCode::kInvalid, "Google Cloud Storage takes no key with a line break");
  }
}

class GcsStore final : public BlobStore {
 public:
  struct Place {
    std::string endpoint;
    std::string bucket;
    std::string prefix;
    bool is_emulator = false;
  };

  GcsStore(Place place, const CloudEnvironment& environment, std::unique_ptr<Signer> signer)
      : place_(std::move(place)),
        root_(place_.prefix.empty() ? "" : place_.prefix + "/"),
        session_(environment, std::move(signer)) {}

  std::optional<Blob> get(std::string_view key) override {
    return in_call("get", key, *this, [&]() -> std::optional<Blob> {
      net::HttpRequest request{.url = object_url(key) + "?alt=media"};
      const net::HttpResponse response = session_.send(request);
      if (!is_found(request, response)) return std::nullopt;
      const auto generation = response.headers.find("x-goog-generation");
      if (!generation) throw Error(ErrorCode::kCorrupt, "the answer has no x-goog-generation");
      return Blob{std::string(response.body.view()), {std::string(*generation)}};
    });
  }

  std::optional<BlobInfo> stat(std::string_view key) override {
    return in_call("stat", key, *this, [&] { return find_info(key); });
  }

  std::optional<Version> put(std::string_view key, std::string_view bytes,
                             const Condition& condition) override {
    return in_call("put", key, *this, [&]() -> std::optional<Version> {
      check_gcs_key(key);
      if (!can_hold(condition)) return std::nullopt;
      net::QueryParams params = {
          {"uploadType", "media"}, {"name", root_ + std::string(key)}, {"fields", "generation"}};
      std::ranges::move(query_of(condition), std::back_inserter(params));
      net::HttpRequest request{.method = "POST",
                               .url = net::with_query(objects_url("/upload/storage/v1"), params),
                               .headers = {{"Content-Type", "application/json"}},
                               .body = std::string(bytes),
                               .is_repeatable = std::holds_alternative<Always>(condition)};
      const net::HttpResponse response = session_.send(request);
      if (response.status == 412) return std::nullopt;
      if (!is_success(response)) throw error_of(read_refusal(request, response));
      is_bucket_seen_ = true;
      return version_in(json::read(response.body.view()));
    });
  }

  bool remove(std::string_view key, const Condition& condition) override {
    return in_call("remove", key, *this, [&] {
      check_remove_condition(condition);
      if (!can_hold(condition)) return !find_info(key);
      net::HttpRequest request{.method = "DELETE",
                               .url = net::with_query(object_url(key), query_of(condition)),
                               .is_repeatable = std::holds_alternative<Always>(condition)};
      const net::HttpResponse response = session_.send(request);
      // A missing object is one that does not match.
      if (response.status == 412) return !find_info(key);
      (void)is_found(request, response);
      return true;
    });
  }

  void list(const Listing& listing,
            const std::function<void(const Listed& listed)>& visit) override {
    const bool skips = !listing.skipped.empty();
    if (skips && listing.prefix.starts_with(listing.skipped)) return;
    Page page{.start = listing.after.empty() ? "" : root_ + listing.after};
    do {
      page =
          in_call("list", listing.prefix, *this, [&] { return read_page(listing.prefix, page); });
      for (const Entry& entry : page.entries) {
        const std::string_view key = std::string_view(entry.name).substr(root_.size());
        if (is_listed(listing, key)) visit({.key = key, .size = entry.size});
      }
      const std::string skipped = root_ + listing.skipped;
      if (skips && !page.entries.empty() && page.entries.back().name.starts_with(skipped)) {
        page.start = behind(skipped);
        page.token.clear();
      }
    } while (!page.is_last);
  }

  Time store_time() override {
    return in_call("time", "", *this, [&] {
      if (!session_.service_time()) ask_for_bucket();
      const auto time = session_.service_time();
      if (!time) throw Error(ErrorCode::kCorrupt, "the answer has no Date");
      return *time;
    });
  }

  Capabilities capabilities() const override {
    return {.conditional_put = true, .conditional_remove = !place_.is_emulator};
  }

  std::string describe() const override {
    return place_.prefix.empty() ? fmt::format("gs://{}", place_.bucket)
                                 : fmt::format("gs://{}/{}", place_.bucket, place_.prefix);
  }

 private:
  struct Page {
    std::string start;  // the first name that is asked for
    std::string token = {};
    std::vector<Entry> entries = {};
    bool is_last = false;
  };

  std::optional<BlobInfo> find_info(std::string_view key) {
    net::HttpRequest request{.url = object_url(key) + "?fields=size,generation"};
    const net::HttpResponse response = session_.send(request);
    if (!is_found(request, response)) return std::nullopt;
    const json::Value body = json::read(response.body.view());
    return BlobInfo{.size = size_in(body), .version = version_in(body)};
  }

  std::string objects_url(std::string_view api) const {
    return fmt::format("{}{}/b/{}/o", place_.endpoint, api, net::percent_encode(place_.bucket));
  }

  std::string object_url(std::string_view key) const {
    check_gcs_key(key);
    return objects_url("/storage/v1") + "/" + net::percent_encode(root_ + std::string(key));
  }

  static Version version_in(const json::Value& body) {
    Version version{text_in(&body, "generation")};
    if (version.text.empty()) throw Error(ErrorCode::kCorrupt, "the answer has no generation");
    return version;
  }

  // False when the object is missing. The service says of what there is none; an emulator does not,
  // and is asked for the bucket until it was seen once.
  bool is_found(const net::HttpRequest& request, const net::HttpResponse& response) {
    if (is_success(response)) {
      is_bucket_seen_ = true;
      return true;
    }
    const Refusal refusal = read_refusal(request, response);
    if (refusal.status != 404) throw error_of(refusal);
    if (refusal.message.find("No such object") != std::string::npos) return false;
    if (refusal.message.find("bucket does not exist") != std::string::npos) throw error_of(refusal);
    if (!is_bucket_seen_) ask_for_bucket();
    return false;
  }

  void ask_for_bucket() { (void)send_list({{"maxResults", "1"}, {"fields", "nextPageToken"}}); }

  net::HttpResponse send_list(const net::QueryParams& params) {
    net::HttpRequest request{.url = net::with_query(objects_url("/storage/v1"), params)};
    net::HttpResponse response = session_.send(request);
    if (!is_success(response)) throw error_of(read_refusal(request, response));
    is_bucket_seen_ = true;
    return response;
  }

  Page read_page(const std::string& prefix, const Page& previous) {
    net::QueryParams params = {{"maxResults", "1000"},
                               {"fields", "items(name,size),nextPageToken"},
                               {"prefix", root_ + prefix}};
    if (!previous.start.empty()) params.emplace_back("startOffset", previous.start);
    if (!previous.token.empty()) params.emplace_back("pageToken", previous.token);
    const json::Value body = json::read(send_list(params).body.view());
    Page page{.start = previous.start, .token = text_in(&body, "nextPageToken")};
    page.is_last = page.token.empty();
    if (const json::Value* items = body.find("items")) {
      for (const json::Value& item : items->as_array()) {
        std::string name = text_in(&item, "name");
        if (!name.starts_with(root_)) continue;
        page.entries.push_back({.name = std::move(name), .size = find_size(item)});
      }
    }
    if (!page.is_last && page.token == previous.token) {
      throw Error(ErrorCode::kCorrupt, "the same page came twice");
    }
    return page;
  }

  const Place place_;
  const std::string root_;  // that names of objects begin with
  Session session_;
  std::atomic<bool> is_bucket_seen_ = false;
};

// As Google's libraries read it, with or without a scheme.
std::string emulator_url(const std::string& host) {
  std::string url = host.find("://") == std::string::npos ? "http://" + host : host;
  while (url.ends_with('/')) url.pop_back();
  return url;
}

std::unique_ptr<Signer> make_signer(const GcsOptions& options, bool is_emulator,
                                    const CloudEnvironment& environment) {
  if (is_emulator && options.credentials.empty()) return make_anonymous_signer();
  return make_bearer_signer(find_gcs_credentials(options.credentials, environment),
                            environment.clock);
}

}  // namespace

std::unique_ptr<BlobStore> make_gcs_store(const GcsOptions& options,
                                          const CloudEnvironment& environment) {
  const std::string* emulator = environment.variables.find_not_empty("STORAGE_EMULATOR_HOST");
  const bool is_emulator = emulator != nullptr;
  GcsStore::Place place{.endpoint = is_emulator ? emulator_url(*emulator) : std::string(kService),
                        .bucket = options.bucket,
                        .prefix = options.prefix,
                        .is_emulator = is_emulator};
  return std::make_unique<GcsStore>(std::move(place), environment,
                                    make_signer(options, is_emulator, environment));
}

}  // namespace tidemark::blob
