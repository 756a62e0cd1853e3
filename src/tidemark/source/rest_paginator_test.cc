#include "tidemark/source/rest_paginator.h"

#include <utility>

#include <gmock/gmock.h>

#include "tidemark/base/error.h"
#include "tidemark/json/page.h"
#include "tidemark/json/write.h"

namespace tidemark::rest {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

struct Step {
  const char* body;
  size_t row_count = 2;
  net::Headers headers{};
};

class PaginatorTest : public testing::Test {
 protected:
  // What is asked for when the service answers so, page by page: params, or the URL when it
  // changed, or the JSON body.
  std::vector<std::string> requests(const PaginatorPtr& prototype, const std::vector<Step>& steps,
                                    Request request = {.url = "http://h/v1/r"}) {
    const auto paginator = prototype->clone();
    paginator->start(request);
    std::vector<std::string> asked = {show(request)};
    for (const Step& step : steps) {
      const auto document =
          json::Parser().parse_document(json::Buffer(std::string_view(step.body)));
      net::HttpResponse response;
      response.headers = step.headers;
      const Answer answer{response, document->root(), step.row_count, warn_};
      if (!paginator->advance(answer, request)) {
        asked.emplace_back("end");
        break;
      }
      asked.push_back(show(request));
    }
    return asked;
  }
  std::string error_of(const PaginatorPtr& prototype, const Step& step) {
    try {
      requests(prototype, {step});
    } catch (const Error& error) {
      return error.message();
    }
    return "no error";
  }

  std::vector<std::string> warnings_;

 private:
  static std::string show(const Request& request) {
    if (!request.json.is_null()) return json::write(request.json);
    const std::string params = json::write(request.params);
    return request.url == "http://h/v1/r" ? params : request.url + params;
  }
  const std::function<void(std::string)> warn_ = [this](std::string text) {
    warnings_.push_back(std::move(text));
  };
};

TEST_F(PaginatorTest, SinglePageEndsAtOnce) {
  EXPECT_THAT(requests(single_page(), {{"{\"next\": \"/2\"}"}}), ElementsAre("{}", "end"));
}

TEST_F(PaginatorTest, PageNumberStopsAtTheTotal) {
  const Step step{"{\"total\": 3}"};
  EXPECT_THAT(requests(page_number({}), {step, step, step}),
              ElementsAre("{\"page\":0}", "{\"page\":1}", "{\"page\":2}", "end"));
  EXPECT_THAT(requests(page_number({.base_page = 1}), {step, step, step}),
              ElementsAre("{\"page\":1}", "{\"page\":2}", "{\"page\":3}", "end"));
  EXPECT_THAT(requests(page_number({.page = 2, .page_param = "p"}), {step}),
              ElementsAre("{\"p\":2}", "end"));
  EXPECT_THAT(
      requests(page_number({.total_path = "meta.pages"}), {{"{\"meta\": {\"pages\": \"1\"}}"}}),
      ElementsAre("{\"page\":0}", "end"));
}

TEST_F(PaginatorTest, OffsetStopsAtTheTotalOfRows) {
  const Step step{"{\"total\": 5}"};
  EXPECT_THAT(requests(offset({.limit = 2}), {step, step, step}),
              ElementsAre("{\"offset\":0,\"limit\":2}", "{\"offset\":2,\"limit\":2}",
                          "{\"offset\":4,\"limit\":2}", "end"));
  EXPECT_THAT(
      requests(offset({.limit = 2, .offset = 4, .offset_param = "skip", .limit_param = "take"}),
               {step}),
      ElementsAre("{\"skip\":4,\"take\":2}", "end"));
}

TEST_F(PaginatorTest, OffsetStopsAtTheFirstEmptyPage) {
  const OffsetOptions options{.limit = 2, .total_path = std::nullopt};
  EXPECT_THAT(requests(offset(options), {{"{}"}, {"{}"}, {"{}", 0}}),
              ElementsAre("{\"offset\":0,\"limit\":2}", "{\"offset\":2,\"limit\":2}",
                          "{\"offset\":4,\"limit\":2}", "end"));
  EXPECT_THAT(warnings_, SizeIs(0));
}

TEST_F(PaginatorTest, MaximumStops) {
  EXPECT_THAT(requests(page_number({.maximum_page = 2}), {{"{\"total\": 9}"}, {"{\"total\": 9}"}}),
              ElementsAre("{\"page\":0}", "{\"page\":1}", "end"));
  EXPECT_THAT(requests(offset({.limit = 2, .total_path = std::nullopt, .maximum_offset = 3}),
                       {{"{}"}, {"{}"}}),
              ElementsAre("{\"offset\":0,\"limit\":2}", "{\"offset\":2,\"limit\":2}", "end"));
}

TEST_F(PaginatorTest, MoreFlagStopsAndDoesNotOverrideTheMaximum) {
  const PageNumberOptions options{
      .total_path = std::nullopt, .maximum_page = 3, .has_more_path = "more"};
  EXPECT_THAT(requests(page_number(options), {{"{\"more\": true}"}, {"{\"more\": false}"}}),
              ElementsAre("{\"page\":0}", "{\"page\":1}", "end"));
  const Step more{"{\"more\": \"True\"}"};
  EXPECT_THAT(requests(page_number(options), {more, more, more}),
              ElementsAre("{\"page\":0}", "{\"page\":1}", "{\"page\":2}", "end"));
}

TEST_F(PaginatorTest, UnknownTotalIsIgnoredWhenAnotherRuleEndsThePaging) {
  EXPECT_THAT(
      requests(offset({.limit = 2}), {{"{\"total\": null}"}, {"{}"}, {"{\"total\": null}", 0}}),
      ElementsAre("{\"offset\":0,\"limit\":2}", "{\"offset\":2,\"limit\":2}",
                  "{\"offset\":4,\"limit\":2}", "end"));
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("total_path 'total' finds nothing")));
}

TEST_F(PaginatorTest, AnswersWithoutWhatWasConfiguredAreErrors) {
  EXPECT_THAT(error_of(page_number({.stop_after_empty_page = false}), {"{}"}),
              HasSubstr("total_path 'total' finds nothing"));
  EXPECT_THAT(error_of(page_number({}), {"{\"total\": \"many\"}"}), HasSubstr("no whole number"));
  EXPECT_THAT(error_of(page_number({.has_more_path = "more"}), {"{\"total\": 5}"}),
              HasSubstr("has_more_path 'more'"));
  EXPECT_THAT(error_of(page_number({.has_more_path = "more"}), {"{\"total\": 5, \"more\": 1}"}),
              HasSubstr("has_more_path 'more'"));
  EXPECT_THAT(error_of(json_link(), {"{\"next\": 5}"}), HasSubstr("no link"));
}

TEST_F(PaginatorTest, OptionsThatContradictEachOtherAreErrors) {
  EXPECT_THROW(page_number({.total_path = std::nullopt, .stop_after_empty_page = false}), Error);
  EXPECT_THROW(page_number({.page_param = "p", .page_body_path = "b"}), Error);
  EXPECT_THROW(offset({}), Error);
  EXPECT_THROW(cursor({.cursor_param = "c", .cursor_body_path = "b"}), Error);
}

TEST_F(PaginatorTest, BodyPathsMakeObjectsOnTheWay) {
  EXPECT_THAT(
      requests(
          offset({.limit = 2, .offset_body_path = "page.from", .limit_body_path = "page.size"}),
          {{"{\"total\": 4}"}}),
      ElementsAre("{\"page\":{\"from\":0,\"size\":2}}", "{\"page\":{\"from\":2,\"size\":2}}"));
  Request request{.url = "http://h/v1/r", .json = json::Object{{"q", "x"}}};
  EXPECT_THAT(requests(cursor({.cursor_path = "t", .cursor_body_path = "after"}), {{"{\"t\": 7}"}},
                       request),
              ElementsAre("{\"q\":\"x\"}", "{\"q\":\"x\",\"after\":7}"));
}

TEST_F(PaginatorTest, LinksReplaceUrlAndParameters) {
  const Request request{.url = "http://h/v1/r", .params = json::Object{{"p", 1}}};
  EXPECT_THAT(
      requests(json_link(), {{"{\"next\": \"/r?page=2&p=1\"}"}, {"{\"next\": null}"}}, request),
      ElementsAre("{\"p\":1}", "http://h/r?page=2&p=1{}", "end"));
  EXPECT_THAT(requests(json_link("a.b"),
                       {{"{\"a\": {\"b\": \"http://o/x\"}}"}, {"{\"a\": {\"b\": \"\"}}"}}),
              ElementsAre("{}", "http://o/x{}", "end"));
  EXPECT_THAT(
      requests(header_link(), {{"[]", 2, {{"Link", "<?page=2>; rel=next"}}}, {"[]"}}, request),
      ElementsAre("{\"p\":1}", "http://h/v1/r?page=2{}", "end"));
  EXPECT_THAT(requests(header_link("more"), {{"[]", 2, {{"Link", "</m>; rel=more"}}}}),
              ElementsAre("{}", "http://h/m{}"));
}

TEST_F(PaginatorTest, CursorsAreSentUntilThereIsNone) {
  EXPECT_THAT(requests(cursor({}),
                       {{"{\"cursors\": {\"next\": \"a\"}}"}, {"{\"cursors\": {\"next\": \"\"}}"}}),
              ElementsAre("{}", "{\"cursor\":\"a\"}", "end"));
  for (const char* nothing :
       {"{}", "{\"t\": null}", "{\"t\": 0}", "{\"t\": false}", "{\"t\": []}"}) {
    EXPECT_THAT(requests(cursor({.cursor_path = "t"}), {{nothing}}), ElementsAre("{}", "end"))
        << nothing;
  }
  EXPECT_THAT(
      requests(cursor({.cursor_path = "t", .stop_after_empty_page = true}), {{"{\"t\": 5}", 0}}),
      ElementsAre("{}", "end"));
  EXPECT_THAT(requests(cursor({.cursor_path = "t", .has_more_path = "more"}),
                       {{"{\"t\": 5, \"more\": true}"}, {"{\"t\": 6, \"more\": false}"}}),
              ElementsAre("{}", "{\"cursor\":5}", "end"));
}

TEST_F(PaginatorTest, HeaderCursorIsSentUntilThereIsNone) {
  EXPECT_THAT(requests(header_cursor({.cursor_key = "X-Next", .cursor_param = "t"}),
                       {{"[]", 2, {{"x-next", "t2"}}}, {"[]"}}),
              ElementsAre("{}", "{\"t\":\"t2\"}", "end"));
}

TEST_F(PaginatorTest, AClonedPaginatorStartsAgain) {
  const PaginatorPtr paginator = page_number({});
  EXPECT_EQ(requests(paginator, {{"{\"total\": 3}"}}), requests(paginator, {{"{\"total\": 3}"}}));
}

}  // namespace
}  // namespace tidemark::rest
