#pragma once

#include <chrono>
#include <memory>

#include "tidemark/base/cancellation.h"
#include "tidemark/base/clock.h"
#include "tidemark/base/random.h"
#include "tidemark/base/sleeper.h"
#include "tidemark/blob/blob_store.h"
#include "tidemark/os/files.h"

namespace tidemark::blob {

struct LocalEnvironment {
  Clock& clock;
  Random& random;
  Sleeper& sleeper;
  const Cancellation& cancellation;
};

// Objects as files below a directory, which the first write makes: `file://`. Reading makes and
// changes nothing.
//
// A version is the SHA-256 of the bytes. IfAbsent is one link(2). Other writes to the files of a
// directory D hold an flock on `.tidemark/D/flock`, which stays; for D below `.tidemark` already it
// is `D/flock`. Temporary files (16 hex digits) are made beside it: neither name is a key there.
// Programs that heed no lock (Meltano) see whole files all the same.
//
// A directory may be a link that somebody made there. One that leads out of the root has its
// temporary files in itself. Listings pass over a link to the root or above it, and over links
// below links.
//
// Refused with kInvalid: keys with an empty part; keys below another key; a link in the place of a
// file, and one that leads nowhere. An flock that another process keeps for longer than `patience`
// is kTimeout with its holder.
std::unique_ptr<BlobStore> make_local_store(os::Path root, LocalEnvironment environment,
                                            std::chrono::milliseconds patience);

}  // namespace tidemark::blob
