#include "tidemark/blob/s3_store.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/blob/entry.h"
#include "tidemark/blob/key.h"
#include "tidemark/blob/s3_refusal.h"
#include "tidemark/blob/s3_service.h"
#include "tidemark/blob/xml.h"
#include "tidemark/json/utf8.h"
#include "tidemark/net/url.h"

namespace tidemark::blob {
namespace {

// Behind every name that begins with the text in front of it: no character comes after this one.
constexpr std::string_view kLastCharacter = "\xF4\x8F\xBF\xBF";

void check_s3_key(std::string_view key) {
  check_key(key);
  // Gateways that keep files take `a//b` for `a/b`.
  if (key.starts_with('/') || key.ends_with('/') || key.find("//") != std::string_view::npos) {
    throw Error(ErrorCode::kInvalid, "S3 is given no key with an empty part");
  }
  if (json::valid_utf8_size(key) != key.size()) {
    throw Error(ErrorCode::kInvalid, "S3 takes no key that is not UTF-8");
  }
  if (key.find('\0') != std::string_view::npos) {
    throw Error(ErrorCode::kInvalid, "S3 takes no key with a NUL character");
  }
}

// As Meltano writes its documents and locks.
std::string_view content_type(std::string_view key) {
  const std::string_view name = key.substr(key.rfind('/') + 1);
  const bool is_json = name.ends_with(".json") || name == "lock";
  return is_json ? "application/json" : "application/octet-stream";
}

void add_condition(net::HttpRequest& request, const Condition& condition) {
  if (std::holds_alternative<IfAbsent>(condition)) request.headers.add("If-None-Match", "*");
  if (const auto* match = std::get_if<IfMatch>(&condition)) {
    request.headers.add("If-Match", match->version.text);
  }
  // The answer to a conditional write may be lost after it took effect.
  request.is_repeatable = std::holds_alternative<Always>(condition);
}

// An ETag is quoted; `*` would match any object.
bool can_hold(const Condition& condition) {
  const auto* match = std::get_if<IfMatch>(&condition);
  return match == nullptr || (match->version.text.size() > 2 && match->version.text.front() == '"');
}

bool is_condition_lost(const S3Refusal& refusal) {
  return refusal.status == 412 || refusal.code == "ConditionalRequestConflict";
}

Version version_in(const net::HttpResponse& response) {
  const auto tag = response.headers.find("ETag");
  if (!tag || tag->empty()) throw Error(ErrorCode::kCorrupt, "the answer has no ETag");
  return {std::string(*tag)};
}

uint64_t size_in(const net::HttpResponse& response) {
  const auto size = parse_size(response.headers.find("Content-Length").value_or(""));
  if (!size) throw Error(ErrorCode::kCorrupt, "the answer has no Content-Length");
  return *size;
}

// `name` with each part encoded.
std::string encode_path(std::string_view name) {
  std::string path;
  for (size_t start = 0; start <= name.size();) {
    const size_t end = std::min(name.find('/', start), name.size());
    path += "/" + net::percent_encode(name.substr(start, end - start));
    start = end + 1;
  }
  return path;
}

struct Page {
  std::vector<Entry> entries;
  bool is_truncated = false;
  std::string token;
};

Page read_page(const net::HttpResponse& response) {
  Page page;
  bool is_encoded = false;
  read_xml(response.body.view(), [&](const XmlLeaf& leaf) {
    if (leaf.path == "ListBucketResult/Contents/Key") {
      page.entries.push_back({.name = std::string(leaf.text)});
    }
    if (leaf.path == "ListBucketResult/Contents/Size" && !page.entries.empty()) {
      page.entries.back().size = parse_size(leaf.text);
    }
    if (leaf.path == "ListBucketResult/IsTruncated") page.is_truncated = leaf.text == "true";
    if (leaf.path == "ListBucketResult/NextContinuationToken") page.token = leaf.text;
    if (leaf.path == "ListBucketResult/EncodingType") is_encoded = leaf.text == "url";
  });
  if (!is_encoded) return page;
  for (Entry& entry : page.entries) {
    // As in a form: a blank may come as `+`, which itself is encoded.
    std::ranges::replace(entry.name, '+', ' ');
    entry.name = net::percent_decode(entry.name);
  }
  return page;
}

class S3Store final : public BlobStore {
 public:
  S3Store(const S3Options& options, const CloudEnvironment& environment)
      : name_(fmt::format("s3://{}{}{}", options.bucket, options.prefix.empty() ? "" : "/",
                          options.prefix)),
        root_(options.prefix.empty() ? "" : options.prefix + "/"),
        service_(options, environment) {}

  std::optional<Blob> get(std::string_view key) override {
    return in_call("get", key, *this, [&] { return read(key); });
  }

  std::optional<BlobInfo> stat(std::string_view key) override {
    return in_call("stat", key, *this, [&]() -> std::optional<BlobInfo> {
      net::HttpRequest request{.method = "HEAD"};
      const net::HttpResponse response = service_.send(request, path_of(key));
      if (response.status == 200) {
        return BlobInfo{.size = size_in(response), .version = version_in(response)};
      }
      // An answer to HEAD has no body; that to GET says what is wrong.
      std::optional<Blob> blob = read(key);
      if (!blob) return std::nullopt;
      return BlobInfo{.size = blob->bytes.size(), .version = std::move(blob->version)};
    });
  }

  std::optional<Version> put(std::string_view key, std::string_view bytes,
                             const Condition& condition) override {
    return in_call("put", key, *this, [&]() -> std::optional<Version> {
      net::HttpRequest request{.method = "PUT",
                               .headers = {{"Content-Type", std::string(content_type(key))}},
                               .body = std::string(bytes)};
      const std::string path = path_of(key);
      if (!can_hold(condition)) return std::nullopt;
      add_condition(request, condition);
      const net::HttpResponse response = service_.send(request, path);
      if (response.status == 200) return version_in(response);
      const S3Refusal refusal = read_s3_refusal(request, response);
      const bool is_absent =
          refusal.code == "NoSuchKey" && std::holds_alternative<IfMatch>(condition);
      if (is_condition_lost(refusal) || is_absent) return std::nullopt;
      throw error_of(refusal);
    });
  }

  bool remove(std::string_view key, const Condition& condition) override {
    return in_call("remove", key, *this, [&] {
      check_remove_condition(condition);
      if (!can_hold(condition)) return !read(key);
      net::HttpRequest request{.method = "DELETE"};
      add_condition(request, condition);
      const net::HttpResponse response = service_.send(request, path_of(key));
      if (response.status == 204 || response.status == 200) return true;
      const S3Refusal refusal = read_s3_refusal(request, response);
      if (refusal.code == "NoSuchKey") return true;
      // A missing object is one that does not match.
      if (is_condition_lost(refusal)) return !read(key);
      throw error_of(refusal);
    });
  }

  void list(const Listing& listing,
            const std::function<void(const Listed& listed)>& visit) override {
    const std::string skipped = listing.skipped.empty() ? "" : root_ + listing.skipped;
    if (!skipped.empty() && listing.prefix.starts_with(listing.skipped)) return;
    std::string after = listing.after.empty() ? "" : root_ + listing.after;
    std::string token;
    while (true) {
      const Page page = in_call("list", listing.prefix, *this,
                                [&] { return ask_for_page(listing, after, token); });
      for (const Entry& entry : page.entries) {
        const std::string_view key = std::string_view(entry.name).substr(root_.size());
        if (is_listed(listing, key)) visit({.key = key, .size = entry.size});
      }
      if (!page.is_truncated) return;
      token = page.token;
      if (!page.entries.empty()) after = page.entries.back().name;
      if (!skipped.empty() && after.starts_with(skipped)) {
        after = skipped + std::string(kLastCharacter);
        token.clear();
      }
    }
  }

  Time store_time() override {
    return in_call("ask the time", "", *this, [&] {
      if (!service_.service_time()) {
        net::HttpRequest request{.method = "HEAD"};
        (void)service_.send(request, "/");  // any answer tells it
      }
      const auto time = service_.service_time();
      if (!time) throw Error(ErrorCode::kCorrupt, "its answers have no Date");
      return *time;
    });
  }

  Capabilities capabilities() const override { return {}; }
  std::string describe() const override { return name_; }

 private:
  std::string path_of(std::string_view key) const {
    check_s3_key(key);
    return encode_path(root_ + std::string(key));
  }

  std::optional<Blob> read(std::string_view key) {
    net::HttpRequest request;
    const net::HttpResponse response = service_.send(request, path_of(key));
    if (response.status == 200) {
      return Blob{.bytes = std::string(response.body.view()), .version = version_in(response)};
    }
    const S3Refusal refusal = read_s3_refusal(request, response);
    if (refusal.code == "NoSuchKey") return std::nullopt;
    throw error_of(refusal);
  }

  // A token goes on where a page ended; `after` begins anywhere.
  Page ask_for_page(const Listing& listing, const std::string& after, const std::string& token) {
    net::QueryParams query = {
        {"list-type", "2"}, {"encoding-type", "url"}, {"prefix", root_ + listing.prefix}};
    if (!token.empty()) {
      query.emplace_back("continuation-token", token);
    } else if (!after.empty()) {
      query.emplace_back("start-after", after);
    }
    net::HttpRequest request;
    const net::HttpResponse response = service_.send(request, "/?" + net::encode_query(query));
    if (response.status != 200) throw error_of(read_s3_refusal(request, response));
    Page page = read_page(response);
    if (page.is_truncated && page.token.empty() && page.entries.empty()) {
      throw Error(ErrorCode::kCorrupt, "a page is empty and says that there are more");
    }
    for (const Entry& entry : page.entries) {
      if (!entry.name.starts_with(root_)) {
        throw Error(ErrorCode::kCorrupt, fmt::format("'{}' is not below the prefix", entry.name));
      }
    }
    return page;
  }

  const std::string name_;
  const std::string root_;
  S3Service service_;
};

}  // namespace

std::unique_ptr<BlobStore> make_s3_store(const S3Options& options,
                                         const CloudEnvironment& environment) {
  return std::make_unique<S3Store>(options, environment);
}

}  // namespace tidemark::blob
