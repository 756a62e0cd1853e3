#pragma once

#include <memory>
#include <string>

#include "tidemark/source/byte_stream.h"

namespace tidemark::source {

// What the compressed stream holds. Error kInvalid for data that is damaged or cut off.
std::unique_ptr<ByteStream> gunzip(std::unique_ptr<ByteStream> stream, std::string name);
std::unique_ptr<ByteStream> unzstd(std::unique_ptr<ByteStream> stream, std::string name);

}  // namespace tidemark::source
