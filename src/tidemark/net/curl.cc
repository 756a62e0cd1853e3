// All that calls libcurl: the HTTP client, and the two URL functions that must read a URL
// exactly as the client does, because what they say decides who is sent the credentials.
#include <algorithm>
#include <array>
#include <mutex>
#include <utility>

#include <fmt/format.h>

#include "tidemark/base/ascii.h"
#include "tidemark/base/error.h"
#include "tidemark/net/curl_api.h"
#include "tidemark/net/http.h"
#include "tidemark/net/url.h"

namespace tidemark::net {
namespace {

using SteadyClock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr int kMaxRedirects = 20;
// How often a waiting request looks whether it was cancelled.
constexpr milliseconds kPollInterval{100};
// A Content-Length is only a claim: beyond this the body grows as it comes.
constexpr curl_off_t kMaxReserve = 64 << 20;

// CURL and CURLM are both void to the compiler.
struct FreeEasy {
  void operator()(CURL* easy) const { curl().easy_cleanup(easy); }
};
struct FreeMulti {
  void operator()(CURLM* multi) const { curl().multi_cleanup(multi); }
};
struct Free {
  void operator()(curl_slist* list) const { curl().slist_free_all(list); }
  void operator()(CURLU* url) const { curl().url_cleanup(url); }
  void operator()(char* text) const { curl().free(text); }
};
using UrlHandle = std::unique_ptr<CURLU, Free>;

std::string url_part(const UrlHandle& url, CURLUPart part, unsigned flags = 0) {
  char* text = nullptr;
  if (curl().url_get(url.get(), part, &text, flags) != CURLUE_OK) return {};
  const std::unique_ptr<char, Free> owned(text);
  return text;
}

UrlHandle parse_url(const std::string& text) {
  UrlHandle url(curl().url());
  const CURLUcode code = curl().url_set(url.get(), CURLUPART_URL, text.c_str(), CURLU_URLENCODE);
  if (code != CURLUE_OK) {
    throw Error(ErrorCode::kInvalid, fmt::format("'{}' is no URL that can be requested: {}",
                                                 mask_url(text), curl().url_strerror(code)));
  }
  return url;
}

std::string origin_of(const UrlHandle& url) {
  return ascii_lower(fmt::format("{}://{}:{}", url_part(url, CURLUPART_SCHEME),
                                 url_part(url, CURLUPART_HOST),
                                 url_part(url, CURLUPART_PORT, CURLU_DEFAULT_PORT)));
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const size_t start = text.find_first_not_of(kBlanks);
  if (start == std::string_view::npos) return {};
  return text.substr(start, text.find_last_not_of(kBlanks) - start + 1);
}

// What one exchange has received so far; curl's callbacks write here.
struct Exchange {
  CURL* easy = nullptr;
  HttpResponse response;
  bool has_all_headers = false;

  void on_header(std::string_view line) {
    // A status line starts a new answer: the one before was 100 Continue or a proxy's.
    if (line.starts_with("HTTP/")) {
      response.headers = {};
      has_all_headers = false;
      return;
    }
    has_all_headers |= trim(line).empty();
    const size_t colon = line.find(':');
    if (colon == std::string_view::npos) return;
    response.headers.add(std::string(line.substr(0, colon)),
                         std::string(trim(line.substr(colon + 1))));
  }

  void on_body(std::string_view bytes) {
    if (response.body.capacity() == 0) reserve();
    response.body.append(bytes);
  }

  void reserve() {
    curl_off_t length = -1;
    curl().easy_getinfo(easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
    if (length > 0) {
      response.body = json::Buffer(static_cast<size_t>(std::min(length, kMaxReserve)));
    }
  }
};

// Nothing may be thrown through curl's frames: a short count makes it give up with
// CURLE_WRITE_ERROR.
size_t receive_header(char* data, size_t size, size_t count, void* user) noexcept try {
  static_cast<Exchange*>(user)->on_header({data, size * count});
  return size * count;
} catch (...) {
  return 0;
}

size_t receive_body(char* data, size_t size, size_t count, void* user) noexcept try {
  static_cast<Exchange*>(user)->on_body({data, size * count});
  return size * count;
} catch (...) {
  return 0;
}

// Asked before the request goes out on a connection. When one that curl has kept breaks before an
// answer, curl sends the request again on another one, unasked.
int send_once(void* user, char*, char*, int, int) noexcept {
  return std::exchange(*static_cast<bool*>(user), true) ? CURL_PREREQFUNC_ABORT
                                                        : CURL_PREREQFUNC_OK;
}

ErrorCode error_code(CURLcode code) {
  switch (code) {
    case CURLE_OPERATION_TIMEDOUT:
      return ErrorCode::kTimeout;
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_CONNECT:
    case CURLE_PARTIAL_FILE:
    case CURLE_GOT_NOTHING:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_ABORTED_BY_CALLBACK:  // send_once()
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_BAD_CONTENT_ENCODING:
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
      return ErrorCode::kUnavailable;
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
      return ErrorCode::kUnauthorized;
    case CURLE_URL_MALFORMAT:
    case CURLE_UNSUPPORTED_PROTOCOL:
      return ErrorCode::kInvalid;
    default:
      return ErrorCode::kInternal;
  }
}

class HeaderList {
 public:
  void add(const Headers& headers) {
    for (const auto& [name, value] : headers) add(name, value);
  }
  void add(const std::string& name, std::string_view value) {
    if ((name + std::string(value)).find_first_of(std::string_view("\r\n\0", 3)) !=
        std::string::npos) {
      throw Error(ErrorCode::kInvalid,
                  fmt::format("header {} holds a line break or NUL, which no header may", name));
    }
    // With a semicolon curl sends an empty field; with a colon it would send none.
    append(value.empty() ? name + ";" : fmt::format("{}: {}", name, value));
  }
  // Keeps curl from sending this field of its own accord.
  void suppress(const std::string& name) { append(name + ":"); }

  curl_slist* get() const { return list_.get(); }

 private:
  void append(const std::string& line) {
    curl_slist* grown = curl().slist_append(list_.get(), line.c_str());
    if (grown == nullptr) throw std::bad_alloc();
    // The first line makes the list; later ones go behind it.
    if (list_ == nullptr) list_.reset(grown);
  }
  std::unique_ptr<curl_slist, Free> list_;
};

// One connection cache and the handle that uses it: for one exchange at a time.
class Channel {
 public:
  Channel() : multi_(curl().multi_init()), easy_(curl().easy_init()) {
    if (!multi_ || !easy_) throw Error(ErrorCode::kInternal, "libcurl gives no handle");
  }

  HttpResponse exchange(const HttpRequest& request, const HttpOptions& options,
                        const Cancellation& cancellation) {
    curl().easy_reset(easy_.get());
    Exchange exchange;
    exchange.easy = easy_.get();
    HeaderList headers;
    std::array<char, CURL_ERROR_SIZE> message{};
    set_request(request, headers);
    set_connection(options);
    set(CURLOPT_HEADERFUNCTION, receive_header);
    set(CURLOPT_HEADERDATA, &exchange);
    set(CURLOPT_WRITEFUNCTION, receive_body);
    set(CURLOPT_WRITEDATA, &exchange);
    set(CURLOPT_ERRORBUFFER, message.data());
    const CURLcode code = run(options, cancellation);
    if (code != CURLE_OK) throw Error(error_code(code), explain(code, message.data()));
    // curl takes them for all there are when the connection ends among them.
    if (!exchange.has_all_headers) {
      throw Error(ErrorCode::kUnavailable, "the connection broke in the headers of the answer");
    }
    long status = 0;
    curl().easy_getinfo(easy_.get(), CURLINFO_RESPONSE_CODE, &status);
    exchange.response.status = static_cast<int>(status);
    exchange.response.url = request.url;
    return std::move(exchange.response);
  }

 private:
  template <typename T>
  void set(CURLoption option, T value) {
    const CURLcode code = curl().easy_setopt(easy_.get(), option, value);
    if (code != CURLE_OK) throw Error(error_code(code), curl().easy_strerror(code));
  }

  void set_request(const HttpRequest& request, HeaderList& headers) {
    set(CURLOPT_URL, request.url.c_str());
    set(CURLOPT_PATH_AS_IS, 1L);
    set(CURLOPT_PROTOCOLS_STR, "http,https");
    const bool has_body =
        !request.body.empty() || (request.method != "GET" && request.method != "HEAD" &&
                                  request.method != "DELETE" && request.method != "OPTIONS");
    if (has_body) {
      set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
      set(CURLOPT_POSTFIELDS, request.body.data());
      // A round trip more, and services that never answer it.
      headers.suppress("Expect");
      if (!request.headers.find("Content-Type")) headers.suppress("Content-Type");
    }
    if (request.method == "HEAD") {
      set(CURLOPT_NOBODY, 1L);
    } else {
      set(CURLOPT_CUSTOMREQUEST, request.method.c_str());
    }
    if (!request.is_repeatable) {
      is_sent_ = false;
      set(CURLOPT_PREREQFUNCTION, send_once);
      set(CURLOPT_PREREQDATA, &is_sent_);
    }
    if (request.accepts_compression) set(CURLOPT_ACCEPT_ENCODING, "");
    if (!request.headers.find("Accept")) headers.add("Accept", "*/*");
    headers.add(request.headers);
    headers.add(request.credentials);
    set(CURLOPT_HTTPHEADER, headers.get());
  }

  void set_connection(const HttpOptions& options) {
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_2TLS));
    set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(options.connect_timeout.count()));
    set(CURLOPT_TIMEOUT_MS, static_cast<long>(options.total_timeout.count()));
    set(CURLOPT_TCP_KEEPALIVE, 1L);
    set(CURLOPT_USERAGENT, options.user_agent.c_str());
    if (!options.ca_file.empty()) set(CURLOPT_CAINFO, options.ca_file.c_str());
  }

  // The handle is out of the set of running ones again however this ends.
  CURLcode run(const HttpOptions& options, const Cancellation& cancellation) {
    struct Running {
      CURLM* multi;
      CURL* easy;
      ~Running() { curl().multi_remove_handle(multi, easy); }
    };
    curl().multi_add_handle(multi_.get(), easy_.get());
    const Running running{multi_.get(), easy_.get()};
    // What must have moved before the time is over, for another one to begin.
    const curl_off_t least = std::max<curl_off_t>(
        1, options.least_bytes_per_second * options.idle_timeout.count() / 1'000);
    curl_off_t bytes = 0;
    SteadyClock::time_point moved = SteadyClock::now();
    while (true) {
      int active = 0;
      if (curl().multi_perform(multi_.get(), &active) != CURLM_OK) return CURLE_FAILED_INIT;
      if (active == 0) return result();
      cancellation.throw_if_cancelled();
      if (const curl_off_t now_bytes = bytes_moved(); now_bytes - bytes >= least) {
        bytes = now_bytes;
        moved = SteadyClock::now();
      }
      const auto left =
          std::chrono::ceil<milliseconds>(moved + options.idle_timeout - SteadyClock::now());
      if (left <= milliseconds(0)) return CURLE_OPERATION_TIMEDOUT;
      const auto wait = static_cast<int>(std::min(left, kPollInterval).count());
      if (curl().multi_poll(multi_.get(), nullptr, 0, wait, nullptr) != CURLM_OK) {
        return CURLE_FAILED_INIT;
      }
    }
  }

  CURLcode result() {
    int left = 0;
    while (const CURLMsg* message = curl().multi_info_read(multi_.get(), &left)) {
      if (message->msg == CURLMSG_DONE) return message->data.result;
    }
    return CURLE_FAILED_INIT;
  }

  curl_off_t bytes_moved() {
    curl_off_t down = 0;
    curl_off_t up = 0;
    long header = 0;
    curl_off_t connected = 0;
    curl().easy_getinfo(easy_.get(), CURLINFO_SIZE_DOWNLOAD_T, &down);
    curl().easy_getinfo(easy_.get(), CURLINFO_SIZE_UPLOAD_T, &up);
    curl().easy_getinfo(easy_.get(), CURLINFO_HEADER_SIZE, &header);
    curl().easy_getinfo(easy_.get(), CURLINFO_PRETRANSFER_TIME_T, &connected);
    return down + up + header + connected;
  }

  static std::string explain(CURLcode code, const char* message) {
    if (code == CURLE_ABORTED_BY_CALLBACK) return "the connection broke before an answer came";
    if (code == CURLE_OPERATION_TIMEDOUT && *message == '\0') return "no answer in time";
    return *message != '\0' ? message : curl().easy_strerror(code);
  }

  std::unique_ptr<CURLM, FreeMulti> multi_;
  std::unique_ptr<CURL, FreeEasy> easy_;
  bool is_sent_ = false;  // of a request that goes out once
};

bool is_redirect(int status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

// The request that follows the redirect of response; nothing when it is none.
std::optional<HttpRequest> redirected(const HttpRequest& request, const HttpResponse& response) {
  const auto location = response.headers.find("Location");
  if (!request.follows_redirects || !is_redirect(response.status) || !location) return std::nullopt;
  HttpRequest next = request;
  next.url = resolve_url(request.url, std::string(*location));
  if (url_origin(next.url) != url_origin(request.url)) next.credentials = {};
  // As browsers and Python's requests have it: only 307 and 308 repeat the method with its body.
  const bool becomes_get = response.status == 303
                               ? request.method != "HEAD"
                               : response.status < 303 && request.method == "POST";
  if (becomes_get) {
    next.method = "GET";
    next.body.clear();
  }
  return next;
}

class CurlClient final : public HttpClient {
 public:
  explicit CurlClient(HttpOptions options) : options_(std::move(options)) {}

  HttpResponse send(const HttpRequest& request, const Cancellation& cancellation) override try {
    std::unique_ptr<Channel> channel = take();
    HttpResponse response = channel->exchange(request, options_, cancellation);
    HttpRequest next = request;
    for (int hop = 0; const auto follow = redirected(next, response); ++hop) {
      if (hop == kMaxRedirects) {
        // The service sends round in circles; asking again would only lengthen them.
        throw Error(ErrorCode::kCorrupt, fmt::format("more than {} redirects", kMaxRedirects));
      }
      next = *follow;
      response = channel->exchange(next, options_, cancellation);
    }
    give_back(std::move(channel));
    return response;
  } catch (Error& error) {
    error.add_context(describe(request));
    throw;
  }

 private:
  std::unique_ptr<Channel> take() {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) return std::make_unique<Channel>();
    std::unique_ptr<Channel> channel = std::move(idle_.back());
    idle_.pop_back();
    return channel;
  }

  void give_back(std::unique_ptr<Channel> channel) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(channel));
  }

  const HttpOptions options_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Channel>> idle_;
};

}  // namespace

std::unique_ptr<HttpClient> make_http_client(HttpOptions options) {
  return std::make_unique<CurlClient>(std::move(options));
}

std::string resolve_url(const std::string& base, const std::string& reference) {
  const UrlHandle url = parse_url(base);
  const CURLUcode code =
      curl().url_set(url.get(), CURLUPART_URL, reference.c_str(), CURLU_URLENCODE);
  if (code != CURLUE_OK) {
    throw Error(ErrorCode::kInvalid, fmt::format("'{}' is no URL that can be requested: {}",
                                                 mask_url(reference), curl().url_strerror(code)));
  }
  curl().url_set(url.get(), CURLUPART_FRAGMENT, nullptr, 0);
  return url_part(url, CURLUPART_URL);
}

std::string url_origin(const std::string& url) { return origin_of(parse_url(url)); }

}  // namespace tidemark::net
