#include "tidemark/blob/session.h"

#include <gtest/gtest.h>

#include "tidemark/blob/fake_cloud.h"

namespace tidemark::blob {
namespace {

using std::chrono::microseconds;
using std::chrono::minutes;
using std::chrono::seconds;

class NumberedTokens final : public TokenSource {
 public:
  AccessToken fetch() override { return {Secret(std::to_string(++count_)), seconds(3600)}; }

 private:
  int count_ = 0;
};

// Signs the time.
class TimeSigner final : public Signer {
 public:
  void sign(net::HttpRequest& request, Time now) override {
    request.credentials.set("Time", std::to_string(now.time_since_epoch() / seconds(1)));
  }
  bool may_sign_again(const net::HttpRequest&, int, microseconds skew) override {
    return std::chrono::abs(skew) > minutes(1);
  }
};

net::HttpResponse send(Session& session) {
  net::HttpRequest request;
  return session.send(request);
}

std::string sent(const FakeCloud& cloud, size_t request, std::string_view name) {
  return std::string(cloud.http.requests.at(request).credentials.find(name).value_or(""));
}

TEST(Session, RenewsARefusedTokenOnce) {
  FakeCloud cloud;
  Session session(cloud.environment(),
                  make_bearer_signer(std::make_unique<NumberedTokens>(), cloud.clock));
  cloud.http.answer = [&](const net::HttpRequest& request) {
    return http_answer(request.credentials.find("Authorization") == "Bearer 2" ? 200 : 401);
  };
  EXPECT_EQ(send(session).status, 200);
  EXPECT_EQ(sent(cloud, 0, "Authorization"), "Bearer 1");
  EXPECT_EQ(sent(cloud, 1, "Authorization"), "Bearer 2");
  EXPECT_EQ(send(session).status, 200);
  EXPECT_EQ(cloud.http.requests.size(), 3u);

  cloud.http.answer = [](const net::HttpRequest&) { return http_answer(401); };
  EXPECT_EQ(send(session).status, 401);
  EXPECT_EQ(cloud.http.requests.size(), 5u);
}

TEST(Session, ForbiddenIsFinalForAToken) {
  FakeCloud cloud;
  Session session(cloud.environment(),
                  make_bearer_signer(std::make_unique<NumberedTokens>(), cloud.clock));
  cloud.http.answer = [](const net::HttpRequest&) { return http_answer(403); };
  EXPECT_EQ(send(session).status, 403);
  EXPECT_EQ(cloud.http.requests.size(), 1u);
}

TEST(Session, SignsByTheServicesClockOnceItsOwnGotItRefused) {
  FakeCloud cloud;
  Session session(cloud.environment(), std::make_unique<TimeSigner>());
  cloud.http.answer = [](const net::HttpRequest& request) {
    const bool is_right = request.credentials.find("Time") == "1767229200";
    return http_answer(is_right ? 200 : 403, "", {{"Date", "Thu, 01 Jan 2026 01:00:00 GMT"}});
  };
  EXPECT_EQ(send(session).status, 200);
  EXPECT_EQ(sent(cloud, 0, "Time"), "1767225600");
  EXPECT_EQ(sent(cloud, 1, "Time"), "1767229200");
  EXPECT_EQ(send(session).status, 200);
  EXPECT_EQ(cloud.http.requests.size(), 3u);
}

// The first of two is refused, and before it hears of that the second one is.
TEST(Session, TwoThatAreRefusedAtOnceCorrectTheClockOnce) {
  FakeCloud cloud;
  Session session(cloud.environment(), std::make_unique<TimeSigner>());
  bool is_first = true;
  cloud.http.answer = [&](const net::HttpRequest& request) {
    if (std::exchange(is_first, false)) {
      EXPECT_EQ(send(session).status, 200);
    }
    const bool is_right = request.credentials.find("Time") == "1767229200";
    return http_answer(is_right ? 200 : 403, "", {{"Date", "Thu, 01 Jan 2026 01:00:00 GMT"}});
  };
  EXPECT_EQ(send(session).status, 200);
  EXPECT_EQ(send(session).status, 200);
  EXPECT_EQ(cloud.http.requests.size(), 5u) << "two that were refused, and each was right then";
}

TEST(Session, ADifferenceOfClocksThatHarmsNobodyChangesNothing) {
  FakeCloud cloud;
  Session session(cloud.environment(), std::make_unique<TimeSigner>());
  cloud.http.answer = [](const net::HttpRequest&) {
    return http_answer(200, "", {{"Date", "Thu, 01 Jan 2026 01:00:00 GMT"}});
  };
  (void)send(session);
  (void)send(session);
  EXPECT_EQ(sent(cloud, 1, "Time"), "1767225600");
}

TEST(Session, TellsTheServicesTime) {
  FakeCloud cloud;
  Session session(cloud.environment(), make_anonymous_signer());
  EXPECT_EQ(session.service_time(), std::nullopt);
  cloud.http.answer = [](const net::HttpRequest&) {
    return http_answer(404, "", {{"Date", "Thu, 01 Jan 2026 01:00:00 GMT"}});
  };
  (void)send(session);
  cloud.clock.advance(seconds(5));
  EXPECT_EQ(session.service_time(), Time(seconds(1'767'229'205)));
  cloud.http.answer = [](const net::HttpRequest&) { return http_answer(200, "", {{"Date", "x"}}); };
  (void)send(session);
  EXPECT_EQ(session.service_time(), Time(seconds(1'767'229'205)));
}

}  // namespace
}  // namespace tidemark::blob
