#include "tidemark/source/rest_config.h"

#include <gmock/gmock.h>

#include "tidemark/base/error.h"
#include "tidemark/config/yaml.h"
#include "tidemark/net/loopback_server.h"
#include "tidemark/source/fake_extraction.h"

namespace tidemark::rest {
namespace {

using net::LoopbackServer;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Answer = LoopbackServer::Answer;

// What the service answers to a path and query; 404 to all others.
using Site = std::map<std::string, std::string>;

class MakeSourceTest : public testing::Test {
 protected:
  void serve(Site site) {
    server_ = std::make_unique<LoopbackServer>([site = std::move(site)](const auto& request) {
      const auto found = site.find(request.target);
      return found == site.end() ? Answer{.status = 404, .body = "nothing here"}
                                 : Answer{.body = found->second};
    });
  }
  source::Source make(const std::string& settings, std::string client = {}) {
    if (client.empty() && server_) client = "client: {base_url: \"" + server_->url("/v1") + "\"}\n";
    if (client.empty()) client = "client: {base_url: \"http://h/v1\"}\n";
    return make_source("s", config::read_yaml(client + settings, "t.yml"), make_transport());
  }
  std::vector<std::string> run(const source::Source& source, const std::string& name) {
    source.find(name)->run(extraction_);
    return extraction_.rows;
  }
  std::string error_of(const std::string& settings) {
    try {
      make(settings);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kInvalid);
      return error.message();
    }
    return "no error";
  }
  static json::Page page(std::string_view text) {
    auto document = json::Parser().parse_document(json::Buffer(text));
    const json::Node root = document->root();
    return json::Page::rows(std::move(document), root, "parent");
  }

  std::unique_ptr<LoopbackServer> server_;
  source::FakeExtraction extraction_;
};

TEST_F(MakeSourceTest, NamesPathsAndTextsStandForEndpoints) {
  serve({{"/v1/users", "[1]"}, {"/v1/p/q", "[2]"}, {"/v1/third?a=1", "[3]"}});
  const auto source = make(R"(
resources:
- users
- {name: second, endpoint: p/q}
- {name: third, endpoint: {params: {a: 1}}}
)");
  run(source, "users");
  run(source, "second");
  EXPECT_THAT(run(source, "third"), ElementsAre("1", "2", "3"));
}

TEST_F(MakeSourceTest, DefaultsAreMergedAsDltMergesThem) {
  serve({{"/v1/a?per_page=100&state=all&q=1", "[]"}, {"/v1/b?per_page=100&state=open", "[]"}});
  const auto source = make(R"(
resource_defaults:
  primary_key: id
  write_disposition: merge
  columns: {x: {data_type: text}}
  endpoint: {params: {per_page: 100, state: open}, paginator: single_page, path: unused}
resources:
- {name: a, columns: {x: {nullable: false}}, endpoint: {params: {state: all, q: 1}}}
- {name: b, write_disposition: append, primary_key: null}
)");
  run(source, "a");
  run(source, "b");
  const auto& a = source.find("a")->options();
  EXPECT_THAT(a.primary_key, ElementsAre("id"));
  EXPECT_EQ(a.write_disposition, source::WriteDisposition::kMerge);
  EXPECT_EQ(a.columns.find("x")->as_object().size(), 3u);
  EXPECT_THAT(source.find("b")->options().primary_key, IsEmpty());
  EXPECT_EQ(source.find("b")->options().write_disposition, source::WriteDisposition::kAppend);
}

TEST_F(MakeSourceTest, ClientSettingsReachTheRequest) {
  serve({{"/v1/r?offset=0&limit=2", R"({"rows": [1, 2], "total": 3})"},
         {"/v1/r?offset=2&limit=2", R"({"rows": [3], "total": 3})"}});
  const auto source =
      make("resources: [r]\n", "client: {base_url: \"" + server_->url("/v1/") + R"(",
  headers: {X-One: 1}, auth: {token: abc}, paginator: {type: offset, limit: 2}}
)");
  EXPECT_THAT(run(source, "r"), ElementsAre("1", "2", "3"));
  EXPECT_EQ(server_->requests()[0].headers.find("authorization"), "Bearer abc");
  EXPECT_EQ(server_->requests()[0].headers.find("x-one"), "1");
}

TEST_F(MakeSourceTest, NullSwitchesAnEndpointsAuthOff) {
  serve({{"/v1/r", "[1]"}});
  const auto source =
      make("resources: [{name: r, endpoint: {auth: null}}]\n",
           "client: {base_url: \"" + server_->url("/v1/") + "\", auth: {token: abc}}\n");
  run(source, "r");
  EXPECT_EQ(server_->requests().at(0).headers.find("authorization"), std::nullopt);
}

TEST_F(MakeSourceTest, RowOrderDoesNotEndAChildEarly) {
  const auto source = make(
      "resources:\n- p\n- {name: c, endpoint: {path: \"{resources.p.id}/c\", "
      "incremental: {cursor_path: t, row_order: desc}}}\n");
  EXPECT_EQ(source.find("c")->options().incremental->second.row_order, source::RowOrder::kNone);
}

TEST_F(MakeSourceTest, EveryPaginatorAndAuthTypeIsRead) {
  EXPECT_EQ(error_of(R"(
resources:
- {name: a, endpoint: {paginator: auto, auth: {type: bearer, token: x}}}
- {name: b, endpoint: {paginator: {type: page_number, base_page: 1, page: 2, page_body_path: a.b, total_path: null, maximum_page: 3, stop_after_empty_page: false, has_more_path: m}}}
- {name: c, endpoint: {paginator: {type: offset, limit: 5, offset: 1, offset_param: o, limit_body_path: l, maximum_offset: 9}}}
- {name: d, endpoint: {paginator: {type: header_link, links_next_key: more}, auth: {type: api_key, api_key: k, name: n, location: param}}}
- {name: e, endpoint: {paginator: {type: json_response, next_url_path: a.next}, auth: {type: http_basic, username: u, password: p}}}
- {name: f, endpoint: {paginator: {type: cursor, cursor_path: a, cursor_body_path: b, stop_after_empty_page: true, has_more_path: m}}}
- {name: g, endpoint: {paginator: {type: header_cursor, cursor_key: k, cursor_param: p}}}
- {name: h, endpoint: {paginator: json_link, auth: {type: oauth2_client_credentials, access_token_url: "http://t", client_id: i, client_secret: s, access_token_request_data: {scope: x}, default_token_expiration: 60}}}
- {name: i, endpoint: {paginator: {}, auth: {type: jwt, client_id: i, private_key: k, auth_endpoint: "http://t", scopes: [a, b], headers: {x: y}}}}
- {name: j, endpoint: {paginator: {type: single_page}}}
)"),
            "no error");
}

TEST_F(MakeSourceTest, ErrorsNamePlaceAndNearestKey) {
  EXPECT_THAT(error_of("resources: [a]\nresorces: []\n"),
              AllOf(HasSubstr("t.yml:3:"), HasSubstr("resources")));
  EXPECT_THAT(error_of("resources:\n- {name: a, endpoint: {paginaton: auto}}\n"),
              AllOf(HasSubstr("t.yml:3:"), HasSubstr("paginator")));
  EXPECT_THAT(error_of("resources:\n- {name: a, write_dispositon: merge}\n"),
              HasSubstr("write_disposition"));
  EXPECT_THAT(error_of("resources: [a, a]\n"), HasSubstr("second resource a"));
  EXPECT_THAT(error_of("resources:\n- {name: a, endpoint: {json: {}, data: x}}\n"),
              HasSubstr("exclude"));
  EXPECT_THAT(
      error_of("resources:\n- {name: a, endpoint: {paginator: {type: offset, limit: 0}}}\n"),
      AllOf(HasSubstr("t.yml:3:"), HasSubstr("limit")));
  EXPECT_THAT(error_of("resources:\n- {name: a, endpoint: {paginator: pages}}\n"),
              HasSubstr("t.yml:3:"));
  EXPECT_THAT(error_of("resources:\n- {name: a, endpoint: \"x/{id}\"}\n"), HasSubstr("{id}"));
  EXPECT_THAT(error_of("resources:\n- {name: a, endpoint: \"x/{id\"}\n"), HasSubstr("has no }"));
  EXPECT_THAT(
      error_of("resources:\n- {name: a, endpoint: {params: {q: \"{incremental.start_value}\"}}}\n"),
      HasSubstr("{incremental.start_value}"));
  EXPECT_THAT(error_of("resources:\n- {name: a, endpoint: \"x/{resources.b.id}\"}\n"),
              HasSubstr("parent"));
  EXPECT_THAT(
      error_of(
          "resources:\n- b\n- c\n- {name: a, endpoint: \"x/{resources.b.id}/{resources.c.id}\"}\n"),
      HasSubstr("two parents"));
  EXPECT_THAT(error_of("resources:\n- {name: a, include_from_parent: [id]}\n"),
              HasSubstr("no parent"));
  EXPECT_THAT(error_of("resources:\n- b\n- {name: a, endpoint: {path: x, params: {id: {type: "
                       "resolve, resource: b, field: id}}}}\n"),
              HasSubstr("{id}"));
  EXPECT_THAT(
      error_of("resources:\n- {name: a, endpoint: {response_actions: [{action: ignore}]}}\n"),
      HasSubstr("every answer"));
}

TEST_F(MakeSourceTest, StaticParametersAreBoundInThePath) {
  serve({{"/v1/users/7/posts?q=1", "[1]"}});
  EXPECT_THAT(run(make("resources:\n- {name: a, endpoint: {path: \"users/{id}/posts\", params: "
                       "{id: 7, q: 1}}}\n"),
                  "a"),
              ElementsAre("1"));
}

TEST_F(MakeSourceTest, AnEndpointThatEndsInAPlaceholderIsOneEntity) {
  serve({{"/v1/posts/1", R"({"id": 1, "tags": ["x"], "next": "/v1/posts/2"})"}});
  const auto source =
      make("resources:\n- posts\n- {name: a, endpoint: \"posts/{resources.posts.id}\"}\n");
  source.find("a")->run(extraction_, page(R"([{"id": 1}])"));
  EXPECT_THAT(extraction_.rows, ElementsAre(R"({"id":1,"tags":["x"],"next":"/v1/posts/2"})"));
}

TEST_F(MakeSourceTest, ChildrenAreReadForEachParentRow) {
  serve(
      {{"/v1/posts/1/comments?kind=C%23&x=n1", R"([{"id": 10}])"},
       {"/v1/posts/2/comments?kind=b&x=n2", R"([{"id": 20}, {"id": 21, "_posts_kind": "own"}])"}});
  const auto source = make(R"(
resources:
- posts
- name: comments
  include_from_parent: [id, kind]
  endpoint:
    path: posts/{post}/comments
    params:
      post: {type: resolve, resource: posts, field: id}
      kind: "{resources.posts.kind}"
      x: "n{resources.posts.a[0].b}"
)");
  EXPECT_EQ(source.find("comments")->parent(), "posts");
  source.find("comments")->run(extraction_, page(R"([{"id": 1, "kind": "C#", "a": [{"b": 1}]},
                                                     {"id": 2, "kind": "b", "a": [{"b": 2}]}])"));
  EXPECT_THAT(extraction_.rows, ElementsAre(R"({"id":10,"_posts_id":1,"_posts_kind":"C#"})",
                                            R"({"id":20,"_posts_id":2,"_posts_kind":"b"})",
                                            R"({"id":21,"_posts_kind":"b","_posts_id":2})"));
}

TEST_F(MakeSourceTest, AHashInAParentsValueIsPartOfThePath) {
  serve({{"/v1/tags/C%23/posts", "[1]"}});
  const auto source =
      make("resources:\n- tags\n- {name: a, endpoint: \"tags/{resources.tags.id}/posts\"}\n");
  source.find("a")->run(extraction_, page(R"([{"id": "C#"}])"));
  EXPECT_THAT(extraction_.rows, ElementsAre("1"));
}

TEST_F(MakeSourceTest, APlaceholderAloneKeepsItsTypeInJson) {
  serve({{"/v1/search", "[]"}});
  const auto source = make(R"(
resources:
- posts
- name: a
  endpoint: {path: search, method: POST, json: {id: "{resources.posts.id}", text: "id {resources.posts.id}"}}
)");
  source.find("a")->run(extraction_, page(R"([{"id": 1}])"));
  EXPECT_EQ(server_->requests().at(0).body, R"({"id":1,"text":"id 1"})");
}

TEST_F(MakeSourceTest, AParentRowWithoutTheFieldIsAnError) {
  serve({});
  const auto source =
      make("resources:\n- posts\n- {name: a, endpoint: \"x/{resources.posts.id}\"}\n");
  for (const char* row : {"[{\"no\": 1}]", "[{\"id\": null}]"}) {
    try {
      source.find("a")->run(extraction_, page(row));
      FAIL();
    } catch (const Error& error) {
      EXPECT_THAT(error.message(), AllOf(HasSubstr("posts"), HasSubstr("id")));
    }
  }
}

TEST_F(MakeSourceTest, EveryChildRequestCarriesTheStartOfTheRun) {
  serve({{"/v1/a/c?since=0", R"([{"t": 1}, {"t": 9}])"},
         {"/v1/b/c?since=0", R"([{"t": 2}, {"t": 3}])"}});
  const auto source = make(R"(
resources:
- parents
- name: children
  endpoint:
    path: "{resources.parents.id}/c"
    incremental: {cursor_path: t, initial_value: 0, start_param: since}
)");
  source.find("children")->run(extraction_, page(R"([{"id": "a"}, {"id": "b"}])"));
  EXPECT_THAT(extraction_.rows, ElementsAre("{\"t\":1}", "{\"t\":9}", "{\"t\":2}", "{\"t\":3}"));
  EXPECT_THAT(server_->targets(), ElementsAre("/v1/a/c?since=0", "/v1/b/c?since=0"));
}

TEST_F(MakeSourceTest, CursorValuesReachTheRequest) {
  serve({{"/v1/a?from=2024-01-01&to=2024-02-01", "[]"},
         {"/v1/b?q=%3E2024-01-01", "[]"},
         {"/v1/c?since=2024-01-01", "[]"},
         {"/v1/d", "[]"}});
  const auto source = make(R"(
resources:
- {name: a, endpoint: {incremental: {cursor_path: t, initial_value: "2024-01-01", end_value: "2024-02-01", start_param: from, end_param: to}}}
- {name: b, endpoint: {params: {q: ">{incremental.last_value}", end: "{incremental.end_value}"}, incremental: {cursor_path: t, initial_value: "2024-01-01"}}}
- {name: c, endpoint: {params: {since: {type: incremental, cursor_path: t, initial_value: "2024-01-01"}}}}
- {name: d, endpoint: {incremental: {cursor_path: t, start_param: since}}}
)");
  for (const char* name : {"a", "b", "c", "d"}) {
    source::FakeExtraction extraction;
    source.find(name)->run(extraction);
    EXPECT_EQ(source.find(name)->options().incremental->first, "t");
  }
}

TEST_F(MakeSourceTest, IgnoredStatusAndPageLimitEndQuietly) {
  serve({{"/v1/a", R"({"data": [1], "next": "/v1/a2"})"},
         {"/v1/a2", R"({"data": [2], "next": "/v1/gone"})"}});
  const auto source = make(
      "resources:\n- {name: a, endpoint: {response_actions: [{status_code: 404, content: nothing, "
      "action: ignore}]}}\n");
  EXPECT_THAT(run(source, "a"), ElementsAre("1", "2"));
  source::FakeExtraction limited;
  limited.page_limit = 1;
  source.find("a")->run(limited);
  EXPECT_THAT(limited.rows, ElementsAre("1"));
}

TEST_F(MakeSourceTest, RowsRepeatedByTheNextPageCountOnceWhenAKeyIsDeclared) {
  serve({{"/v1/r", R"({"rows": [{"id":1},{"id":2},{"id":3}], "next": "/v1/r2"})"},
         {"/v1/r2", R"({"rows": [{"id":3},{"id":4}], "next": "/v1/r3"})"},
         {"/v1/r3", R"({"rows": [{"id":4}]})"}});
  const auto source = make("resources:\n- {name: r, primary_key: id}\n");
  EXPECT_EQ(run(source, "r").size(), 4u);
  EXPECT_THAT(extraction_.warnings, ElementsAre(HasSubstr("2 rows left out")));
}

}  // namespace
}  // namespace tidemark::rest
