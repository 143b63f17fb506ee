// A number that writes instructions: the op rules and vector_math.hpp, instantiated with it, become machine
// code. Its type, one number or a register of them, is the current Emission's.
#pragma once

#include <array>
#include <cstdint>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/MDBuilder.h>

#include "ad/jit/library.hpp"
#include "ad/ops/vector_math.hpp"

namespace tare::ad::jit {

/// Where and for what code is being written.
struct Emission {
  llvm::IRBuilder<>* builder = nullptr;
  llvm::Type* number = nullptr;    ///< float, double, or a vector of them
  llvm::Value* library = nullptr;  ///< address of the table of functions
  bool fused_products = true;
  bool branches = true;  ///< past what is rare; without, copies of a loop's body stay interleaved

  [[nodiscard]] unsigned lanes() const {
    const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(number);
    return vector == nullptr ? 1 : vector->getNumElements();
  }
  [[nodiscard]] bool is_double() const { return number->getScalarType()->isDoubleTy(); }
  /// int32 or int64, as many as there are numbers.
  [[nodiscard]] llvm::Type* whole() const {
    auto* one = llvm::IntegerType::get(builder->getContext(), is_double() ? 64 : 32);
    return lanes() == 1 ? static_cast<llvm::Type*>(one) : llvm::FixedVectorType::get(one, lanes());
  }
};
inline thread_local Emission emission;

inline llvm::IRBuilder<>& code() {
  return *emission.builder;
}

struct Flag {
  llvm::Value* v;
};

struct Lane {
  llvm::Value* v;
  explicit Lane(llvm::Value* value) : v(value) {}
  explicit Lane(double x) : v(llvm::ConstantFP::get(emission.number, x)) {}
  explicit Lane(float x) : v(llvm::ConstantFP::get(emission.number, static_cast<double>(x))) {}
  explicit Lane(int x) : Lane(static_cast<double>(x)) {}

  friend Lane operator+(const Lane& a, const Lane& b) { return Lane(code().CreateFAdd(a.v, b.v)); }
  friend Lane operator-(const Lane& a, const Lane& b) { return Lane(code().CreateFSub(a.v, b.v)); }
  friend Lane operator*(const Lane& a, const Lane& b) { return Lane(code().CreateFMul(a.v, b.v)); }
  friend Lane operator/(const Lane& a, const Lane& b) { return Lane(code().CreateFDiv(a.v, b.v)); }
  friend Lane operator-(const Lane& a) { return Lane(code().CreateFNeg(a.v)); }
  friend Flag operator<(const Lane& a, const Lane& b) { return {code().CreateFCmpOLT(a.v, b.v)}; }
  friend Flag operator<=(const Lane& a, const Lane& b) { return {code().CreateFCmpOLE(a.v, b.v)}; }
  friend Flag operator>(const Lane& a, const Lane& b) { return {code().CreateFCmpOGT(a.v, b.v)}; }
  friend Flag operator>=(const Lane& a, const Lane& b) { return {code().CreateFCmpOGE(a.v, b.v)}; }
  friend Flag operator==(const Lane& a, const Lane& b) { return {code().CreateFCmpOEQ(a.v, b.v)}; }
  friend Flag operator!=(const Lane& a, const Lane& b) { return {code().CreateFCmpUNE(a.v, b.v)}; }
};

inline Lane select(const Flag& c, const Lane& a, const Lane& b) {
  return Lane(code().CreateSelect(c.v, a.v, b.v));
}
inline Lane intrinsic(llvm::Intrinsic::ID id, const Lane& x) {
  return Lane(code().CreateUnaryIntrinsic(id, x.v));
}

inline Lane fused(const Lane& a, const Lane& b, const Lane& c) {
  return Lane(code().CreateIntrinsic(llvm::Intrinsic::fmuladd, {emission.number}, {a.v, b.v, c.v}));
}
inline Lane magnitude(const Lane& x) {
  return intrinsic(llvm::Intrinsic::fabs, x);
}
inline Lane abs(const Lane& x) {
  return magnitude(x);
}
inline Lane sqrt(const Lane& x) {
  return intrinsic(llvm::Intrinsic::sqrt, x);
}
inline Lane floor(const Lane& x) {
  return intrinsic(llvm::Intrinsic::floor, x);
}
inline Lane nearest(const Lane& x) {
  return intrinsic(llvm::Intrinsic::roundeven, x);
}
// Single precision only, as vector_math.hpp asks for them.
inline llvm::Value* bits_of(const Lane& x) {
  return code().CreateBitCast(x.v, emission.whole());
}
inline Lane of_bits(llvm::Value* bits) {
  return Lane(code().CreateBitCast(bits, emission.number));
}
inline Lane times_power(const Lane& x, const Lane& t) {
  auto& b = code();
  if (emission.lanes() == 16)  // AVX-512 has an instruction for it
    return Lane(b.CreateIntrinsic(llvm::Intrinsic::x86_avx512_mask_scalef_ps_512, {},
                                  {x.v, (t - Lane(lanes::rounding)).v, x.v, b.getInt16(-1), b.getInt32(4)}));
  // In two steps: 2ⁿ alone may overflow or be subnormal where the result does not.
  auto* n = bits_of(t);
  auto* half = b.CreateAShr(n, 1);
  const Lane power =
      of_bits(b.CreateAdd(b.CreateShl(half, 23), llvm::ConstantInt::get(emission.whole(), 0x3F800000)));
  return of_bits(b.CreateAdd(bits_of(x), b.CreateShl(b.CreateSub(n, half), 23))) * power;
}
inline bool may_branch(const Lane&) {
  return emission.branches && emission.lanes() != 16;  // where times_power is one instruction
}
inline Lane held(const Lane& x) {
  return x;
}
inline Lane lifted(const Lane& x, const Lane& t) {
  return of_bits(code().CreateAdd(bits_of(x), code().CreateShl(bits_of(t), 23)));
}
inline Lane signed_as(const Lane& x, const Lane& y) {
  return Lane(code().CreateBinaryIntrinsic(llvm::Intrinsic::copysign, x.v, y.v));
}
template <class F, class G>
Lane usually(const Flag& c, F f, G g) {
  auto& b = code();
  auto* all = emission.lanes() == 1 ? c.v : b.CreateAndReduce(c.v);
  auto* parent = b.GetInsertBlock()->getParent();
  auto* common = llvm::BasicBlock::Create(b.getContext(), "common", parent);
  auto* rare = llvm::BasicBlock::Create(b.getContext(), "rare", parent);
  auto* done = llvm::BasicBlock::Create(b.getContext(), "done", parent);
  b.CreateCondBr(all, common, rare, llvm::MDBuilder(b.getContext()).createBranchWeights(1000, 1));
  b.SetInsertPoint(common);
  const Lane usual = f();
  auto* after_common = b.GetInsertBlock();
  b.CreateBr(done);
  b.SetInsertPoint(rare);
  const Lane unusual = g();
  auto* after_rare = b.GetInsertBlock();
  b.CreateBr(done);
  b.SetInsertPoint(done);
  auto* joined = b.CreatePHI(emission.number, 2);
  joined->addIncoming(usual.v, after_common);
  joined->addIncoming(unusual.v, after_rare);
  return Lane(joined);
}
inline Lane exponent(const Lane& x) {
  auto* bits = code().CreateLShr(code().CreateBitCast(x.v, emission.whole()), 23);
  bits = code().CreateAnd(bits, llvm::ConstantInt::get(emission.whole(), 0xFF));
  bits = code().CreateSub(bits, llvm::ConstantInt::get(emission.whole(), 127));
  return Lane(code().CreateSIToFP(bits, emission.number));
}
inline Lane significand(const Lane& x) {
  auto* bits = code().CreateBitCast(x.v, emission.whole());
  bits = code().CreateAnd(bits, llvm::ConstantInt::get(emission.whole(), 0x007FFFFF));
  bits = code().CreateOr(bits, llvm::ConstantInt::get(emission.whole(), 0x3F800000));
  return Lane(code().CreateBitCast(bits, emission.number));
}

/// A function of the C library, number by number.
template <class... Lanes>
Lane call(LibraryFunction function, const Lanes&... arguments) {
  auto& b = code();
  auto* one = emission.number->getScalarType();
  auto* type = llvm::FunctionType::get(
      one, std::array<llvm::Type*, sizeof...(Lanes)>{((void)arguments, one)...}, false);
  auto* place = b.CreateConstInBoundsGEP1_64(b.getPtrTy(), emission.library,
                                             library_index(function, emission.is_double()));
  auto* address = b.CreateLoad(b.getPtrTy(), place);
  const auto of = [&](auto&&... values) -> llvm::Value* {
    return b.CreateCall(type, address, std::array<llvm::Value*, sizeof...(Lanes)>{values...});
  };
  if (emission.lanes() == 1) return Lane(of(arguments.v...));
  llvm::Value* result = llvm::PoisonValue::get(emission.number);
  for (std::uint64_t i = 0; i < emission.lanes(); ++i)
    result = b.CreateInsertElement(result, of(b.CreateExtractElement(arguments.v, i)...), i);
  return Lane(result);
}

// Single precision by our own polynomials, double precision by the C library.
#define TARE_JIT_POLYNOMIAL(name)                                                     \
  inline Lane name(const Lane& x) {                                                   \
    return emission.is_double() ? call(LibraryFunction::name##_, x) : lanes::name(x); \
  }
TARE_JIT_POLYNOMIAL(exp)
TARE_JIT_POLYNOMIAL(expm1)
TARE_JIT_POLYNOMIAL(log)
TARE_JIT_POLYNOMIAL(log1p)
TARE_JIT_POLYNOMIAL(tanh)
TARE_JIT_POLYNOMIAL(erf)
#undef TARE_JIT_POLYNOMIAL

/// Beyond the range that the reduction holds for, and of NaN, the C library's.
template <class F>
Lane angle(LibraryFunction function, const Lane& x, F polynomial) {
  if (emission.is_double() || !emission.fused_products) return call(function, x);
  return usually(
      magnitude(x) <= Lane(lanes::largest_angle), [&] { return polynomial(x); },
      [&] { return call(function, x); });
}
inline Lane sin(const Lane& x) {
  return angle(LibraryFunction::sin_, x, [](const Lane& y) { return lanes::sin(y); });
}
inline Lane cos(const Lane& x) {
  return angle(LibraryFunction::cos_, x, [](const Lane& y) { return lanes::cos(y); });
}

#define TARE_JIT_LIBRARY(name)                \
  inline Lane name(const Lane& x) {           \
    return call(LibraryFunction::name##_, x); \
  }
TARE_JIT_LIBRARY(exp2)
TARE_JIT_LIBRARY(log2)
TARE_JIT_LIBRARY(log10)
TARE_JIT_LIBRARY(cbrt)
TARE_JIT_LIBRARY(erfc)
TARE_JIT_LIBRARY(tan)
TARE_JIT_LIBRARY(asin)
TARE_JIT_LIBRARY(acos)
TARE_JIT_LIBRARY(atan)
TARE_JIT_LIBRARY(sinh)
TARE_JIT_LIBRARY(cosh)
TARE_JIT_LIBRARY(asinh)
TARE_JIT_LIBRARY(acosh)
TARE_JIT_LIBRARY(atanh)
#undef TARE_JIT_LIBRARY
#define TARE_JIT_LIBRARY(name)                     \
  inline Lane name(const Lane& a, const Lane& b) { \
    return call(LibraryFunction::name##_, a, b);   \
  }
TARE_JIT_LIBRARY(pow)
TARE_JIT_LIBRARY(atan2)
TARE_JIT_LIBRARY(hypot)
#undef TARE_JIT_LIBRARY

}  // namespace tare::ad::jit
