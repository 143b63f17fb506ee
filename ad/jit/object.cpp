#include "ad/jit/object.hpp"

#include <cstring>
#include <elf.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

namespace tare::ad::jit {
namespace {

class Loader {
 public:
  Loader(std::span<const std::byte> object, std::string& why) : object_(object), why_(why) {}
  ~Loader() {
    if (memory_ != nullptr) munmap(memory_, bytes_);
  }
  Loader(const Loader&) = delete;
  Loader& operator=(const Loader&) = delete;

  void* load() {
    if (!read_sections() || !place() || !relocate()) return nullptr;
    void* entry = find_entry();
    if (entry == nullptr) return nullptr;
    if (mprotect(memory_, bytes_, PROT_READ | PROT_EXEC) != 0)
      return refuse("memory cannot be made executable");
    memory_ = nullptr;  // stays
    return entry;
  }

 private:
  std::nullptr_t refuse(std::string reason) {
    why_ = std::move(reason);
    return nullptr;
  }

  /// A struct at an offset of the file, if it lies inside.
  template <class T>
  bool read(std::uint64_t offset, T& to) const {
    if (offset > object_.size() || object_.size() - offset < sizeof(T)) return false;
    std::memcpy(&to, object_.data() + offset, sizeof(T));
    return true;
  }

  bool read_sections() {
    Elf64_Ehdr header{};
    if (!read(0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
        header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_machine != EM_X86_64 || header.e_type != ET_REL ||
        header.e_shentsize != sizeof(Elf64_Shdr)) {
      refuse("not an x86-64 object");
      return false;
    }
    for (std::uint64_t i = 0; i < header.e_shnum; ++i) {
      Elf64_Shdr section{};
      if (!read(header.e_shoff + i * sizeof section, section)) {
        refuse("sections outside of the file");
        return false;
      }
      const bool stored = section.sh_type != SHT_NOBITS && section.sh_type != SHT_NULL;
      if (stored &&
          (section.sh_offset > object_.size() || object_.size() - section.sh_offset < section.sh_size)) {
        refuse("a section outside of the file");
        return false;
      }
      sections_.push_back(section);
    }
    return true;
  }

  static bool is_loaded(const Elf64_Shdr& section) {
    return (section.sh_flags & SHF_ALLOC) != 0 && section.sh_size > 0;
  }

  bool place() {
    constexpr std::uint64_t most = std::uint64_t{64} << 20U;
    std::uint64_t at = 0;
    addresses_.assign(sections_.size(), 0);
    for (std::size_t i = 0; i < sections_.size(); ++i) {
      const auto& s = sections_[i];
      if (!is_loaded(s)) continue;
      const auto alignment = s.sh_addralign == 0 ? 1 : s.sh_addralign;
      if (alignment > 4096 || (alignment & (alignment - 1)) != 0 || s.sh_size > most) {
        refuse("a section of impossible size or alignment");
        return false;
      }
      at = (at + alignment - 1) / alignment * alignment;
      addresses_[i] = at;
      at += s.sh_size;
      if (at > most) {
        refuse("too large");
        return false;
      }
    }
    if (at == 0) {
      refuse("no code");
      return false;
    }
    bytes_ = at;
    memory_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory_ == MAP_FAILED) {
      memory_ = nullptr;
      refuse("no memory");
      return false;
    }
    for (std::size_t i = 0; i < sections_.size(); ++i) {
      if (!is_loaded(sections_[i]) || sections_[i].sh_type == SHT_NOBITS) continue;
      std::memcpy(base() + addresses_[i], object_.data() + sections_[i].sh_offset, sections_[i].sh_size);
    }
    return true;
  }

  bool relocate() {
    for (const auto& s : sections_) {
      if (s.sh_type != SHT_RELA || s.sh_info >= sections_.size() || !is_loaded(sections_[s.sh_info]))
        continue;
      for (std::uint64_t at = 0; at + sizeof(Elf64_Rela) <= s.sh_size; at += sizeof(Elf64_Rela)) {
        Elf64_Rela entry{};
        if (!read(s.sh_offset + at, entry) || !apply(s, entry)) return false;
      }
    }
    return true;
  }

  bool apply(const Elf64_Shdr& table, const Elf64_Rela& entry) {
    Elf64_Sym symbol{};
    if (table.sh_link >= sections_.size() ||
        !read(sections_[table.sh_link].sh_offset + ELF64_R_SYM(entry.r_info) * sizeof symbol, symbol) ||
        symbol.st_shndx == SHN_UNDEF || symbol.st_shndx >= sections_.size() ||
        !is_loaded(sections_[symbol.st_shndx])) {
      refuse("refers to something outside of itself");
      return false;
    }
    const auto& target = sections_[table.sh_info];
    const auto type = ELF64_R_TYPE(entry.r_info);
    const bool wide = type == R_X86_64_64;
    if (!wide && type != R_X86_64_PC32 && type != R_X86_64_PLT32) {
      refuse(fmt::format("relocation of kind {}", type));
      return false;
    }
    const std::uint64_t size = wide ? 8 : 4;
    if (entry.r_offset > target.sh_size || target.sh_size - entry.r_offset < size) {
      refuse("a relocation outside of its section");
      return false;
    }
    std::byte* place = base() + addresses_[table.sh_info] + entry.r_offset;
    const auto value = reinterpret_cast<std::uint64_t>(base()) + addresses_[symbol.st_shndx] +
                       symbol.st_value + static_cast<std::uint64_t>(entry.r_addend);
    if (wide) {
      std::memcpy(place, &value, 8);
    } else {
      const auto distance = static_cast<std::int32_t>(value - reinterpret_cast<std::uint64_t>(place));
      std::memcpy(place, &distance, 4);
    }
    return true;
  }

  void* find_entry() {
    for (const auto& s : sections_) {
      if (s.sh_type != SHT_SYMTAB) continue;
      for (std::uint64_t at = 0; at + sizeof(Elf64_Sym) <= s.sh_size; at += sizeof(Elf64_Sym)) {
        Elf64_Sym symbol{};
        if (!read(s.sh_offset + at, symbol)) break;
        if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx >= sections_.size()) continue;
        const auto& section = sections_[symbol.st_shndx];
        if (!is_loaded(section) || (section.sh_flags & SHF_EXECINSTR) == 0 ||
            symbol.st_value >= section.sh_size)
          continue;
        return base() + addresses_[symbol.st_shndx] + symbol.st_value;
      }
    }
    return refuse("no function");
  }

  std::byte* base() const { return static_cast<std::byte*>(memory_); }

  std::span<const std::byte> object_;
  std::string& why_;
  std::vector<Elf64_Shdr> sections_;
  std::vector<std::uint64_t> addresses_;
  void* memory_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace

void* load_object(std::span<const std::byte> object, std::string& why) {
  return Loader(object, why).load();
}

}  // namespace tare::ad::jit
