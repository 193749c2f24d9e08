// Ties fingerprints, record and append together for the hook.
#include <charconv>
#include <cstdlib>

#include <opscope/ledger.hpp>

#include "plugin/ledger/append.hpp"
#include "plugin/ledger/record.hpp"

namespace opscope {

namespace {

std::optional<std::uint64_t> source_date_epoch() {
  const char* const value = ::secure_getenv("SOURCE_DATE_EPOCH");
  if (value == nullptr) return std::nullopt;
  const std::string_view text{value};
  std::uint64_t seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return seconds;
}

// `fp<digits>:<32 lower-case hex digits>`: a fingerprint that a host made and that may be passed
// on.
bool is_fingerprint(std::string_view s) {
  const auto all = [](std::string_view t, std::string_view allowed) {
    return !t.empty() && t.find_first_not_of(allowed) == std::string_view::npos;
  };
  const std::size_t colon = s.find(':');
  return colon != std::string_view::npos && s.starts_with("fp") &&
         all(s.substr(2, colon - 2), "0123456789") && s.size() - colon - 1 == 32 &&
         all(s.substr(colon + 1), "0123456789abcdef");
}

}  // namespace

struct ledger::state {
  ledger_settings settings;
  std::optional<std::uint64_t> fixed_seconds;
  json_writer writer;
  // The source graph is the same for all stages of one compile: hashed once.
  std::string source_of_graph;
  std::uint64_t source_of_sequence = 0;
  std::optional<std::string> source_text;
  // After one full wait for a lock no compile is held up again until it was free once.
  bool lock_is_stuck = false;

  std::string now() const {
    if (fixed_seconds) {
      constexpr std::uint64_t most = 253'402'300'799;
      return iso_time(std::min(*fixed_seconds, most) * 1'000'000);
    }
    const auto since = std::chrono::system_clock::now().time_since_epoch();
    return iso_time(static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::microseconds>(since).count()));
  }

  const std::optional<std::string>& source(const rlx_compile_record& r) {
    const std::string_view graph = rlx::text(r.graph->name);
    if (source_text && source_of_graph == graph && source_of_sequence == r.sequence &&
        r.stage != RLX_STAGE_SOURCE) {
      return source_text;
    }
    source_text.reset();
    if (r.source != nullptr) {
      source_text = fingerprint(rlx::graph_view{*r.source});
    } else if (r.stage == RLX_STAGE_SOURCE) {
      source_text = fingerprint(rlx::graph_view{*r.graph});
    } else if (is_fingerprint(rlx::text(r.source_fingerprint))) {
      source_text = rlx::text(r.source_fingerprint);
    }
    source_of_graph = graph;
    source_of_sequence = r.sequence;
    return source_text;
  }
};

ledger::ledger(ledger_settings settings) : state_{std::make_unique<state>()} {
  state_->settings = std::move(settings);
  state_->fixed_seconds = source_date_epoch();
}
ledger::ledger(ledger&&) noexcept = default;
ledger& ledger::operator=(ledger&&) noexcept = default;
ledger::~ledger() = default;

std::optional<std::string> ledger::append(const rlx_compile_record& r, const graph_cost& cost,
                                          const graph_need* need, const bindings* bound) {
  state& s = *state_;
  const ledger_settings& settings = s.settings;
  const std::optional<std::string>& source = s.source(r);
  std::optional<std::string> lowered;
  if (r.stage == RLX_STAGE_LOWERED) {
    lowered = r.source == r.graph && source ? *source : fingerprint(rlx::graph_view{*r.graph});
  }
  const std::string time = s.now();
  const bool is_folder = !settings.place.empty() && settings.place.back() == '/';
  const auto wait = s.lock_is_stuck ? std::chrono::milliseconds{0} : settings.lock_wait;
  file_appender file{ledger_path(settings.place, rlx::text(r.graph->name)), !is_folder, wait};
  std::optional<std::string> problem;
  try {
    s.writer.clear();
    s.writer.set_sink(&file);
    write_record(s.writer, r, cost, {time, source, lowered, &settings, need, bound});
    s.writer.raw('\n');
    s.writer.flush();
    file.commit();
  } catch (const append_error& e) {
    problem = e.what();
  }
  s.writer.set_sink(nullptr);
  s.lock_is_stuck = file.timed_out();
  return problem;
}

}  // namespace opscope
