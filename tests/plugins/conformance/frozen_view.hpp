// A graph view copied into pages that cannot be written, and that vanish with the copy: a plugin
// that changes what it was lent, or looks at it after its hook returned, is killed on the spot.
#pragma once

#include <rlx/plugin.h>
#include <sys/mman.h>

#include <cstdint>
#include <cstring>
#include <stdexcept>

namespace opscope::test {

class frozen_record {
 public:
  // Deep copy, with everything the record points to.
  explicit frozen_record(const rlx_compile_record& record) {
    place(record);  // counts
    size_ = (used_ + page - 1) / page * page;
    void* const memory =
        ::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::runtime_error{"no memory for a frozen record"};
    memory_ = static_cast<char*>(memory);
    used_ = 0;
    record_ = place(record);
    ::mprotect(memory_, size_, PROT_READ);
  }
  ~frozen_record() {
    // Kept reserved, so that nothing else is mapped where a stale pointer leads.
    ::mprotect(memory_, size_, PROT_NONE);
  }
  frozen_record(const frozen_record&) = delete;
  frozen_record& operator=(const frozen_record&) = delete;
  const rlx_compile_record* get() const { return record_; }

 private:
  static constexpr std::size_t page = 4096;

  // Copies bytes where there is memory yet; the first round only counts.
  void* raw(const void* from, std::size_t size) {
    used_ = (used_ + 15) / 16 * 16;
    char* const to = memory_ == nullptr ? nullptr : memory_ + used_;
    used_ += size + 1;  // a range of no bytes has an address of its own
    if (to != nullptr && size != 0) std::memcpy(to, from, size);
    return to;
  }
  template <class T>
  T* array(const T* from, std::size_t count, std::size_t stride = sizeof(T)) {
    return static_cast<T*>(raw(from, count * stride));
  }
  rlx_string text(const rlx_string& s) {
    if (s.data == nullptr) return s;
    return {array(s.data, s.size), s.size};
  }
  template <class T, class Change>
  const T* structs(const T* from, std::size_t count, std::size_t stride, Change change) {
    T* const to = array(from, count, stride);
    for (std::size_t i = 0; i < count; ++i) {
      const T& source = *at(from, i, stride);
      T scratch = source;
      change(scratch);
      if (to != nullptr) *const_cast<T*>(at<T>(to, i, stride)) = scratch;
    }
    return to;
  }
  template <class T>
  static const T* at(const T* first, std::size_t i, std::size_t stride) {
    return reinterpret_cast<const T*>(reinterpret_cast<const char*>(first) + i * stride);
  }
  void attribute(rlx_attribute& a) {
    a.name = text(a.name);
    const rlx_attribute_type element = a.type & ~RLX_ATTRIBUTE_ARRAY;
    const bool is_text = element == RLX_ATTRIBUTE_TEXT || element == RLX_ATTRIBUTE_JSON;
    if ((a.type & RLX_ATTRIBUTE_ARRAY) == 0) {
      if (is_text) a.value.text = text(a.value.text);
    } else if (is_text) {
      a.value.texts =
          structs(a.value.texts, a.count, sizeof(rlx_string), [&](rlx_string& s) { s = text(s); });
    } else {
      a.value.u64s = array(a.value.u64s, a.count);
    }
  }
  const rlx_graph_view* place(const rlx_graph_view& g) {
    rlx_graph_view copy = g;
    copy.name = text(g.name);
    copy.nodes = array(g.nodes, g.node_count, g.node_stride);
    copy.infos = structs(g.infos, g.node_count, g.info_stride, [&](rlx_node_info& i) {
      for (rlx_string* s :
           {&i.kind_text, &i.dtype_text, &i.name, &i.origin_label, &i.origin_pass}) {
        *s = text(*s);
      }
    });
    copy.inputs = array(g.inputs, g.input_count);
    copy.dims = array(g.dims, g.dim_count);
    copy.outputs = array(g.outputs, g.output_count);
    copy.attributes = structs(g.attributes, g.attribute_count, g.attribute_stride,
                              [&](rlx_attribute& a) { attribute(a); });
    copy.nested = structs(g.nested, g.nested_count, g.nested_stride, [&](rlx_nested_graph& nested) {
      nested.role = text(nested.role);
      nested.graph = place(*nested.graph);
    });
    return array(&copy, 1);
  }
  // A record longer than the version this build knows: garbage after its last member.
  const rlx_compile_record* place(const rlx_compile_record& r) {
    struct longer {
      rlx_compile_record known;
      std::uint64_t garbage[4];
    };
    longer copy{r, {~0ull, 1, ~0ull, 1}};
    copy.known.struct_size = r.struct_size > sizeof r ? sizeof copy : r.struct_size;
    copy.known.graph = place(*r.graph);
    if (r.source != nullptr) {
      copy.known.source = r.source == r.graph ? copy.known.graph : place(*r.source);
    }
    for (rlx_string* s :
         {&copy.known.source_fingerprint, &copy.known.pass, &copy.known.target,
          &copy.known.compiler_name, &copy.known.compiler_version, &copy.known.pipeline}) {
      *s = text(*s);
    }
    copy.known.options =
        structs(r.options, r.option_count, r.option_stride, [&](rlx_option& option) {
          option.name = text(option.name);
          option.value = text(option.value);
        });
    const longer* const placed = array(&copy, 1);
    return placed == nullptr ? nullptr : &placed->known;
  }

  char* memory_ = nullptr;
  std::size_t size_ = 0;
  std::size_t used_ = 0;
  const rlx_compile_record* record_ = nullptr;
};

}  // namespace opscope::test
