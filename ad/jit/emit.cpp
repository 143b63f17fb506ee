#include "ad/jit/emit.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <llvm/IR/IntrinsicsX86.h>
#include <map>

#include "ad/graph/kernel_cost.hpp"
#include "ad/jit/emit_ops.hpp"
#include "ad/jit/streaming.hpp"

namespace tare::ad::jit {
namespace {

using graph::Access;
using graph::KernelCall;
using graph::KernelNode;
using Kind = KernelNode::Kind;
using llvm::BasicBlock;
using llvm::Value;

// Flops of a pass that has at least one function such as exp, and that has several.
constexpr double one_function = 15, several_functions = 60;
// Rows that are fetched ahead: shorter ones are there anyway, longer ones do not stay.
constexpr std::int64_t shortest_fetched = 1024, longest_fetched = 65536;

class Emitter {
 public:
  Emitter(llvm::Module& module, const graph::Kernel& kernel, const graph::KernelPlan& plan,
          const Target& target)
      : kernel_(kernel),
        plan_(plan),
        module_(module),
        context_(module.getContext()),
        b_(context_),
        target_(target) {
    llvm::FastMathFlags flags;
    flags.setAllowContract();
    b_.setFastMathFlags(flags);
    one_ = kernel.dtype == DType::f32 ? b_.getFloatTy() : b_.getDoubleTy();
    size_ = kernel.dtype == DType::f32 ? 4 : 8;
    width_ = target.register_bytes / size_;
    wide_ = llvm::FixedVectorType::get(one_, width_);
    small_.assign(kernel.nodes.size(), nullptr);
    emission = {&b_, one_, nullptr, target.fused_products};
  }

  void run() {
    function_ = llvm::Function::Create(llvm::FunctionType::get(b_.getVoidTy(), {b_.getPtrTy()}, false),
                                       llvm::Function::ExternalLinkage, "kernel", module_);
    function_->addFnAttr(llvm::Attribute::NoUnwind);
    function_->addFnAttr("prefer-vector-width", std::to_string(8 * target_.register_bytes));
    function_->addFnAttr("min-legal-vector-width", std::to_string(8 * target_.register_bytes));
    b_.SetInsertPoint(BasicBlock::Create(context_, "entry", function_));
    read_call();
    set_partials();
    ahead_ = pass_that_fetches();
    for (const auto at : plan_.once) emit_small(at);
    emit_rows();
    if (streams(kernel_)) b_.CreateIntrinsic(llvm::Intrinsic::x86_sse_sfence, {}, {});
    b_.CreateRetVoid();
  }

 private:
  const KernelNode& node(std::int32_t at) const { return kernel_.nodes[static_cast<std::size_t>(at)]; }
  Value* whole(std::int64_t x) { return b_.getInt64(static_cast<std::uint64_t>(x)); }

  // The call.
  Value* field(std::size_t offset, llvm::Type* type) {
    return b_.CreateLoad(type, b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), function_->getArg(0), offset));
  }
  void read_call() {
    auto* operands = field(offsetof(KernelCall, operands), b_.getPtrTy());
    for (std::size_t k = 0; k < kernel_.operands.size(); ++k)
      operands_.push_back(
          b_.CreateLoad(b_.getPtrTy(), b_.CreateConstInBoundsGEP1_64(b_.getPtrTy(), operands, k)));
    row_begin_ = field(offsetof(KernelCall, row_begin), b_.getInt64Ty());
    row_end_ = field(offsetof(KernelCall, row_end), b_.getInt64Ty());
    // Only flat kernels are split by columns.
    column_begin_ = kernel_.rows > 1 ? whole(0) : field(offsetof(KernelCall, column_begin), b_.getInt64Ty());
    column_end_ =
        kernel_.rows > 1 ? whole(kernel_.columns) : field(offsetof(KernelCall, column_end), b_.getInt64Ty());
    scratch_ = field(offsetof(KernelCall, scratch), b_.getPtrTy());
    partials_ = field(offsetof(KernelCall, partials), b_.getPtrTy());
    outside_ = field(offsetof(KernelCall, outside), b_.getPtrTy());
    emission.library = field(offsetof(KernelCall, library), b_.getPtrTy());
  }

  Value* address(Value* base, Value* index, llvm::Type* type) {
    return b_.CreateInBoundsGEP(type, base, index);
  }
  llvm::Type* stored_type(DType dtype) {
    if (dtype == DType::boolean) return b_.getInt8Ty();
    return dtype == DType::i64 ? static_cast<llvm::Type*>(b_.getInt64Ty()) : one_;
  }
  Value* scratch_row(std::int32_t at) {
    const auto place = std::ranges::find(plan_.scratch, at) - plan_.scratch.begin();
    return address(scratch_, whole(place * ((kernel_.columns + 15) / 16 * 16)), one_);
  }
  Value* partial(std::int32_t fold) {
    const auto place = std::ranges::find(plan_.final_folds, fold) - plan_.final_folds.begin();
    return address(partials_, whole(plan_.partial_offsets[static_cast<std::size_t>(place)]), one_);
  }

  // Folds.
  double neutral(Op op) const {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    return op == Op::amax ? -infinity : op == Op::amin ? infinity : 0;
  }
  /// NaN wins.
  Value* combined(Op op, Value* a, Value* b) {
    if (op == Op::sum) return b_.CreateFAdd(a, b);
    auto* better = op == Op::amax ? b_.CreateFCmpOGT(b, a) : b_.CreateFCmpOLT(b, a);
    auto* rest = b_.CreateSelect(b_.CreateFCmpUNO(b, b), b, a);
    return b_.CreateSelect(better, b, rest);
  }
  Value* across(Op op, Value* lanes) {
    for (unsigned half = width_ / 2; half > 0; half /= 2) {
      std::vector<int> order(width_, -1);
      for (unsigned i = 0; i < half; ++i) order[i] = static_cast<int>(half + i);
      lanes = combined(op, lanes, b_.CreateShuffleVector(lanes, order));
    }
    return b_.CreateExtractElement(lanes, std::uint64_t{0});
  }
  void set_partials() {
    for (const auto fold : plan_.final_folds) {
      const auto& n = node(fold);
      auto* value = llvm::ConstantFP::get(one_, neutral(n.op));
      if (n.access != Access::column) {
        b_.CreateStore(value, partial(fold));
        continue;
      }
      auto* base = partial(fold);
      loop(whole(0), whole(kernel_.columns), 1,
           [&](Value* i) { b_.CreateStore(value, address(base, i, one_)); });
    }
  }

  /// for (i = begin; i < end; i += step), nothing carried along.
  template <class F>
  void loop(Value* begin, Value* end, std::int64_t step, F body) {
    Loop l = open(begin, end, step);
    body(l.index);
    close(l);
  }
  struct Loop {
    BasicBlock* head;
    BasicBlock* exit;
    llvm::PHINode* index;
    std::int64_t step;
    std::vector<llvm::PHINode*> carried;
  };
  Loop open(Value* begin, Value* end, std::int64_t step, const std::vector<Value*>& carried = {}) {
    auto* before = b_.GetInsertBlock();
    Loop l{BasicBlock::Create(context_, "head", function_),
           BasicBlock::Create(context_, "exit", function_),
           nullptr,
           step,
           {}};
    auto* body = BasicBlock::Create(context_, "body", function_);
    b_.CreateBr(l.head);
    b_.SetInsertPoint(l.head);
    l.index = b_.CreatePHI(b_.getInt64Ty(), 2);
    l.index->addIncoming(begin, before);
    for (auto* value : carried) {
      l.carried.push_back(b_.CreatePHI(value->getType(), 2));
      l.carried.back()->addIncoming(value, before);
    }
    b_.CreateCondBr(b_.CreateICmpSLT(l.index, end), body, l.exit);
    b_.SetInsertPoint(body);
    return l;
  }
  void close(Loop& l, const std::vector<Value*>& carried = {}) {
    auto* next = b_.CreateNSWAdd(l.index, whole(l.step));
    auto* from = b_.GetInsertBlock();
    l.index->addIncoming(next, from);
    for (std::size_t k = 0; k < carried.size(); ++k) l.carried[k]->addIncoming(carried[k], from);
    b_.CreateBr(l.head);
    b_.SetInsertPoint(l.exit);
  }

  // Rows.
  void emit_rows() {
    Loop rows = open(row_begin_, row_end_, 1);
    row_ = rows.index;
    row_start_ = kernel_.rows > 1 ? b_.CreateNSWMul(row_, whole(kernel_.columns)) : whole(0);
    for (const auto& pass : plan_.passes) {
      for (const auto at : pass.before) emit_small(at);
      emit_pass(pass);
    }
    for (const auto at : plan_.after) emit_small(at);
    for (std::size_t k = 0; k < kernel_.outputs.size(); ++k) {
      const auto place = static_cast<std::size_t>(kernel_.reads) + k;
      if (kernel_.operands[place].access != Access::row) continue;
      store_one(operands_[place], row_, small_[static_cast<std::size_t>(kernel_.outputs[k])]);
    }
    close(rows);
  }
  void store_one(Value* base, Value* index, Value* value) {
    if (value->getType()->isIntegerTy(1)) value = b_.CreateZExt(value, b_.getInt8Ty());
    b_.CreateStore(value, address(base, index, value->getType()));
  }

  /// A node of one number: of a row or of all.
  void emit_small(std::int32_t at) {
    const auto& n = node(at);
    emission.number = one_;
    auto& made = small_[static_cast<std::size_t>(at)];
    auto* index = n.access == Access::row ? row_ : whole(0);
    switch (n.kind) {
      case Kind::load: {
        auto* type = stored_type(n.dtype);
        made = b_.CreateLoad(type, address(operands_[static_cast<std::size_t>(n.operand)], index, type));
        if (n.dtype == DType::boolean) made = b_.CreateICmpNE(made, b_.getInt8(0));
        if (n.dtype == DType::i64) made = checked_index(made);
        break;
      }
      case Kind::number:
        made = llvm::ConstantFP::get(one_, n.first);
        break;
      case Kind::pick:
        made = b_.CreateLoad(
            one_, address(operands_[static_cast<std::size_t>(n.operand)],
                          b_.CreateAdd(row_start_, small_[static_cast<std::size_t>(n.inputs[0])]), one_));
        break;
      case Kind::fold: {
        auto* place = partial(at);
        b_.CreateStore(
            combined(n.op, b_.CreateLoad(one_, place), small_[static_cast<std::size_t>(n.inputs[0])]), place);
        break;
      }
      default: {
        std::array<Value*, 3> in{};
        for (std::size_t k = 0; k < 3; ++k)
          if (n.inputs[k] >= 0) in[k] = small_[static_cast<std::size_t>(n.inputs[k])];
        made = emit_op(n, in);
      }
    }
  }
  /// An index that is not a column is noted and read as 0.
  Value* checked_index(Value* index) {
    auto* inside = b_.CreateICmpULT(index, whole(kernel_.columns));
    auto* noted = b_.CreateLoad(b_.getInt64Ty(), outside_);
    b_.CreateStore(b_.CreateSelect(inside, noted, whole(1)), outside_);
    return b_.CreateSelect(inside, index, whole(0));
  }

  // Passes over the columns.
  struct Block {
    Value* column;  ///< of the first lane of the first copy
    unsigned copies;
    Value* mask = nullptr;  ///< of the last, partial register
  };

  bool is_small(std::int32_t at) const {
    const auto& n = node(at);
    return n.kind == Kind::fold || n.access == Access::row || n.access == Access::scalar;
  }

  double cost_of(const graph::KernelPass& pass) const {
    double cost = 0;
    for (const auto at : pass.nodes) cost += graph::cost_of(node(at));
    return cost;
  }
  /// One function has its constants in registers; of several in a row, each waiting for the one before, as
  /// many copies side by side as the CPU can look ahead.
  unsigned copies_for(double cost) const {
    unsigned copies = cost > several_functions ? 8 : cost > one_function ? 2 : 4;
    while (copies > 1 && static_cast<std::int64_t>(copies) * width_ > kernel_.columns) copies /= 2;
    return copies;
  }

  void emit_pass(const graph::KernelPass& pass) {
    if (pass.folds.empty() && pass.stores.empty() && pass.saves.empty()) return;
    pass_ = &pass;
    spread(pass);
    const double cost = cost_of(pass);
    emission.branches = cost <= several_functions;
    const auto copies = copies_for(cost);
    const auto stride = static_cast<std::int64_t>(copies) * width_;
    auto* length = b_.CreateNSWSub(column_end_, column_begin_);
    auto* whole_part =
        b_.CreateNSWAdd(column_begin_, b_.CreateNSWMul(b_.CreateSDiv(length, whole(stride)), whole(stride)));
    std::vector<std::int32_t> carried;
    for (const auto at : pass.folds)
      if (node(at).access != Access::column) carried.push_back(at);
    std::vector<Value*> start;
    for (const auto at : carried)
      for (unsigned u = 0; u < copies; ++u)
        start.push_back(llvm::ConstantFP::get(wide_, neutral(node(at).op)));

    Loop main = open(column_begin_, whole_part, stride, start);
    std::vector<Value*> running(main.carried.begin(), main.carried.end());
    emit_block({main.index, copies}, carried, running);
    close(main, running);

    // The copies into one, then the rest.
    std::vector<Value*> merged;
    for (std::size_t f = 0; f < carried.size(); ++f) {
      Value* all = main.carried[f * copies];
      for (unsigned u = 1; u < copies; ++u)
        all = combined(node(carried[f]).op, all, main.carried[f * copies + u]);
      merged.push_back(all);
    }
    Loop rest = open(whole_part, column_end_, width_, merged);
    std::vector<Value*> last(rest.carried.begin(), rest.carried.end());
    emit_block({rest.index, 1, mask_from(rest.index)}, carried, last);
    close(rest, last);

    for (std::size_t f = 0; f < carried.size(); ++f) complete(carried[f], rest.carried[f]);
  }

  Value* mask_from(Value* column) {
    auto* left = b_.CreateTrunc(b_.CreateSub(column_end_, column), b_.getInt32Ty());
    // Lanes count from 0; far from the end all of them are inside.
    return b_.CreateICmpSLT(lane_numbers(), b_.CreateVectorSplat(width_, left));
  }
  Value* lane_numbers() {
    std::vector<llvm::Constant*> numbers;
    for (unsigned i = 0; i < width_; ++i) numbers.push_back(b_.getInt32(i));
    return llvm::ConstantVector::get(numbers);
  }

  void complete(std::int32_t at, Value* lanes) {
    const auto& n = node(at);
    Value* total = across(n.op, lanes);
    if (graph::is_final(n)) {
      auto* place = partial(at);
      b_.CreateStore(combined(n.op, b_.CreateLoad(one_, place), total), place);
      return;
    }
    if (n.first != 1) total = b_.CreateFMul(total, llvm::ConstantFP::get(one_, n.first));
    small_[static_cast<std::size_t>(at)] = total;
  }

  /// Numbers of the row in every lane, before the loop.
  void spread(const graph::KernelPass& pass) {
    spread_.clear();
    const auto add = [&](std::int32_t at) {
      if (at < 0 || !is_small(at) || spread_.contains(at)) return;
      auto* value = small_[static_cast<std::size_t>(at)];
      if (node(at).dtype == DType::i64) value = b_.CreateTrunc(value, b_.getInt32Ty());
      spread_[at] = b_.CreateVectorSplat(width_, value);
    };
    for (const auto at : pass.nodes)
      for (const auto input : node(at).inputs) add(input);
    for (const auto at : pass.folds) add(node(at).inputs[0]);
    for (const auto k : pass.stores) add(kernel_.outputs[static_cast<std::size_t>(k)]);
  }

  Value* value_of(std::int32_t at, unsigned copy) {
    if (is_small(at)) return spread_.at(at);
    return lanes_.at(at)[copy];
  }

  void emit_block(const Block& block, const std::vector<std::int32_t>& carried,
                  std::vector<Value*>& running) {
    lanes_.clear();
    emission.number = wide_;
    if (pass_ == ahead_ && block.mask == nullptr) fetch_ahead(block);
    for (const auto at : pass_->reloads)
      for (unsigned u = 0; u < block.copies; ++u)
        lanes_[at].push_back(load(block, u, scratch_row(at), column_at(block, u), one_));
    for (const auto at : pass_->nodes)
      for (unsigned u = 0; u < block.copies; ++u) lanes_[at].push_back(emit_node(at, block, u));
    for (const auto at : pass_->folds)
      if (node(at).access == Access::column) add_to_columns(at, block);
    for (std::size_t f = 0; f < carried.size(); ++f)
      for (unsigned u = 0; u < block.copies; ++u) {
        const auto& n = node(carried[f]);
        Value* value = value_of(n.inputs[0], u);
        if (block.mask != nullptr)
          value = b_.CreateSelect(block.mask, value, llvm::ConstantFP::get(wide_, neutral(n.op)));
        auto& total = running[f * block.copies + u];
        total = combined(n.op, total, value);
      }
    for (const auto at : pass_->saves)
      for (unsigned u = 0; u < block.copies; ++u)
        store(block, scratch_row(at), column_at(block, u), value_of(at, u), false);
    for (const auto k : pass_->stores) {
      const auto at = kernel_.outputs[static_cast<std::size_t>(k)];
      for (unsigned u = 0; u < block.copies; ++u)
        store(block, operands_[static_cast<std::size_t>(kernel_.reads) + static_cast<std::size_t>(k)],
              b_.CreateAdd(row_start_, column_at(block, u)), value_of(at, u), streams(kernel_));
    }
  }
  /// The first pass over a row waits for memory and the second one does not: it fetches what the next row
  /// reads and, where a later pass writes, the places of this one, into the second-level cache.
  const graph::KernelPass* pass_that_fetches() const {
    const std::int64_t bytes = kernel_.columns * size_;
    const bool fits = bytes >= shortest_fetched && bytes <= longest_fetched;
    return kernel_.rows > 1 && plan_.passes.size() > 1 && fits ? &plan_.passes[1] : nullptr;
  }
  void fetch_ahead(const Block& block) {
    const unsigned registers_a_line = std::max(1U, 64 / target_.register_bytes);
    const auto fetch = [&](std::size_t operand, Value* row, bool to_write) {
      for (unsigned u = 0; u < block.copies; u += registers_a_line)
        b_.CreateIntrinsic(llvm::Intrinsic::prefetch, {b_.getPtrTy()},
                           {address(operands_[operand], b_.CreateAdd(row, column_at(block, u)), one_),
                            b_.getInt32(to_write ? 1 : 0), b_.getInt32(2), b_.getInt32(1)});
    };
    auto* next_row = b_.CreateAdd(row_start_, whole(kernel_.columns));
    for (std::size_t k = 0; k < kernel_.operands.size(); ++k) {
      const auto& operand = kernel_.operands[k];
      if (operand.access != Access::element || operand.dtype != kernel_.dtype) continue;
      if (k < static_cast<std::size_t>(kernel_.reads)) {
        fetch(k, next_row, false);
      } else if (plan_.passes.size() > 2 && !streams(kernel_)) {
        fetch(k, row_start_, true);
      }
    }
  }

  Value* column_at(const Block& block, unsigned copy) {
    return copy == 0 ? block.column
                     : b_.CreateNSWAdd(block.column, whole(static_cast<std::int64_t>(copy) * width_));
  }

  Value* emit_node(std::int32_t at, const Block& block, unsigned copy) {
    const auto& n = node(at);
    auto* column = column_at(block, copy);
    switch (n.kind) {
      case Kind::load: {
        auto* index = n.access == Access::column ? column : b_.CreateAdd(row_start_, column);
        auto* loaded =
            load(block, copy, operands_[static_cast<std::size_t>(n.operand)], index, stored_type(n.dtype));
        if (n.dtype == DType::boolean)
          loaded = b_.CreateICmpNE(loaded, llvm::Constant::getNullValue(loaded->getType()));
        return loaded;
      }
      case Kind::column_is: {
        auto* numbers = b_.CreateAdd(lane_numbers(),
                                     b_.CreateVectorSplat(width_, b_.CreateTrunc(column, b_.getInt32Ty())));
        return b_.CreateICmpEQ(numbers, spread_.at(n.inputs[0]));
      }
      default: {
        std::array<Value*, 3> in{};
        for (std::size_t k = 0; k < 3; ++k)
          if (n.inputs[k] >= 0) in[k] = value_of(n.inputs[k], copy);
        return emit_op(n, in);
      }
    }
  }

  Value* load(const Block& block, unsigned, Value* base, Value* index, llvm::Type* type) {
    auto* wide = llvm::FixedVectorType::get(type, width_);
    auto* place = address(base, index, type);
    const llvm::Align alignment(type->getPrimitiveSizeInBits() / 8);
    if (block.mask == nullptr) return b_.CreateAlignedLoad(wide, place, alignment);
    auto* rest =
        type->isFloatingPointTy() ? llvm::ConstantFP::get(wide, 1.0) : llvm::Constant::getNullValue(wide);
    return b_.CreateMaskedLoad(wide, place, alignment, block.mask, rest);
  }
  void store(const Block& block, Value* base, Value* index, Value* value, bool past_caches) {
    auto* type = value->getType()->getScalarType();
    if (type->isIntegerTy(1)) {
      type = b_.getInt8Ty();
      value = b_.CreateZExt(value, llvm::FixedVectorType::get(type, width_));
    }
    auto* place = address(base, index, type);
    const auto bytes = type->getPrimitiveSizeInBits() / 8;
    if (block.mask != nullptr) {
      b_.CreateMaskedStore(value, place, llvm::Align(bytes), block.mask);
    } else if (past_caches && type == one_) {
      auto* written = b_.CreateAlignedStore(value, place, llvm::Align(target_.register_bytes));
      written->setMetadata(llvm::LLVMContext::MD_nontemporal,
                           llvm::MDNode::get(context_, llvm::ConstantAsMetadata::get(b_.getInt32(1))));
    } else {
      b_.CreateAlignedStore(value, place, llvm::Align(bytes));
    }
  }

  void add_to_columns(std::int32_t at, const Block& block) {
    const auto& n = node(at);
    for (unsigned u = 0; u < block.copies; ++u) {
      auto* index = column_at(block, u);
      auto* before = load(block, u, partial(at), index, one_);
      store(block, partial(at), index, combined(n.op, before, value_of(n.inputs[0], u)), false);
    }
  }

  const graph::Kernel& kernel_;
  const graph::KernelPlan& plan_;
  llvm::Module& module_;
  llvm::LLVMContext& context_;
  llvm::IRBuilder<> b_;
  const Target& target_;
  llvm::Function* function_ = nullptr;
  llvm::Type* one_ = nullptr;
  llvm::FixedVectorType* wide_ = nullptr;
  unsigned size_ = 4;
  unsigned width_ = 8;
  std::vector<Value*> operands_;
  Value *row_begin_ = nullptr, *row_end_ = nullptr, *column_begin_ = nullptr, *column_end_ = nullptr;
  Value *scratch_ = nullptr, *partials_ = nullptr, *outside_ = nullptr;
  Value *row_ = nullptr, *row_start_ = nullptr;
  const graph::KernelPass* pass_ = nullptr;
  const graph::KernelPass* ahead_ = nullptr;           ///< the pass that fetches the next row
  std::vector<Value*> small_;                          ///< nodes of one number
  std::map<std::int32_t, Value*> spread_;              ///< the same in every lane
  std::map<std::int32_t, std::vector<Value*>> lanes_;  ///< nodes by column, a register per copy
};

}  // namespace

void emit_kernel(llvm::Module& module, const graph::Kernel& kernel, const graph::KernelPlan& plan,
                 const Target& target) {
  Emitter(module, kernel, plan, target).run();
}

}  // namespace tare::ad::jit
