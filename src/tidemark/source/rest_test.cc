#include "tidemark/source/rest.h"

#include <gmock/gmock.h>

#include "tidemark/base/error.h"
#include "tidemark/net/loopback_server.h"
#include "tidemark/source/fake_extraction.h"
#include "tidemark/source/rest_repeats.h"

namespace tidemark::rest {
namespace {

using net::LoopbackServer;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using Answer = LoopbackServer::Answer;

class NoWaiting final : public Sleeper {
 public:
  void sleep(std::chrono::milliseconds time, const Cancellation& cancellation) override {
    cancellation.throw_if_cancelled();
    waits.push_back(time);
  }
  std::vector<std::chrono::milliseconds> waits;
};

class ClientTest : public testing::Test {
 protected:
  // Answers in this order, the last one again and again.
  void serve(std::vector<Answer> answers) {
    server_ = std::make_unique<LoopbackServer>(
        [answers = std::move(answers), at = size_t{0}](const LoopbackServer::Request&) mutable {
          return answers[std::min(at++, answers.size() - 1)];
        });
  }

  Client client(ClientOptions options = {}) {
    if (options.base_url.empty()) options.base_url = server_->url("/v1");
    options.transport = make_transport({.idle_timeout = std::chrono::milliseconds(50)});
    options.transport->sleeper = sleeper_;
    return Client(std::move(options));
  }

  std::vector<std::string> read(const Client& client, Endpoint endpoint) {
    for (const json::Page& page : client.paginate(extraction_, std::move(endpoint))) {
      extraction_.yield(page);
    }
    return extraction_.rows;
  }
  std::vector<std::string> read(Endpoint endpoint) { return read(client(), std::move(endpoint)); }

  Error error_of(const Client& client, Endpoint endpoint) {
    try {
      read(client, std::move(endpoint));
    } catch (const Error& error) {
      return error;
    }
    ADD_FAILURE() << "no error";
    return {ErrorCode::kInternal, ""};
  }
  Error error_of(Endpoint endpoint) { return error_of(client(), std::move(endpoint)); }

  std::unique_ptr<LoopbackServer> server_;
  source::FakeExtraction extraction_;
  std::shared_ptr<NoWaiting> sleeper_ = std::make_shared<NoWaiting>();
};

TEST_F(ClientTest, JoinsBaseAndPathAndEncodesParameters) {
  serve({{.body = "[]"}});
  read(client(), {.path = "/a b/{x}",
                  .params = {{"since", "2024-01-01T00:00:00+00:00"},
                             {"none", nullptr},
                             {"ids", json::Array{1, 2}},
                             {"all", true}}});
  read(client({.base_url = server_->url("/v1///")}), {.path = "r"});
  read(client({.base_url = server_->url("/v1")}), {});
  read(client({.base_url = "http://elsewhere.invalid"}), {.path = server_->url("/whole?a=%2F")});
  EXPECT_THAT(
      server_->targets(),
      ElementsAre("/v1/a%20b/%7Bx%7D?since=2024-01-01T00%3A00%3A00%2B00%3A00&ids=1&ids=2&all=true",
                  "/v1/r", "/v1", "/whole?a=%2F"));
}

TEST_F(ClientTest, SendsJsonAndForms) {
  serve({{.body = "[]"}});
  read({.path = "s", .method = "POST", .json = json::Object{{"q", 1}}});
  read({.path = "s", .method = "POST", .data = json::Object{{"q", "a b"}, {"n", 1}}});
  read({.path = "s", .method = "POST", .data = "raw"});
  const auto requests = server_->requests();
  EXPECT_EQ(requests[0].body, "{\"q\":1}");
  EXPECT_EQ(requests[0].headers.find("content-type"), "application/json");
  EXPECT_EQ(requests[1].body, "q=a%20b&n=1");
  EXPECT_EQ(requests[1].headers.find("content-type"), "application/x-www-form-urlencoded");
  EXPECT_EQ(requests[2].body, "raw");
  EXPECT_EQ(error_of({.json = 1, .data = 1}).code(), ErrorCode::kInvalid);
}

TEST_F(ClientTest, HeadersOfTheCallOverlayThoseOfTheClient) {
  serve({{.body = "[]"}});
  read(client({.headers = {{"X-A", "client"}, {"X-B", "client"}}}), {.headers = {{"x-a", "call"}}});
  EXPECT_EQ(server_->requests()[0].headers.find("X-A"), "call");
  EXPECT_EQ(server_->requests()[0].headers.find("X-B"), "client");
}

TEST_F(ClientTest, LinkInTheBodyIsUsedAsItIs) {
  serve({{.body = R"({"data": [1], "next": "/r?page=2&p=1"})"}, {.body = R"({"data": [2]})"}});
  EXPECT_THAT(read({.path = "r", .params = {{"p", 1}}, .paginator = json_link()}),
              ElementsAre("1", "2"));
  EXPECT_THAT(server_->targets(), ElementsAre("/v1/r?p=1", "/r?page=2&p=1"));
}

TEST_F(ClientTest, LinkHeaderAloneIsDetected) {
  serve({{.headers = {{"Link", "</v1/m?after=1>; rel=\"next\", </v1/m>; rel=\"first\""}},
          .body = R"({"members": [1]})"},
         {.body = R"({"members": [2]})"}});
  EXPECT_THAT(read({.path = "m"}), ElementsAre("1", "2"));
  EXPECT_THAT(extraction_.warnings, IsEmpty());
  EXPECT_THAT(server_->targets(), ElementsAre("/v1/m", "/v1/m?after=1"));
}

TEST_F(ClientTest, OffsetPagingEndsAtTheFirstEmptyPage) {
  serve({{.body = "[1,2]"}, {.body = "[3,4]"}, {.body = "[]"}});
  EXPECT_THAT(read({.path = "r", .paginator = offset({.limit = 2, .total_path = std::nullopt})}),
              SizeIs(4));
  EXPECT_THAT(server_->targets(), SizeIs(3));
}

TEST_F(ClientTest, NullTotalIsOneWarning) {
  serve(
      {{.body = R"({"rows": [1,2], "total": null})"}, {.body = R"({"rows": [], "total": null})"}});
  EXPECT_THAT(read({.path = "r", .paginator = offset({.limit = 2})}), SizeIs(2));
  EXPECT_THAT(extraction_.warnings, ElementsAre(HasSubstr("total")));
}

TEST_F(ClientTest, MoreFlagEndsThePaging) {
  serve({{.body = R"({"rows": [1], "more": true})"}, {.body = R"({"rows": [2], "more": false})"}});
  EXPECT_THAT(
      read({.path = "r",
            .paginator = page_number({.total_path = std::nullopt, .has_more_path = "more"})}),
      ElementsAre("1", "2"));
  EXPECT_THAT(server_->targets(), SizeIs(2));
}

TEST_F(ClientTest, TokenInAHeaderIsSentBack) {
  serve({{.headers = {{"next", "t2"}}, .body = "[1]"}, {.body = "[2]"}});
  EXPECT_THAT(read({.path = "r", .paginator = header_cursor({})}), ElementsAre("1", "2"));
  EXPECT_THAT(server_->targets(), ElementsAre("/v1/r", "/v1/r?cursor=t2"));
}

TEST_F(ClientTest, ATokenThatRepeatsIsAnError) {
  serve({{.body = R"({"data": [1], "t": "x"})"}});
  const Error error = error_of({.path = "r", .paginator = cursor({.cursor_path = "t"})});
  EXPECT_THAT(error.message(), AllOf(HasSubstr("page 3"), HasSubstr("read before")));
  EXPECT_THAT(server_->targets(), SizeIs(2));
}

TEST_F(ClientTest, LinksInACircleAreAnError) {
  serve({{.body = R"({"data": [1], "next": "/v1/b"})"},
         {.body = R"({"data": [2], "next": "/v1/c"})"},
         {.body = R"({"data": [3], "next": "/v1/b"})"}});
  EXPECT_THAT(error_of({.path = "a", .paginator = json_link()}).message(),
              HasSubstr("read before"));
  EXPECT_THAT(extraction_.rows, ElementsAre("1", "2", "3"));
}

TEST_F(ClientTest, AServiceThatIgnoresTheOffsetIsAnError) {
  serve({{.body = R"({"offset": 0, "rows": [{"id": 1}, {"id": 2}]})"},
         {.body = R"({"offset": 200, "rows": [{"id": 1}, {"id": 2}]})"}});
  const Error error =
      error_of({.path = "r", .paginator = offset({.limit = 2, .total_path = std::nullopt})});
  EXPECT_THAT(error.message(),
              AllOf(HasSubstr("same rows"), HasSubstr("page 2"), HasSubstr("offset=2")));
  EXPECT_THAT(server_->targets(), SizeIs(2));
  EXPECT_THAT(extraction_.rows, SizeIs(2));
}

TEST_F(ClientTest, GuessedPageNumbersAreWatchedFromTheFirstPage) {
  serve({{.body = R"({"rows": [1], "pages": 3})"}});
  EXPECT_THAT(error_of({.path = "r"}).message(), HasSubstr("base_page"));
  EXPECT_THAT(extraction_.warnings, ElementsAre(HasSubstr("guessed")));
}

TEST_F(ClientTest, ASinglePageIsAGuessOnlyWhereRowsComeInAnObject) {
  for (const char* body : {"[1]", "{\"id\": 1}", "{\"rows\": [1], \"page\": {\"next\": null}}"}) {
    serve({{.body = body}});
    read({.path = "r"});
    EXPECT_THAT(extraction_.warnings, IsEmpty()) << body;
  }
  serve({{.body = "{\"rows\": [1], \"count\": 500}"}});
  read({.path = "r"});
  EXPECT_THAT(extraction_.warnings, ElementsAre(HasSubstr("without a sign of a next page")));
}

TEST_F(ClientTest, RowsThatNeighbouringPagesRepeatCountOnce) {
  serve({{.body = R"({"data": [{"id":1,"v":1},{"id":2,"v":1},{"id":3,"v":1}], "next": "/2"})"},
         {.body = R"({"data": [{"id":3,"v":1},{"id":2,"v":9},{"id":4,"v":1}], "next": "/3"})"},
         {.body = R"({"data": [{"id":4,"v":1},{"id":1,"v":1}]})"}});
  EXPECT_THAT(read({.path = "r", .paginator = json_link(), .row_key = {"id"}}),
              ElementsAre(R"({"id":1,"v":1})", R"({"id":2,"v":1})", R"({"id":3,"v":1})",
                          R"({"id":2,"v":9})", R"({"id":4,"v":1})", R"({"id":1,"v":1})"));
  EXPECT_THAT(extraction_.warnings, ElementsAre(HasSubstr("2 rows left out")));
}

TEST_F(ClientTest, TimeOutsAndDroppedConnectionsAreTriedAgain) {
  serve(
      {{.is_held = true}, {.body = "[1", .claimed_length = 10}, {.status = 503}, {.body = "[1]"}});
  EXPECT_THAT(read({.path = "r"}), ElementsAre("1"));
  EXPECT_THAT(extraction_.warnings, SizeIs(3));
  EXPECT_THAT(sleeper_->waits, SizeIs(3));
  EXPECT_THAT(extraction_.warnings[2],
              AllOf(HasSubstr("503"), HasSubstr("attempt 4 follows in 4.0 s")));
}

TEST_F(ClientTest, CancellationEndsTheWaitForAnotherAttempt) {
  serve({{.status = 503}});
  extraction_.cancelled.cancel();
  EXPECT_EQ(error_of({.path = "r"}).code(), ErrorCode::kCancelled);
}

TEST_F(ClientTest, StatusErrorsNameRequestPageAndWhatTheServiceSaid) {
  struct Case {
    int status;
    ErrorCode code;
  };
  for (const auto& [status, code] :
       {Case{401, ErrorCode::kUnauthorized}, Case{403, ErrorCode::kUnauthorized},
        Case{404, ErrorCode::kNotFound}, Case{422, ErrorCode::kInvalid},
        Case{500, ErrorCode::kUnavailable}}) {
    serve({{.body = R"({"data": [1], "next": "/2?token=t0k3n"})"},
           {.status = status, .body = "no\nway, s3cr3t, t0k3n"}});
    const Error error = error_of(client({.auth = bearer(Secret("s3cr3t"))}),
                                 {.path = "r", .paginator = json_link()});
    EXPECT_EQ(error.code(), code);
    EXPECT_THAT(
        error.message(),
        AllOf(HasSubstr("page 2: GET http://127.0.0.1"), HasSubstr("/2?token=***"),
              HasSubstr("status " + std::to_string(status)), HasSubstr("no way, ***, ***")));
  }
}

TEST_F(ClientTest, BodiesThatAreNoJsonAreErrors) {
  for (const char* body : {"", " \n", "<html>", "[1,2", "[1] 2"}) {
    serve({{.body = body}});
    const Error error = error_of({.path = "r"});
    EXPECT_EQ(error.code(), ErrorCode::kCorrupt) << body;
    EXPECT_THAT(error.message(), AllOf(HasSubstr("page 1: GET http"), HasSubstr("status 200")));
  }
}

TEST_F(ClientTest, AByteOrderMarkIsPassedOver) {
  serve({{.body = "\xEF\xBB\xBF[1]"}});
  EXPECT_THAT(read({}), ElementsAre("1"));
}

TEST_F(ClientTest, NoContentIsAnEmptyPage) {
  serve({{.status = 204}});
  EXPECT_THAT(read({.path = "r"}), IsEmpty());
}

TEST_F(ClientTest, IgnoredAnswersEndTheRoundBeforeAnyRetry) {
  serve({{.body = R"({"data": [1], "next": "/2"})"}, {.status = 503, .body = "gone fishing"}});
  EXPECT_THAT(read({.path = "r",
                    .paginator = json_link(),
                    .response_actions = {{.status_code = 404},
                                         {.status_code = 503, .content = "fishing"}}}),
              ElementsAre("1"));
  EXPECT_THAT(server_->targets(), SizeIs(2));
  EXPECT_EQ(error_of({.response_actions = {{.status_code = 503, .content = "hunting"}}}).code(),
            ErrorCode::kUnavailable);
}

TEST_F(ClientTest, SelectorsFindRowsAsDltDoes) {
  struct Case {
    const char* body;
    const char* selector;
    std::vector<std::string> rows;
  };
  for (const auto& [body, selector, rows] : {
           Case{"[1,2]", "$", {"1", "2"}},
           Case{"{\"id\": 1}", "$", {"{\"id\":1}"}},
           Case{"{\"a\": [{\"b\": 1}, {\"b\": 2}]}", "a[*].b", {"1", "2"}},
           Case{"{\"a\": [{\"b\": [1, 2]}]}", "a[*].b", {"1", "2"}},
           Case{"{\"a\": 7}", "a", {"7"}},
           Case{"7", "$", {"7"}},
       }) {
    serve({{.body = body}});
    extraction_.rows.clear();
    EXPECT_EQ(read({.paginator = single_page(), .data_selector = selector}), rows) << body;
    EXPECT_THAT(extraction_.warnings, IsEmpty());
  }
}

TEST_F(ClientTest, ASelectorThatFindsNothingIsAWarning) {
  serve({{.body = "{\"rows\": null}"}});
  read({.paginator = single_page(), .data_selector = "items"});
  read({.paginator = single_page(), .data_selector = "rows"});
  EXPECT_THAT(extraction_.warnings,
              ElementsAre(HasSubstr("'items' finds nothing"), HasSubstr("'rows' finds null")));
}

TEST_F(ClientTest, CredentialsStayAtTheBaseUrl) {
  LoopbackServer other(
      [](const LoopbackServer::Request&) { return Answer{.body = R"({"data": [2]})"}; });
  serve({{.body = R"({"data": [1], "next": ")" + other.url("/2") + "\"}"}});
  const Client keyed = client(
      {.headers = {{"X-Token", "t"}, {"Accept", "application/x"}}, .auth = bearer(Secret("s"))});
  EXPECT_THAT(read(keyed, {.path = "r", .paginator = json_link()}), ElementsAre("1", "2"));
  EXPECT_EQ(server_->requests()[0].headers.find("Authorization"), "Bearer s");
  EXPECT_EQ(server_->requests()[0].headers.find("X-Token"), "t");
  const auto request = other.requests().at(0);
  EXPECT_EQ(request.headers.find("Authorization"), std::nullopt);
  EXPECT_EQ(request.headers.find("X-Token"), std::nullopt);
  EXPECT_EQ(request.headers.find("Accept"), "application/x");
  EXPECT_THAT(extraction_.warnings, ElementsAre(HasSubstr("without credentials")));
}

TEST_F(ClientTest, AnEndpointsOwnAuthGoesToItsUrl) {
  serve({{.body = "[]"}});
  read(client({.base_url = "http://elsewhere.invalid", .auth = bearer(Secret("client"))}),
       {.path = server_->url("/x"), .auth = bearer(Secret("own"))});
  EXPECT_EQ(server_->requests()[0].headers.find("Authorization"), "Bearer own");
}

TEST_F(ClientTest, APageKnowsWhereItCameFrom) {
  serve({{.body = "[1]"}});
  Pages pages = client().paginate(extraction_, "r", {{"token", "t0p"}});
  const auto page = pages.next();
  ASSERT_TRUE(page);
  EXPECT_THAT(page->origin(), AllOf(HasSubstr("/v1/r?token=***"), HasSubstr("page 1")));
  EXPECT_FALSE(pages.next());
  EXPECT_FALSE(pages.next());
}

TEST(IsSame, ComparesContentAndOrder) {
  const auto same = [](std::string_view a, std::string_view b) {
    const auto first = json::Parser().parse_document(json::Buffer(a));
    const auto second = json::Parser().parse_document(json::Buffer(b));
    return is_same(first->root(), second->root());
  };
  EXPECT_TRUE(
      same(R"({"a":[1,"x",null,true,1.5,{}]})", R"( {"a": [1, "x", null, true, 1.5, {}]})"));
  for (const char* other : {"[]", "[1,2,3]", "[1]", "[1,3]", "[1,\"2\"]", "[1,2.0]", "{}"}) {
    EXPECT_FALSE(same("[1,2]", other)) << other;
  }
  EXPECT_FALSE(same(R"({"a":1,"b":2})", R"({"b":2,"a":1})"));
}

}  // namespace
}  // namespace tidemark::rest
