#include "tidemark/blob/aws_signing.h"

#include <gmock/gmock.h>

namespace tidemark::blob {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

std::string authorization(const net::HttpRequest& request) {
  return std::string(request.credentials.find("Authorization").value_or(""));
}

// The examples of
// https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
const AwsCredentials kExample = {"AKIAIOSFODNN7EXAMPLE",
                                 Secret("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"), Secret()};
constexpr Time kExampleTime{std::chrono::seconds(1'369'353'600)};

std::string example_signature(net::HttpRequest request) {
  sign_for_aws(request, kExample, {"us-east-1", "s3"}, kExampleTime);
  const std::string text = authorization(request);
  return text.substr(text.rfind('=') + 1);
}

TEST(SignForAws, GivesTheSignaturesOfTheDocumentation) {
  const std::string host = "https://examplebucket.s3.amazonaws.com";
  EXPECT_EQ(example_signature({.url = host + "/test.txt", .headers = {{"Range", "bytes=0-9"}}}),
            "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");
  EXPECT_EQ(example_signature({.method = "PUT",
                               .url = host + "/test%24file.text",
                               .headers = {{"Date", "Fri, 24 May 2013 00:00:00 GMT"},
                                           {"x-amz-storage-class", "REDUCED_REDUNDANCY"}},
                               .body = "Welcome to Amazon S3."}),
            "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd");
  EXPECT_EQ(example_signature({.url = host + "/?lifecycle"}),
            "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543");
  EXPECT_EQ(example_signature({.url = host + "/?prefix=J&max-keys=2"}),
            "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7");
}

const AwsCredentials kSession = {"AKID", Secret("secret"), Secret("token/+=")};
constexpr Time kNewYear{std::chrono::seconds(1'767'225'600)};

// Expected: what botocore 1.43 makes of the same request.
TEST(SignForAws, SignsASessionTokenAsAwsOwnLibraryDoes) {
  net::HttpRequest put{
      .method = "PUT",
      .url =
          "https://bucket.s3.eu-west-1.amazonaws.com/elt/dev%3Aa-to-b/%C3%A9%20%2B%2A/state.json",
      .headers = {{"If-Match", "\"abc\""}, {"Content-Type", "application/json"}},
      .body = "{}"};
  sign_for_aws(put, kSession, {"eu-west-1", "s3"}, kNewYear);
  EXPECT_EQ(put.headers.find("x-amz-date"), "20260101T000000Z");
  EXPECT_EQ(put.credentials.find("x-amz-security-token"), "token/+=");
  EXPECT_EQ(authorization(put),
            "AWS4-HMAC-SHA256 Credential=AKID/20260101/eu-west-1/s3/aws4_request, "
            "SignedHeaders=content-type;host;if-match;x-amz-content-sha256;x-amz-date;"
            "x-amz-security-token, "
            "Signature=aa91f0e5762b550702ab989f2e282621b16afacaf72e79851f5a9a0d905a9276");

  net::HttpRequest list{
      .url =
          "http://127.0.0.1:7070/bucket/?start-after=a%2Fb&list-type=2&prefix=&encoding-type=url"};
  sign_for_aws(list, kSession, {"eu-west-1", "s3"}, kNewYear);
  EXPECT_THAT(authorization(list),
              EndsWith("36ea3477b0fec342e4885ccb85226b88536bfadf5b24d360cd09d83a71a4291b"));
}

TEST(SignForAws, ReplacesAnEarlierSignature) {
  net::HttpRequest once{.url = "https://b.s3.amazonaws.com/a"};
  net::HttpRequest twice = once;
  sign_for_aws(twice, kSession, {"us-east-1", "s3"}, kExampleTime);
  sign_for_aws(once, kSession, {"eu-west-1", "s3"}, kNewYear);
  sign_for_aws(twice, kSession, {"eu-west-1", "s3"}, kNewYear);
  EXPECT_EQ(authorization(once), authorization(twice));
  EXPECT_EQ(twice.headers.find_all("x-amz-date").size(), 1u);
  EXPECT_EQ(twice.credentials.find_all("Authorization").size(), 1u);
}

TEST(SignForAws, TheSchemesOwnPortIsNotPartOfTheHost) {
  net::HttpRequest with_port{.url = "https://b.s3.amazonaws.com:443/a"};
  net::HttpRequest without{.url = "https://b.s3.amazonaws.com/a"};
  sign_for_aws(with_port, kSession, {"eu-west-1", "s3"}, kNewYear);
  sign_for_aws(without, kSession, {"eu-west-1", "s3"}, kNewYear);
  EXPECT_EQ(authorization(with_port), authorization(without));
  EXPECT_THAT(authorization(without), HasSubstr("host;x-amz-content-sha256;x-amz-date"));
}

}  // namespace
}  // namespace tidemark::blob
