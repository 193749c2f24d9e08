// The dynamic symbols that a shared object defines, read from the file itself.
#pragma once

#include <elf.h>

#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/support/process.hpp"

namespace opscope::test {

// Throws where the file is no 64-bit ELF object with section headers.
inline std::vector<std::string> defined_symbols(const std::string& path) {
  const std::string file = read_file(path);
  const auto read = [&](std::size_t offset, void* to, std::size_t size) {
    if (offset > file.size() || size > file.size() - offset) {
      throw std::runtime_error{"a truncated ELF object"};
    }
    std::memcpy(to, file.data() + offset, size);
  };
  Elf64_Ehdr header;
  read(0, &header, sizeof header);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_shnum == 0) {
    throw std::runtime_error{"no 64-bit ELF object with section headers"};
  }
  const auto section = [&](std::size_t i) {
    Elf64_Shdr s;
    read(header.e_shoff + i * header.e_shentsize, &s, sizeof s);
    return s;
  };
  std::vector<std::string> names;
  for (std::size_t i = 0; i < header.e_shnum; ++i) {
    const Elf64_Shdr symbols = section(i);
    if (symbols.sh_type != SHT_DYNSYM) continue;
    const Elf64_Shdr strings = section(symbols.sh_link);
    for (std::size_t at = 0; at + sizeof(Elf64_Sym) <= symbols.sh_size; at += sizeof(Elf64_Sym)) {
      Elf64_Sym symbol;
      read(symbols.sh_offset + at, &symbol, sizeof symbol);
      if (symbol.st_shndx == SHN_UNDEF || ELF64_ST_TYPE(symbol.st_info) == STT_SECTION) continue;
      std::string name(256, '\0');
      const std::size_t offset = strings.sh_offset + symbol.st_name;
      read(offset, name.data(), std::min(name.size(), file.size() - offset));
      names.emplace_back(name.c_str());
    }
  }
  return names;
}

}  // namespace opscope::test
