#include "tidemark/blob/azure_signing.h"

#include <gtest/gtest.h>

namespace tidemark::blob {
namespace {

constexpr const char* kDate = "Fri, 26 Jun 2015 23:39:12 GMT";
const Time kTime{std::chrono::seconds(1'435'361'952)};

// The examples of "Authorize with Shared Key" in Azure's documentation.
TEST(AzureStringToSign, IsThatOfTheDocumentation) {
  const net::HttpRequest metadata{
      .url =
          "http://myaccount.blob.core.windows.net/mycontainer?restype=container&comp=metadata"
          "&timeout=20",
      .headers = {{"x-ms-version", "2015-02-21"}, {"x-ms-date", kDate}}};
  EXPECT_EQ(azure_string_to_sign(metadata, "myaccount"),
            "GET\n\n\n\n\n\n\n\n\n\n\n\nx-ms-date:Fri, 26 Jun 2015 23:39:12 GMT\n"
            "x-ms-version:2015-02-21\n/myaccount/mycontainer\ncomp:metadata\nrestype:container\n"
            "timeout:20");
}

TEST(AzureStringToSign, HoldsWhatDecidesAWrite) {
  const net::HttpRequest put{.method = "PUT",
                             .url = "http://127.0.0.1:10000/acme/c/a%20b/%2Bc",
                             .headers = {{"x-ms-version", "2021-12-02"},
                                         {"x-ms-blob-type", "BlockBlob"},
                                         {"Content-Type", "text/plain"},
                                         {"If-Match", "\"0x8D\""},
                                         {"If-None-Match", "*"},
                                         {"X-Ms-Date", kDate}},
                             .body = "hello"};
  EXPECT_EQ(azure_string_to_sign(put, "acme"),
            "PUT\n\n\n5\n\ntext/plain\n\n\n\"0x8D\"\n*\n\n\nx-ms-blob-type:BlockBlob\n"
            "x-ms-date:Fri, 26 Jun 2015 23:39:12 GMT\nx-ms-version:2021-12-02\n"
            "/acme/acme/c/a%20b/%2Bc");
}

TEST(AzureStringToSign, DecodesTheQuery) {
  const net::HttpRequest list{.url = "https://a/c?prefix=a%2Fb%20c&Comp=list"};
  EXPECT_EQ(azure_string_to_sign(list, "acme"),
            "GET\n\n\n\n\n\n\n\n\n\n\n\n/acme/c\ncomp:list\nprefix:a/b c");
}

// The signature was made with Python's hmac over such a text.
TEST(SharedKeySigner, SignsWithTheTimeItIsGiven) {
  net::HttpRequest request{.url = "https://acme.blob.core.windows.net/c/a",
                           .headers = {{"x-ms-version", "2021-12-02"}}};
  const auto signer = make_shared_key_signer({"acme", Secret("key!")});
  signer->sign(request, kTime + std::chrono::hours(1));
  signer->sign(request, kTime);
  EXPECT_EQ(request.headers.find_all("x-ms-date").size(), 1u);
  EXPECT_EQ(request.headers.find("x-ms-date"), kDate);
  EXPECT_EQ(request.credentials.find_all("Authorization").size(), 1u);
  EXPECT_EQ(request.credentials.find("Authorization"),
            "SharedKey acme:rePEt7/I37oad2YdNMrxzlTS2Qach8/5kAsj+4X/uRY=");
}

TEST(SharedKeySigner, SignsAgainWhenTheClocksDiffer) {
  const auto signer = make_shared_key_signer({"acme", Secret("key!")});
  EXPECT_TRUE(signer->may_sign_again({}, 403, std::chrono::minutes(-20)));
  EXPECT_FALSE(signer->may_sign_again({}, 403, std::chrono::seconds(59)));
}

TEST(SasSigner, AddsItsQueryWhichIsNeverShown) {
  net::HttpRequest request{.url = "https://a.example/c?comp=list"};
  make_sas_signer({Secret("sv=1&sig=a%2Bb")})->sign(request, kTime);
  EXPECT_EQ(request.url, "https://a.example/c?comp=list&sv=1&sig=a%2Bb");
  EXPECT_EQ(describe(request), "GET https://a.example/c?comp=list&sv=1&sig=***");
}

}  // namespace
}  // namespace tidemark::blob
