#include "tidemark/blob/s3_refusal.h"

#include <fmt/format.h>

#include "tidemark/blob/xml.h"
#include "tidemark/net/excerpt.h"
#include "tidemark/net/status.h"

namespace tidemark::blob {
namespace {

ErrorCode code_of(const S3Refusal& refusal) {
  if (refusal.code == "InvalidObjectState") return ErrorCode::kUnsupported;
  if (refusal.code == "SlowDown" || refusal.code == "RequestTimeout") {
    return ErrorCode::kUnavailable;
  }
  if (refusal.code == "ExpiredToken" || refusal.code == "InvalidToken" ||
      refusal.code == "TokenRefreshRequired" || refusal.code == "XAdminUserNotFound") {
    return ErrorCode::kUnauthorized;
  }
  return net::error_code(refusal.status);
}

std::string advice(const S3Refusal& refusal) {
  if (refusal.code == "InvalidObjectState") return " (the object is archived: restore it first)";
  if (refusal.code == "AccessDenied") {
    return " (needed are s3:GetObject, s3:PutObject, s3:DeleteObject and s3:ListBucket; without "
           "the "
           "last one S3 answers so for a missing object too)";
  }
  if (!refusal.region.empty()) return fmt::format(" (the bucket is in region {})", refusal.region);
  return "";
}

}  // namespace

S3Refusal read_s3_refusal(const net::HttpRequest& request, const net::HttpResponse& response) {
  S3Refusal refusal{
      .status = response.status,
      .region = std::string(response.headers.find("x-amz-bucket-region").value_or(""))};
  try {
    read_xml(response.body.view(), [&](const XmlLeaf& leaf) {
      if (leaf.path == "Error/Code") refusal.code = leaf.text;
      if (leaf.path == "Error/Message") refusal.message = leaf.text;
      if (leaf.path == "Error/Region") refusal.region = leaf.text;
    });
  } catch (const Error&) {
    refusal.message = response.body.view();  // a proxy's page, or nothing
  }
  refusal.message = net::excerpt(request, refusal.message);
  return refusal;
}

Error error_of(const S3Refusal& refusal) {
  std::string text = fmt::format("status {}", refusal.status);
  if (!refusal.code.empty()) text += " " + refusal.code;
  if (!refusal.message.empty()) text += ": " + refusal.message;
  return {code_of(refusal), text + advice(refusal)};
}

}  // namespace tidemark::blob
