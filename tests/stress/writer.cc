// A process that saves states as a test tells it. Arguments are NAME=VALUE: uri, database_uri,
// directory, key_id, secret, endpoint, connection_string of the backend; rate, clock, boot,
// other_pids of the host (host.h); overwrites, a file for log_overwrites(). Each line of standard
// input is a command:
//
//   update ID STREAM FIRST LAST   For each n: the bookmark of STREAM becomes n, that of `shared`
//                                 `STREAM/n`, in one save that merges.
//   set ID STREAM N               The same as a whole new state.
//   run ID STREAM N               Takes the lease, saves under it, renews it, releases it.
//   take ID, save ID STREAM N, release ID
//                                 The parts of it; in between the lease is renewed in time.
//   try ID                        `take` that waits for nobody.
//   get ID                        `state DOCUMENT`.
//   stop_at N, full_at N          Of effects.h; `effects` says `effects N`.
//
// Of each save standard output tells `begin N T` and `saved N T`, `refused N T why` or `failed N T
// why`, T being nanoseconds of the monotonic clock that all processes share; `lost N T` when what
// was acknowledged is not there any more; `held 0 T` for a lease; `done` behind each command.
#include <chrono>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "effects.h"
#include "host.h"
#include "tidemark/base/error.h"
#include "tidemark/json/write.h"
#include "tidemark/os/environment.h"
#include "tidemark/os/process.h"
#include "tidemark/state/backend.h"
#include "tidemark/state/service.h"

namespace tidemark::stress {
namespace {

using namespace std::chrono_literals;

// For a lease that somebody else holds.
constexpr auto kPatience = 120s;

using Options = std::map<std::string, std::string, std::less<>>;

Options read_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    const size_t equals = argument.find('=');
    if (equals == std::string_view::npos) throw Error(ErrorCode::kInvalid, "not NAME=VALUE");
    options[std::string(argument.substr(0, equals))] = argument.substr(equals + 1);
  }
  return options;
}

HostOptions host_options(Options& options) {
  return {.rate = options["rate"].empty() ? 1 : std::stoi(options["rate"]),
          .clock_error =
              std::chrono::seconds(options["clock"].empty() ? 0 : std::stoi(options["clock"])),
          .boot_id = options["boot"],
          .has_other_pids = !options["other_pids"].empty()};
}

state::BackendOptions backend_options(Options& options) {
  return {.uri = Secret(options["uri"]),
          .s3 = {.aws_access_key_id = Secret(options["key_id"]),
                 .aws_secret_access_key = Secret(options["secret"]),
                 .endpoint_url = options["endpoint"]},
          .azure = {.connection_string = Secret(options["connection_string"])},
          .database_uri = Secret(options["database_uri"]),
          .project_root = options["directory"],
          .cache_directory = options["directory"]};
}

// The standard output is read by another process while this one goes on, or was stopped.
void say(const std::string& line) { std::cout << line << std::endl; }

int64_t now() {
  return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
}

json::Value state_of(std::string_view stream, int64_t number) {
  const json::Object own{{"n", number}};
  const json::Object shared{{"by", fmt::format("{}/{}", stream, number)}};
  return json::Object{
      {"singer_state",
       json::Object{{"bookmarks", json::Object{{std::string(stream), own}, {"shared", shared}}}}}};
}

// The number that the stream's bookmark has; 0 when there is none.
int64_t number_in(const std::optional<state::StoredState>& stored, std::string_view stream) {
  if (!stored) return 0;
  const json::Value state = state::effective_state(stored->document);
  const json::Value* value = &state;
  for (const std::string_view key :
       {std::string_view("singer_state"), std::string_view("bookmarks"), stream,
        std::string_view("n")}) {
    value = value->find(key);
    if (value == nullptr) return 0;
  }
  return value->as_int64();
}

std::string why(const state::WriteResult& result) {
  if (std::holds_alternative<state::Conflict>(result)) return "conflict";
  if (const auto* locked = std::get_if<state::Locked>(&result)) {
    if (locked->lock) return "lock " + *locked->lock;
    return locked->lease ? "lease of pid " + std::to_string(locked->lease->record.process.pid)
                         : "lease lost";
  }
  return "no state, or invalid";
}

class Writer {
 public:
  explicit Writer(Options options)
      : host_(host_options(options)),
        environment_(os::Environment::of_process()),
        backend_(
            state::open_backend(backend_options(options), environment_, host_.store_context())),
        service_(backend_, author_, host_.context()),
        rate_(host_options(options).rate) {
    backend_.objects = std::make_unique<FastStore>(std::move(backend_.objects), rate_);
  }

  void obey(const std::string& line) {
    std::istringstream words(line);
    std::string command;
    std::string id;
    std::string stream;
    int64_t number = 0;
    words >> command;
    if (command == "stop_at" || command == "full_at") {
      words >> number;
      command == "stop_at" ? stop_before_effect(number) : fill_disk_at_effect(number);
      return;
    }
    words >> id >> stream >> number;
    if (command == "update") return update(id, stream, number, words);
    if (command == "set") return tell(number, [&] { return set(id, stream, number); });
    if (command == "run") return run(id, stream, number);
    if (command == "take") return take(id, kPatience);
    if (command == "try") return take(id, 0s);
    if (command == "save") return tell(number, [&] { return save(id, stream, number); });
    if (command == "release") return release(id);
    if (command == "get") return get(id);
    if (command == "effects") return say(fmt::format("effects {}", effects()));
    throw Error(ErrorCode::kInvalid, "no such command: " + line);
  }

 private:
  struct Held {
    std::unique_ptr<state::Lease> lease;
    std::unique_ptr<state::LeaseKeeper> keeper;
  };

  // What becomes of one save. A line that begins before the save does is one that other saves can
  // be compared with.
  template <typename Save>
  void tell(int64_t number, const Save& save) {
    say(fmt::format("begin {} {}", number, now()));
    try {
      const state::WriteResult result = save();
      if (std::holds_alternative<state::Saved>(result)) {
        say(fmt::format("saved {} {}", number, now()));
      } else {
        say(fmt::format("refused {} {} {}", number, now(), why(result)));
      }
    } catch (const Error& error) {
      say(fmt::format("failed {} {} {}: {}", number, now(), to_string(error.code()),
                      error.message()));
    }
  }

  // Each save reads what the one before it wrote, or else it was lost.
  void update(const std::string& id, const std::string& stream, int64_t first,
              std::istringstream& words) {
    int64_t last = first;
    words >> last;
    for (int64_t number = first; number <= last; ++number) {
      tell(number, [&] {
        state::WriteResult result = service_.merge(id, state_of(stream, number));
        if (const auto* saved = std::get_if<state::Saved>(&result)) {
          if (number_in(saved->before, stream) < acknowledged_[id + "/" + stream]) {
            say(fmt::format("lost {} {}", acknowledged_[id + "/" + stream], now()));
          }
          acknowledged_[id + "/" + stream] = number;
        }
        return result;
      });
    }
  }

  state::WriteResult set(const std::string& id, const std::string& stream, int64_t number) {
    return service_.set(id, state_of(stream, number), {});
  }

  void run(const std::string& id, const std::string& stream, int64_t number) {
    tell(number, [&]() -> state::WriteResult {
      auto taken = acquire(id, kPatience);
      if (auto* other = std::get_if<state::HeldLease>(&taken)) {
        return state::Locked{.id = id, .lease = *other, .lock = {}};
      }
      state::Lease& lease = *std::get<std::unique_ptr<state::Lease>>(taken);
      say(fmt::format("held 0 {}", now()));
      state::WriteResult result = save_under(lease, id, stream, number);
      renew(lease);
      return result;
    });
  }

  // As a keeper does, for which a store that does not answer is one to ask again later.
  static void renew(state::Lease& lease) {
    try {
      lease.renew();
    } catch (const Error&) {
    }
  }

  void take(const std::string& id, std::chrono::seconds patience) {
    tell(0, [&]() -> state::WriteResult {
      auto taken = acquire(id, patience);
      if (auto* other = std::get_if<state::HeldLease>(&taken)) {
        return state::Locked{.id = id, .lease = *other, .lock = {}};
      }
      Held& held = held_[id];
      held.lease = std::get<std::unique_ptr<state::Lease>>(std::move(taken));
      held.keeper = std::make_unique<state::LeaseKeeper>(
          *held.lease, std::chrono::milliseconds(state::kLeaseRenewal) / rate_, [] {});
      return state::Saved{};
    });
  }

  std::variant<std::unique_ptr<state::Lease>, state::HeldLease> acquire(
      const std::string& id, std::chrono::seconds patience) {
    return state::Lease::acquire(
        *backend_.objects, {.ids = {id}, .author = author_, .patience = patience}, host_.context());
  }

  state::WriteResult save(const std::string& id, const std::string& stream, int64_t number) {
    return save_under(*held_.at(id).lease, id, stream, number);
  }

  // As a run saves: its bookmarks over what is there.
  state::WriteResult save_under(state::Lease& lease, const std::string& id,
                                const std::string& stream, int64_t number) {
    const state::Document change{
        .completed = json::Object{}, .partial = state_of(stream, number), .others = {}};
    const state::Decide decide = [&](const state::Round& round) -> state::Decision {
      const auto current = round.current ? std::optional(round.current->document) : std::nullopt;
      return state::Write{.document = state::updated(current, change), .kept = change};
    };
    return state::save_state(backend_, author_, host_.context(), id, decide, {.lease = &lease});
  }

  void release(const std::string& id) {
    Held& held = held_.at(id);
    held.keeper.reset();
    held.lease->release();
    held_.erase(id);
  }

  void get(const std::string& id) {
    try {
      const auto stored = service_.states().load(id);
      say("state " + (stored ? state::write_document(stored->document) : "null"));
    } catch (const Error& error) {
      say(fmt::format("failed 0 {} {}: {}", now(), to_string(error.code()), error.message()));
    }
  }

  Host host_;
  os::Environment environment_;
  state::Backend backend_;
  state::Author author_{.who = "stress@" + os::host_name(),
                        .operation = "stress",
                        .run_id = std::to_string(os::process_id())};
  state::StateService service_;
  int rate_;
  // Of each ID and stream.
  std::map<std::string, int64_t> acknowledged_;
  std::map<std::string, Held> held_;
};

int work(int argc, char** argv) {
  Options options = read_options(argc, argv);
  if (!options["overwrites"].empty()) log_overwrites(options["overwrites"].c_str());
  Writer writer(options);
  say("ready");
  for (std::string line; std::getline(std::cin, line);) {
    writer.obey(line);
    say("done");
  }
  return 0;
}

}  // namespace
}  // namespace tidemark::stress

int main(int argc, char** argv) {
  try {
    return tidemark::stress::work(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "stress_writer: " << error.what() << '\n';
    return 1;
  }
}
