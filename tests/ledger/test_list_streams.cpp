// opscope list over long ledgers: it prints while it reads, and needs no more memory for more
// records.
#define BOOST_TEST_MODULE list_streams
#include <sys/resource.h>

#include <boost/test/unit_test.hpp>

#include "tests/ledger/run.hpp"

namespace opscope::test {
namespace {

std::string record_line() {
  const scratch s;
  view_builder b{"model"};
  const auto x = b.input("x", {4, 8});
  b.outputs({b.node(RLX_KIND_Softmax, {x}, {4, 8}, RLX_DTYPE_F32, {{"axis", -1}})});
  BOOST_REQUIRE(append_graph(s.path("l"), b.get()) == "");
  return read_text(s.path("l"));
}

struct list_run {
  int status = -1;
  std::uint64_t lines = 0;
  long peak_kib = 0;
};

// Lists a ledger of so many records, which no file holds: they are written into a pipe.
list_run list_records(const std::string& line, std::size_t records, const char* format) {
  const scratch s;
  int ends[2];
  BOOST_REQUIRE(::pipe(ends) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const int out = ::open(s.path("out").c_str(), O_WRONLY | O_CREAT, 0666);
    if (::dup2(ends[0], 0) < 0 || ::dup2(out, 1) < 0) ::_exit(120);
    ::close(ends[0]);
    ::close(ends[1]);
    ::execl(OPSCOPE_BIN "/opscope", "opscope", "list", "--format", format, "-",
            static_cast<char*>(nullptr));
    ::_exit(121);
  }
  ::close(ends[0]);
  for (std::size_t i = 0; i < records; ++i) {
    std::string_view rest = line;
    while (!rest.empty()) {
      const ssize_t n = ::write(ends[1], rest.data(), rest.size());
      BOOST_REQUIRE(n > 0);
      rest.remove_prefix(static_cast<std::size_t>(n));
    }
  }
  ::close(ends[1]);
  list_run r;
  int status = 0;
  rusage used{};
  BOOST_REQUIRE(::wait4(child, &status, 0, &used) == child);
  r.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  r.peak_kib = used.ru_maxrss;
  const std::string out = read_text(s.path("out"));
  r.lines = static_cast<std::uint64_t>(std::count(out.begin(), out.end(), '\n'));
  return r;
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr long slack_kib = 512 * 1024;  // a sanitizer keeps what was freed
#else
constexpr long slack_kib = 1024;
#endif

}  // namespace

BOOST_AUTO_TEST_SUITE(list)

BOOST_AUTO_TEST_CASE(needs_no_more_memory_for_ten_times_the_records) {
  const std::string line = record_line();
  constexpr std::size_t few = 2'000;
  constexpr std::size_t many = 20'000;
  for (const char* format : {"text", "json", "csv"}) {
    const std::uint64_t heading = std::string_view{format} == "json" ? 0 : 1;
    const list_run small = list_records(line, few, format);
    const list_run large = list_records(line, many, format);
    BOOST_TEST(small.status == 0);
    BOOST_TEST(large.status == 0);
    BOOST_TEST(small.lines == few + heading, format);
    BOOST_TEST(large.lines == many + heading, format);
    BOOST_TEST(large.peak_kib <= small.peak_kib + slack_kib,
               format << ": " << small.peak_kib << " KiB, then " << large.peak_kib << " KiB");
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace opscope::test
