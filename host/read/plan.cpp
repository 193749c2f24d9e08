// The buffer plan of a LIR module.
#include <array>
#include <limits>

#include "host/read/reader.hpp"

namespace rlx::json {

namespace {

constexpr std::array<std::string_view, 8> plan_members{"arena_size",   "assignments",    "schedule",
                                                       "view_aliases", "phases",         "io",
                                                       "alignment",    "dynamic_symbols"};
constexpr std::array<std::string_view, 2> slot_members{"offset", "size"};
constexpr std::array<std::string_view, 2> alias_members{"root", "byte_offset"};
constexpr std::array<std::string_view, 1> phases_members{"map"};
constexpr std::array<std::string_view, 3> io_members{"inputs", "params", "outputs"};

// Maps from node ids: calls f(id, value, place), each id at most once.
template <class F>
void each_entry(context& c, od::value& v, const place& at, std::uint32_t count, F&& f) {
  std::vector<bool> seen(count);
  od::object o = read_object(c, v, at);
  each_member(c, o, [&](std::string_view key, od::value& m) {
    const place here = place::member(at, key);
    const auto id = parse_u64(key);
    if (!id) here.fail(quoted(key) + " is not a node's id, write it in decimal digits");
    if (*id >= count) {
      here.fail("there is no node " + std::to_string(*id) + " among the graph's " +
                std::to_string(count) + ", name one that is there");
    }
    if (seen[*id]) here.fail("the entry occurs twice, leave one of them out");
    seen[*id] = true;
    f(static_cast<std::uint32_t>(*id), m, here);
  });
}

slot read_slot(context& c, od::value& v, const place& at, depth d) {
  slot s{};
  od::object o = read_object(c, v, at);
  const std::uint32_t seen =
      read_members(c, o, at, slot_members, d.values, [&](std::size_t i, od::value& m) {
        (i == 0 ? s.offset : s.bytes) = read_u64(c, m, place::member(at, slot_members[i]));
      });
  require(seen, 0b11, slot_members, at);
  std::uint64_t end = 0;
  if (__builtin_add_overflow(s.offset, s.bytes, &end)) {
    at.fail("the slot ends beyond 2^64 bytes, correct its offset or size");
  }
  return s;
}

view_alias read_alias(context& c, od::value& v, const place& at, depth d, std::uint32_t id) {
  view_alias alias{};
  od::object o = read_object(c, v, at);
  const std::uint32_t seen =
      read_members(c, o, at, alias_members, d.values, [&](std::size_t i, od::value& m) {
        const place here = place::member(at, alias_members[i]);
        if (i == 0) {
          alias.root = read_u32(c, m, here);
        } else {
          alias.byte_offset = read_u64(c, m, here);
        }
      });
  require(seen, 0b11, alias_members, at);
  if (alias.root >= id) {
    at.fail("the root " + std::to_string(alias.root) +
            " does not come before its view, name the node that owns the storage");
  }
  return alias;
}

phase read_phase(context& c, od::value& v, const place& at) {
  const std::string_view text = read_string(c, v, at);
  if (text == "Prologue") return phase::prologue;
  if (text == "SteadyState") return phase::steady_state;
  if (text == "Epilogue") return phase::epilogue;
  at.fail(quoted(text) + " is no phase, write Prologue, SteadyState or Epilogue");
}

std::vector<std::pair<std::string_view, std::uint32_t>> read_bindings(context& c, od::value& v,
                                                                      const place& at,
                                                                      std::uint32_t count) {
  std::vector<std::pair<std::string_view, std::uint32_t>> bindings;
  each_element(c, v, at, [&](od::value& e, std::uint64_t i) {
    const place here = place::element(at, i);
    std::pair<std::string_view, std::uint32_t> binding;
    std::uint64_t size = 0;
    each_element(c, e, here, [&](od::value& part, std::uint64_t j) {
      const place there = place::element(here, j);
      if (j == 0) binding.first = read_string(c, part, there);
      if (j == 1) binding.second = read_u32(c, part, there);
      size = j + 1;
      if (size > 2) here.fail("more than a name and a node's id, leave the rest out");
    });
    if (size != 2) here.fail("not a pair of a name and a node's id, write both");
    if (binding.second >= count) {
      here.fail("there is no node " + std::to_string(binding.second) + " among the graph's " +
                std::to_string(count) + ", name one that is there");
    }
    bindings.push_back(binding);
  });
  return bindings;
}

void read_io(context& c, od::value& v, const place& at, depth d, std::uint32_t count,
             buffer_plan& plan) {
  od::object o = read_object(c, v, at);
  const std::uint32_t seen =
      read_members(c, o, at, io_members, d.values, [&](std::size_t i, od::value& m) {
        const place here = place::member(at, io_members[i]);
        if (i == 0) plan.inputs = read_bindings(c, m, here, count);
        if (i == 1) plan.params = read_bindings(c, m, here, count);
        if (i == 2) read_ids(c, m, here, count, plan.outputs);
      });
  require(seen, 0b111, io_members, at);
}

void read_phases(context& c, od::value& v, const place& at, depth d, std::uint32_t count,
                 buffer_plan& plan) {
  od::object o = read_object(c, v, at);
  const std::uint32_t seen =
      read_members(c, o, at, phases_members, d.values, [&](std::size_t, od::value& m) {
        each_entry(c, m, place::member(at, "map"), count,
                   [&](std::uint32_t id, od::value& e, const place& here) {
                     plan.phases[id] = read_phase(c, e, here);
                   });
      });
  require(seen, 0b1, phases_members, at);
}

void expect_owning_roots(const buffer_plan& plan, const place& at) {
  for (std::size_t id = 0; id < plan.views.size(); ++id) {
    const auto& alias = plan.views[id];
    if (!alias || !plan.views[alias->root]) continue;
    const std::string key = std::to_string(id);
    const place aliases = place::member(at, "view_aliases");
    place::member(aliases, key)
        .fail("its root " + std::to_string(alias->root) +
              " is a view itself, name the node that owns the storage");
  }
}

}  // namespace

buffer_plan read_plan(context& c, od::object& o, const place& at, depth d, const graph& g) {
  buffer_plan plan;
  const std::uint32_t count = g.size();
  plan.slots.resize(count);
  plan.views.resize(count);
  plan.phases.resize(count, phase::absent);
  const depth inside = d.inside();
  const std::uint32_t seen =
      read_members(c, o, at, plan_members, d.values, [&](std::size_t i, od::value& m) {
        const place here = place::member(at, plan_members[i]);
        switch (i) {
          case 0:
            plan.arena_bytes = read_u64(c, m, here);
            break;
          case 1:
            each_entry(c, m, here, count, [&](std::uint32_t id, od::value& e, const place& there) {
              plan.slots[id] = read_slot(c, e, there, inside.inside());
            });
            break;
          case 2:
            read_ids(c, m, here, count, plan.schedule);
            break;
          case 3:
            each_entry(c, m, here, count, [&](std::uint32_t id, od::value& e, const place& there) {
              plan.views[id] = read_alias(c, e, there, inside.inside(), id);
            });
            break;
          case 4:
            read_phases(c, m, here, inside, count, plan);
            break;
          case 5:
            read_io(c, m, here, inside, count, plan);
            break;
          case 6:
            plan.alignment = read_u64(c, m, here);
            break;
          default:
            each_element(c, m, here, [&](od::value& e, std::uint64_t j) {
              plan.dynamic_symbols.push_back(read_u32(c, e, place::element(here, j)));
            });
        }
      });
  require(seen, 0b11111111, plan_members, at);
  expect_owning_roots(plan, at);
  return plan;
}

}  // namespace rlx::json
