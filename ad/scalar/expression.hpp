// Expression nodes: what x*y + sin(x) is before it is assigned. A node holds its operands and its value by
// copy, so an expression kept in an auto variable never dangles. pull() hands every leaf its partial
// derivative of the whole expression; the factor one is a type of its own, so that the outermost product
// costs nothing.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include "ad/ops/table.hpp"

namespace tare::ad {

template <class T>
class Real;

/// The base of every expression node. It stands here so that the operators are found for nodes too.
struct NodeTag {};

namespace detail {

struct Unit {};

template <class T>
inline T scaled(Unit, const T& partial) {
  return partial;
}
template <class T>
inline T scaled(const T& seed, const T& partial) {
  return seed * partial;
}
template <class T>
inline T negated(Unit) {
  return T(-1);
}
template <class T>
inline T negated(const T& seed) {
  return -seed;
}

template <class E>
concept ExpressionNode = std::is_base_of_v<NodeTag, E>;

template <class T>
struct Leaf : NodeTag {
  using value_type = T;
  static constexpr int leaves = 1;
  T value;
  std::uint64_t id;

  [[nodiscard, gnu::always_inline]] std::uint64_t ids() const { return id; }
  [[nodiscard, gnu::always_inline]] std::uint64_t common() const { return id; }
  [[gnu::always_inline]] Leaf(const T& v, std::uint64_t i) : value(v), id(i) {}
  [[gnu::always_inline]] Leaf(const Leaf& o) : value(o.value), id(o.id) {}
  template <class Sink, class Seed>
  [[gnu::always_inline]] void pull(Sink& sink, const Seed& seed) const {
    sink.push(seed, id);
  }
  template <class Visitor>
  void visit(Visitor& visitor) const {
    visitor.leaf(*this);
  }
};

template <class T>
struct Constant : NodeTag {
  using value_type = T;
  static constexpr int leaves = 0;
  T value;

  [[nodiscard, gnu::always_inline]] std::uint64_t ids() const { return 0; }
  [[nodiscard, gnu::always_inline]] std::uint64_t common() const { return ~std::uint64_t{0}; }
  [[gnu::always_inline]] explicit Constant(const T& v) : value(v) {}
  [[gnu::always_inline]] Constant(const Constant& o) : value(o.value) {}
  template <class Sink, class Seed>
  [[gnu::always_inline]] void pull(Sink&, const Seed&) const {}
  template <class Visitor>
  void visit(Visitor&) const {}
};

template <class Op, class A>
struct UnaryNode : NodeTag {
  using value_type = typename A::value_type;
  static constexpr int leaves = A::leaves;
  A a;
  [[no_unique_address]] Op op;
  value_type value;

  [[nodiscard, gnu::always_inline]] std::uint64_t ids() const { return a.ids(); }
  [[nodiscard, gnu::always_inline]] std::uint64_t common() const { return a.common(); }
  [[gnu::always_inline]] UnaryNode(const A& x, const Op& o) : a(x), op(o), value(evaluate(op, a.value)) {}
  [[gnu::always_inline]] UnaryNode(const UnaryNode& o) : a(o.a), op(o.op), value(o.value) {}
  template <class Sink, class Seed>
  [[gnu::always_inline]] void pull(Sink& sink, const Seed& seed) const {
    if constexpr (std::is_same_v<Op, ops::Neg>) {
      a.pull(sink, negated<value_type>(seed));
    } else {
      a.pull(sink, scaled(seed, value_type(op.partial(a.value, value))));
    }
  }
  template <class Visitor>
  void visit(Visitor& visitor) const {
    a.visit(visitor);
    visitor.unary(*this);
  }
};

template <class Op, class A, class B>
struct BinaryNode : NodeTag {
  using value_type = typename A::value_type;
  static constexpr int leaves = A::leaves + B::leaves;
  A a;
  B b;
  [[no_unique_address]] Op op;
  value_type value;

  [[nodiscard, gnu::always_inline]] std::uint64_t ids() const { return a.ids() | b.ids(); }
  [[nodiscard, gnu::always_inline]] std::uint64_t common() const { return a.common() & b.common(); }
  [[gnu::always_inline]] BinaryNode(const A& x, const B& y, const Op& o)
      : a(x), b(y), op(o), value(evaluate(op, a.value, b.value)) {}
  [[gnu::always_inline]] BinaryNode(const BinaryNode& o) : a(o.a), b(o.b), op(o.op), value(o.value) {}
  template <class Sink, class Seed>
  [[gnu::always_inline]] void pull(Sink& sink, const Seed& seed) const {
    if constexpr (A::leaves != 0) {
      if constexpr (std::is_same_v<Op, ops::Add> || std::is_same_v<Op, ops::Sub>) {
        a.pull(sink, seed);
      } else {
        a.pull(sink, scaled(seed, value_type(op.left(a.value, b.value, value))));
      }
    }
    if constexpr (B::leaves != 0) {
      if constexpr (std::is_same_v<Op, ops::Add>) {
        b.pull(sink, seed);
      } else if constexpr (std::is_same_v<Op, ops::Sub>) {
        b.pull(sink, negated<value_type>(seed));
      } else {
        b.pull(sink, scaled(seed, value_type(op.right(a.value, b.value, value))));
      }
    }
  }
  template <class Visitor>
  void visit(Visitor& visitor) const {
    a.visit(visitor);
    b.visit(visitor);
    visitor.binary(*this);
  }
};

/// Whether assigning E only shifts its one leaf by a constant: then the result can share the leaf's index.
template <class E>
struct Shift : std::false_type {};
template <class T>
struct Shift<Leaf<T>> : std::true_type {
  static std::uint64_t id(const Leaf<T>& e) { return e.id; }
};
template <class A, class T>
struct Shift<BinaryNode<ops::Add, A, Constant<T>>> : Shift<A> {
  static std::uint64_t id(const BinaryNode<ops::Add, A, Constant<T>>& e) { return Shift<A>::id(e.a); }
};
template <class A, class T>
struct Shift<BinaryNode<ops::Sub, A, Constant<T>>> : Shift<A> {
  static std::uint64_t id(const BinaryNode<ops::Sub, A, Constant<T>>& e) { return Shift<A>::id(e.a); }
};
template <class B, class T>
struct Shift<BinaryNode<ops::Add, Constant<T>, B>> : Shift<B> {
  static std::uint64_t id(const BinaryNode<ops::Add, Constant<T>, B>& e) { return Shift<B>::id(e.b); }
};

/// How many leaves of E get the factor one, known at compile time: only then can a chain flag arise.
template <class E>
inline constexpr int unit_leaves = 0;
template <class T>
inline constexpr int unit_leaves<Leaf<T>> = 1;
template <class A, class B>
inline constexpr int unit_leaves<BinaryNode<ops::Add, A, B>> = unit_leaves<A> + unit_leaves<B>;
template <class A, class B>
inline constexpr int unit_leaves<BinaryNode<ops::Sub, A, B>> = unit_leaves<A>;

}  // namespace detail
}  // namespace tare::ad
