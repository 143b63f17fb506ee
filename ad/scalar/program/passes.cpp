#include "ad/scalar/program/passes.hpp"

#include <utility>

namespace tare::ad::detail {
namespace {

template <class F>
void each_argument(const Instruction& i, F f) {
  const int count = arguments_of(i);
  for (int k = 0; k < count; ++k) f(argument(i, k));
}

std::vector<std::uint32_t> use_counts(const Code& code) {
  std::vector<std::uint32_t> uses(code.instructions.size());
  for (const Instruction& i : code.instructions) {
    each_argument(i, [&](std::uint32_t used) { ++uses[used]; });
  }
  return uses;
}

}  // namespace

Code without_dead(Code code) {
  auto& list = code.instructions;
  std::vector<std::uint32_t> renamed(list.size());
  for (std::size_t i = list.size(); i-- > 0;) {
    if (list[i].prim == Prim::store) renamed[i] = 1;
    if (renamed[i] == 0) continue;
    each_argument(list[i], [&](std::uint32_t used) { renamed[used] = 1; });
  }
  std::uint32_t kept = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (renamed[i] == 0) continue;
    Instruction instruction = list[i];
    const int count = arguments_of(instruction);
    for (int k = 0; k < count; ++k) argument(instruction, k) = renamed[argument(instruction, k)];
    renamed[i] = kept;
    list[kept++] = instruction;
  }
  list.resize(kept);
  return code;
}

Code contracted(Code code) {
  auto& list = code.instructions;
  const std::vector<std::uint32_t> uses = use_counts(code);
  const auto single_product = [&](std::uint32_t i) { return list[i].prim == Prim::mul && uses[i] == 1; };
  for (Instruction& i : list) {
    const bool sum = i.prim == Prim::add;
    if (!sum && i.prim != Prim::sub) continue;
    if (single_product(i.b)) {
      i = {sum ? Prim::fma : Prim::fnma, 0, list[i.b].a, list[i.b].b, i.a};
    } else if (single_product(i.a)) {
      i = {sum ? Prim::fma : Prim::fms, 0, list[i.a].a, list[i.a].b, i.b};
    }
  }
  return without_dead(std::move(code));
}

Code paired(Code code) {
  const auto& list = code.instructions;
  std::vector<std::uint32_t> seen(list.size(), never);
  std::vector<std::uint32_t> partner(list.size(), never);
  bool any = false;
  for (std::uint32_t i = 0; i < list.size(); ++i) {
    if (list[i].prim != Prim::call) continue;
    if (list[i].function() != Function::sin && list[i].function() != Function::cos) continue;
    std::uint32_t& first = seen[list[i].a];
    if (first != never && list[first].function() != list[i].function() && partner[first] == never) {
      partner[first] = i;
      partner[i] = first;
      any = true;
    }
    first = first == never ? i : first;
  }
  if (!any) return code;
  std::vector<Instruction> reordered;
  reordered.reserve(list.size());
  std::vector<std::uint32_t> renamed(list.size(), never);
  const auto append = [&](std::uint32_t i) {
    Instruction instruction = list[i];
    const int count = arguments_of(instruction);
    for (int k = 0; k < count; ++k) argument(instruction, k) = renamed[argument(instruction, k)];
    renamed[i] = static_cast<std::uint32_t>(reordered.size());
    reordered.push_back(instruction);
  };
  for (std::uint32_t i = 0; i < list.size(); ++i) {
    if (renamed[i] != never) continue;
    const bool cosine_first = partner[i] != never && list[i].function() == Function::cos;
    append(cosine_first ? partner[i] : i);
    if (partner[i] != never) append(cosine_first ? i : partner[i]);
  }
  code.instructions = std::move(reordered);
  return code;
}

Places assign_places(const Code& code) {
  const auto& list = code.instructions;
  std::vector<std::uint32_t> last(list.size(), 0);
  for (std::uint32_t i = 0; i < list.size(); ++i) {
    each_argument(list[i], [&](std::uint32_t used) { last[used] = i; });
  }
  Places places{std::vector<std::uint32_t>(list.size(), never), 0};
  std::vector<std::uint32_t> free;
  for (std::uint32_t i = 0; i < list.size(); ++i) {
    // An argument that ends here may be the place of the result: it is read before that is written.
    each_argument(list[i], [&](std::uint32_t used) {
      if (last[used] != i) return;
      last[used] = never;  // an argument that occurs twice ends once
      free.push_back(places.place[used]);
    });
    if (list[i].prim == Prim::store) continue;
    if (free.empty()) free.push_back(places.count++);
    places.place[i] = free.back();
    free.pop_back();
    if (last[i] == 0) free.push_back(places.place[i]);
  }
  return places;
}

NextUses next_uses(const Code& code) {
  const auto& list = code.instructions;
  NextUses uses{std::vector<std::uint32_t>(3 * list.size(), never),
                std::vector<std::uint32_t>(list.size(), never)};
  for (auto i = static_cast<std::uint32_t>(list.size()); i-- > 0;) {
    const int count = arguments_of(list[i]);
    for (int k = 0; k < count; ++k) uses.next[3 * i + k] = uses.first[argument(list[i], k)];
    for (int k = 0; k < count; ++k) uses.first[argument(list[i], k)] = i;
  }
  return uses;
}

}  // namespace tare::ad::detail
