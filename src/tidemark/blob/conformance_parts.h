#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/blob/blob_store.h"
#include "tidemark/blob/conformance.h"

// What conformance_checks() is made of.
namespace tidemark::blob {

std::vector<Check> object_checks();
std::vector<Check> race_checks();
std::vector<Check> listing_checks();
std::vector<Check> key_checks();

// "(nothing)" where there is no object.
std::string bytes_of(BlobStore& store, std::string_view key);
std::vector<std::string> keys_of(BlobStore& store, const Listing& listing = {});
// Runs work(number) in `count` threads that start at the same moment. An Error fails the test.
void at_once(int count, const std::function<void(int number)>& work);
// Whether the call throws Error kInvalid; `what` names it.
void expect_refused(const std::function<void()>& call, std::string_view what);

}  // namespace tidemark::blob
