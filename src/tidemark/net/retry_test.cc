#include "tidemark/net/retry.h"

#include <deque>
#include <variant>

#include <gmock/gmock.h>

#include "tidemark/base/error.h"

namespace tidemark::net {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;

HttpResponse answer(int status, Headers headers = {}) {
  HttpResponse response;
  response.status = status;
  response.headers = std::move(headers);
  return response;
}

class ScriptedClient final : public HttpClient {
 public:
  std::deque<std::variant<HttpResponse, Error>> script;
  int calls = 0;

  HttpResponse send(const HttpRequest&, const Cancellation&) override {
    ++calls;
    auto next = std::move(script.front());
    script.pop_front();
    if (auto* error = std::get_if<Error>(&next)) throw Error(*error);
    return std::get<HttpResponse>(std::move(next));
  }
};

class RecordingSleeper final : public Sleeper {
 public:
  std::vector<milliseconds> slept;

  void sleep(milliseconds time, const Cancellation& cancellation) override {
    cancellation.throw_if_cancelled();
    slept.push_back(time);
  }
};

class RetryingHttpClientTest : public testing::Test {
 protected:
  HttpResponse send(HttpRequest request = {.url = "http://h/x?token=t0p"}) {
    RetryingHttpClient client(
        {inner_, clock_, sleeper_}, policy_,
        [this](const Retry& retry) { retries_.push_back(retry.reason); }, is_final_);
    return client.send(request, cancellation_);
  }
  void script(auto... steps) { (inner_.script.emplace_back(std::move(steps)), ...); }

  ScriptedClient inner_;
  ManualClock clock_{std::chrono::sys_days(std::chrono::year(2026) / 1 / 2)};
  RecordingSleeper sleeper_;
  RetryPolicy policy_;
  RetryingHttpClient::IsFinal is_final_;
  Cancellation cancellation_;
  std::vector<std::string> retries_;
};

TEST_F(RetryingHttpClientTest, ReturnsAGoodAnswerAtOnce) {
  script(answer(200));
  EXPECT_EQ(send().status, 200);
  EXPECT_TRUE(sleeper_.slept.empty());
}

TEST_F(RetryingHttpClientTest, TimeOutAndDroppedConnectionAreTriedAgainAndReported) {
  script(Error(ErrorCode::kTimeout, "no answer in time"), Error(ErrorCode::kUnavailable, "reset"),
         answer(200));
  EXPECT_EQ(send().status, 200);
  EXPECT_THAT(sleeper_.slept, ElementsAre(seconds(1), seconds(2)));
  EXPECT_THAT(retries_, ElementsAre("no answer in time", "reset"));
}

TEST_F(RetryingHttpClientTest, WaitsTwiceAsLongEachTimeAndReturnsTheLastAnswer) {
  script(answer(500), answer(502), answer(503), answer(429), answer(599));
  EXPECT_EQ(send().status, 599);
  EXPECT_THAT(sleeper_.slept, ElementsAre(seconds(1), seconds(2), seconds(4), seconds(8)));
  EXPECT_EQ(retries_.front(), "GET http://h/x?token=***: status 500");
}

TEST_F(RetryingHttpClientTest, ThrowsTheLastErrorAfterTheLastAttempt) {
  policy_.attempts = 2;
  script(Error(ErrorCode::kTimeout, "first"), Error(ErrorCode::kTimeout, "second"));
  try {
    send();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.message(), "second");
  }
}

TEST_F(RetryingHttpClientTest, OtherAnswersAndErrorsAreFinal) {
  for (const int status : {200, 301, 400, 401, 403, 404, 408}) {
    script(answer(status));
    EXPECT_EQ(send().status, status);
  }
  for (const ErrorCode code :
       {ErrorCode::kInternal, ErrorCode::kUnauthorized, ErrorCode::kInvalid}) {
    script(Error(code, "no"));
    EXPECT_THROW(send(), Error);
  }
  EXPECT_TRUE(sleeper_.slept.empty());
}

TEST_F(RetryingHttpClientTest, RetryAfterReplacesTheWait) {
  script(answer(429, {{"retry-after", "7"}}), answer(503, {{"Retry-After", "99999999999999"}}),
         answer(503, {{"Retry-After", "Fri, 02 Jan 2026 00:01:30 GMT"}}),
         answer(503, {{"Retry-After", "Thu, 01 Jan 2026 00:00:00 GMT"}}), answer(200));
  send();
  EXPECT_THAT(sleeper_.slept, ElementsAre(seconds(7), seconds(300), seconds(90), seconds(8)));
}

TEST_F(RetryingHttpClientTest, RetryAfterOfNothingIsIgnored) {
  for (const char* value : {"0", "-5", "soon", "", "Fri, 99 Foo 2026 00:00:00 GMT"}) {
    script(answer(429, {{"Retry-After", value}}), answer(200));
    send();
  }
  EXPECT_THAT(sleeper_.slept, testing::Each(seconds(1)));
}

TEST_F(RetryingHttpClientTest, FactorScalesTheWaitAndTheLongestBoundsIt) {
  policy_ = {.attempts = 4, .backoff_factor = 150, .max_wait = seconds(300)};
  script(answer(500), answer(500), answer(500), answer(200));
  send();
  EXPECT_THAT(sleeper_.slept, ElementsAre(seconds(150), seconds(300), seconds(300)));
}

TEST_F(RetryingHttpClientTest, AnAnswerTheCallerWantsIsFinal) {
  is_final_ = [](const HttpResponse& response) { return response.status == 503; };
  script(answer(503));
  EXPECT_EQ(send().status, 503);
}

TEST_F(RetryingHttpClientTest, WhatMustNotBeRepeatedIsSentOnce) {
  script(answer(503));
  EXPECT_EQ(send({.method = "PUT", .url = "http://h/x", .is_repeatable = false}).status, 503);
  EXPECT_EQ(inner_.calls, 1);
}

TEST_F(RetryingHttpClientTest, CancellationEndsTheWait) {
  script(answer(503), answer(200));
  cancellation_.cancel();
  try {
    send();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kCancelled);
  }
  EXPECT_EQ(inner_.calls, 1);
}

TEST(SystemSleeper, DoesNotSleepOnceCancelled) {
  Cancellation cancellation;
  cancellation.cancel();
  EXPECT_THROW(SystemSleeper().sleep(std::chrono::hours(1), cancellation), Error);
}

}  // namespace
}  // namespace tidemark::net
