#include "tidemark/source/rest_detect.h"

#include <gtest/gtest.h>

#include "tidemark/json/page.h"

namespace tidemark::rest {
namespace {

std::shared_ptr<const json::Document> parse(std::string_view text) {
  return json::Parser().parse_document(json::Buffer(text));
}

TEST(DetectSelector, FollowsDlt) {
  struct Case {
    const char* body;
    const char* selector;
  };
  for (const auto& [body, selector] : {
           Case{"[1]", "$"},
           Case{"{}", "$"},
           Case{"{\"a\": {\"b\": 1}}", "$"},
           Case{"{\"x\": [1], \"y\": [2]}", "x"},
           Case{"{\"x\": [1], \"results\": [2]}", "results"},
           Case{"{\"x\": [1], \"meta\": {\"items\": [2]}}", "meta.items"},
           Case{"{\"Results\": [1], \"a\": [2]}", "Results"},
           Case{"{\"a\": {\"b\": {\"c\": [1]}}}", "a.b.c"},
           Case{"{\"a\": {\"b\": {\"c\": {\"data\": [1]}}}}", "$"},
           Case{"{\"a.b\": {\"data\": [1]}}", "\"a.b\".data"},
       }) {
    EXPECT_EQ(detect_selector(parse(body)->root()).text(), selector) << body;
  }
}

TEST(DetectPaginator, FirstDetectorThatAnswersWins) {
  struct Case {
    const char* body;
    const char* found;
    net::Headers headers{};
  };
  for (const auto& [body, found, headers] : {
           Case{"{\"next\": \"/b\"}", "a Link header", {{"Link", "<a>; rel=next"}}},
           Case{"{\"next\": \"/b\"}", "the link at 'next'", {{"Link", "<a>; rel=prev"}}},
           Case{"{\"meta\": {\"Next_page\": \"http://h/2\"}}", "the link at 'meta.Next_page'"},
           Case{"{\"links\": {\"next\": {\"href\": \"/2\"}}}", "the link at 'links.next.href'"},
           Case{"{\"next\": {\"x\": 1}, \"b\": {\"next\": \"/2\"}}", "the link at 'b.next'"},
           Case{"{\"next\": 2, \"Total_Pages\": \"4\"}", "the number of pages at 'Total_Pages'"},
           Case{"{\"next_cursor\": \"abc\"}", "the token at 'next_cursor'"},
           Case{"{\"p\": {\"next\": 2}}", "the token at 'p.next'"},
           Case{"{\"next\": null}", "an answer without a sign of a next page"},
           Case{"{\"next\": true}", "an answer without a sign of a next page"},
           Case{"{\"pages\": \"many\"}", "an answer without a sign of a next page"},
           Case{"[{\"next\": \"/2\"}]", "an answer without a sign of a next page"},
       }) {
    net::HttpResponse response;
    response.headers = headers;
    EXPECT_EQ(detect_paginator(response, parse(body)->root()).found, found) << body;
  }
}

}  // namespace
}  // namespace tidemark::rest
