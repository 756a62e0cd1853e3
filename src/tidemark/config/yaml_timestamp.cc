#include "tidemark/config/yaml_timestamp.h"

#include <algorithm>
#include <chrono>
#include <cstddef>

#include "tidemark/base/datetime.h"

namespace tidemark::config {
namespace {

using std::chrono::minutes;

// Takes the parts of a text from its front; a part that is not there makes the whole no timestamp.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  bool take(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  // Whether there were blanks.
  bool skip_blanks() {
    const size_t size = rest_.size();
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t"), size));
    return rest_.size() < size;
  }

  std::optional<int> digits(size_t least, size_t most) {
    const size_t size = std::min({rest_.find_first_not_of("0123456789"), rest_.size(), most});
    if (size < least) return std::nullopt;
    int number = 0;
    for (char c : rest_.substr(0, size)) number = number * 10 + (c - '0');
    rest_.remove_prefix(size);
    return number;
  }

  // Digits behind a point as microseconds, rounded.
  int64_t fraction() {
    const size_t size = std::min(rest_.find_first_not_of("0123456789"), rest_.size());
    int64_t tenths = 0;  // of a microsecond
    for (size_t i = 0; i < 7; ++i) tenths = tenths * 10 + (i < size ? rest_[i] - '0' : 0);
    rest_.remove_prefix(size);
    return (tenths + 5) / 10;
  }

  bool is_at_end() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

std::optional<int64_t> scan_date(Scanner& scanner) {
  using namespace std::chrono;
  const auto y = scanner.digits(4, 4);
  if (!y || !scanner.take('-')) return std::nullopt;
  const auto m = scanner.digits(1, 2);
  if (!m || !scanner.take('-')) return std::nullopt;
  const auto d = scanner.digits(1, 2);
  if (!d) return std::nullopt;
  const year_month_day date{year(*y), month(static_cast<unsigned>(*m)),
                            day(static_cast<unsigned>(*d))};
  if (!date.ok()) return std::nullopt;
  return microseconds(sys_days(date).time_since_epoch()).count();
}

std::optional<int64_t> scan_time(Scanner& scanner) {
  const auto hour = scanner.digits(1, 2);
  if (!hour || *hour > 23 || !scanner.take(':')) return std::nullopt;
  const auto minute = scanner.digits(2, 2);
  if (!minute || *minute > 59 || !scanner.take(':')) return std::nullopt;
  const auto second = scanner.digits(2, 2);
  if (!second || *second > 59) return std::nullopt;
  const int64_t micros = ((*hour * 60LL + *minute) * 60 + *second) * 1'000'000;
  return micros + (scanner.take('.') ? scanner.fraction() : 0);
}

// False when there is something that is no offset.
bool scan_offset(Scanner& scanner, std::optional<minutes>& offset) {
  scanner.skip_blanks();
  if (scanner.is_at_end()) return true;
  if (scanner.take('Z')) {
    offset = minutes(0);
    return scanner.is_at_end();
  }
  const bool is_west = scanner.take('-');
  if (!is_west && !scanner.take('+')) return false;
  const auto hour = scanner.digits(1, 2);
  if (!hour || *hour > 23) return false;
  const auto minute = scanner.take(':') ? scanner.digits(2, 2) : std::optional<int>(0);
  if (!minute || *minute > 59 || !scanner.is_at_end()) return false;
  offset = minutes((*hour * 60 + *minute) * (is_west ? -1 : 1));
  return true;
}

}  // namespace

std::optional<std::string> timestamp_text(std::string_view plain) {
  Scanner scanner(plain);
  const std::optional<int64_t> date = scan_date(scanner);
  if (!date) return std::nullopt;
  if (!scanner.take('T') && !scanner.take('t') && !scanner.skip_blanks()) return std::nullopt;
  const std::optional<int64_t> time = scan_time(scanner);
  DateTime value;
  if (!time || !scan_offset(scanner, value.offset)) return std::nullopt;
  value.wall_micros = *date + *time;
  return format_iso(value);
}

}  // namespace tidemark::config
