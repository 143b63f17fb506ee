// oneDNN's convolutions. Each thread keeps the primitives of the shapes it has met with all the memory they
// need, so that a shape that comes back asks for nothing. The library's own blocked layouts are used inside;
// images are taken one by one where the weights are small, so that an image is still in cache when it is laid
// out again.
#include "ad/tensor/kernels/convolution.hpp"

#ifdef TARE_AD_ONEDNN

#include <algorithm>
#include <memory>
#include <oneapi/dnnl/dnnl.hpp>
#include <unordered_map>
#include <vector>

#include "ad/tensor/kernels/gemm_library.hpp"
#include "ad/tensor/kernels/kernels.hpp"

namespace tare::ad::kernels {
namespace {

using dnnl::memory;

const dnnl::engine& engine() {
  // Never destroyed: threads that end after main() still hold streams of it.
  static const auto& cpu = *new dnnl::engine(dnnl::engine::kind::cpu, 0);
  return cpu;
}
dnnl::stream& stream() {
  thread_local dnnl::stream own(engine());
  return own;
}

/// An array as the caller lays it out, and as the primitive wants it.
class Side {
 public:
  Side(const memory::desc& outer, const memory::desc& inner, bool is_result)
      : outer_(outer, engine(), nullptr), inner_(outer_) {
    if (inner == outer) return;
    inner_ = memory(inner, engine());
    move_ = is_result ? dnnl::reorder(inner_, outer_) : dnnl::reorder(outer_, inner_);
  }
  void read(float* data) {
    outer_.set_data_handle(data);
    if (move_) move_.execute(stream(), outer_, inner_);
  }
  void aim(float* data) { outer_.set_data_handle(data); }
  void write() {
    if (move_) move_.execute(stream(), inner_, outer_);
  }
  [[nodiscard]] const memory& inner() const { return inner_; }

 private:
  memory outer_, inner_;
  dnnl::reorder move_;
};

struct Descriptions {
  memory::desc input, weight, result;
};

memory::desc any(const memory::desc& plain) {
  return {plain.dims(), memory::data_type::f32, memory::format_tag::any};
}

Descriptions plain(const ConvSizes& s, std::int64_t row) {
  using Tag = memory::format_tag;
  constexpr auto f32 = memory::data_type::f32;
  const auto per_group = s.c / s.groups, area = s.kh * s.kw;
  const memory::desc weight =
      s.groups == 1 ? memory::desc({s.out, s.c, s.kh, s.kw}, f32, memory::dims{row, area, s.kw, 1})
                    : memory::desc({s.groups, s.out / s.groups, per_group, s.kh, s.kw}, f32,
                                   memory::dims{s.out / s.groups * row, row, area, s.kw, 1});
  return {{{s.n, s.c, s.h, s.w}, f32, Tag::nchw}, weight, {{s.n, s.out, s.oh, s.ow}, f32, Tag::nchw}};
}

/// One convolution, ready to run on the thread that made it.
class Primitive {
 public:
  Primitive(ConvPass pass, const ConvSizes& s, std::int64_t row) : pass_(pass) {
    const auto outer = plain(s, row);
    const memory::dims strides{s.stride, s.stride}, dilates{s.dilation - 1, s.dilation - 1},
        padding{s.padding, s.padding};
    constexpr auto direct = dnnl::algorithm::convolution_direct;
    dnnl::primitive_attr own_scratch;
    own_scratch.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    const dnnl::convolution_forward::primitive_desc forward(
        {dnnl::prop_kind::forward_training, direct, any(outer.input), any(outer.weight), any(outer.result),
         strides, dilates, padding, padding},
        own_scratch, engine());
    if (pass == ConvPass::forward) {
      prepare(outer, forward.src_desc(), forward.weights_desc(), forward.dst_desc(),
              forward.scratchpad_desc());
      primitive_ = dnnl::convolution_forward(forward);
      arguments_ = {{DNNL_ARG_SRC, input_->inner()},
                    {DNNL_ARG_WEIGHTS, weight_->inner()},
                    {DNNL_ARG_DST, result_->inner()}};
    } else if (pass == ConvPass::input) {
      const dnnl::convolution_backward_data::primitive_desc backward(
          {direct, any(outer.input), any(outer.weight), any(outer.result), strides, dilates, padding,
           padding},
          own_scratch, engine(), forward);
      prepare(outer, backward.diff_src_desc(), backward.weights_desc(), backward.diff_dst_desc(),
              backward.scratchpad_desc());
      primitive_ = dnnl::convolution_backward_data(backward);
      arguments_ = {{DNNL_ARG_DIFF_SRC, input_->inner()},
                    {DNNL_ARG_WEIGHTS, weight_->inner()},
                    {DNNL_ARG_DIFF_DST, result_->inner()}};
    } else {
      const dnnl::convolution_backward_weights::primitive_desc backward(
          {direct, any(outer.input), any(outer.weight), any(outer.result), strides, dilates, padding,
           padding},
          own_scratch, engine(), forward);
      prepare(outer, backward.src_desc(), backward.diff_weights_desc(), backward.diff_dst_desc(),
              backward.scratchpad_desc());
      primitive_ = dnnl::convolution_backward_weights(backward);
      sums_.resize(weight_->inner().get_desc().get_size() / sizeof(float));
      arguments_ = {{DNNL_ARG_SRC, input_->inner()},
                    {DNNL_ARG_DIFF_WEIGHTS, weight_->inner()},
                    {DNNL_ARG_DIFF_DST, result_->inner()}};
    }
    if (scratch_) arguments_.insert({DNNL_ARG_SCRATCHPAD, scratch_});
  }

  /// `times` convolutions of n images each, behind each other; the weights' gradient is their sum.
  void run(std::int64_t times, float* input, std::int64_t input_step, float* weight, float* result,
           std::int64_t result_step) {
    if (pass_ == ConvPass::weight) {
      weight_->aim(weight);
    } else {
      weight_->read(weight);
    }
    for (std::int64_t i = 0; i < times; ++i) {
      if (pass_ == ConvPass::input) {
        input_->aim(input + i * input_step);
      } else {
        input_->read(input + i * input_step);
      }
      if (pass_ == ConvPass::forward) {
        result_->aim(result + i * result_step);
      } else {
        result_->read(result + i * result_step);
      }
      primitive_.execute(stream(), arguments_);
      if (pass_ == ConvPass::forward) result_->write();
      if (pass_ == ConvPass::input) input_->write();
      if (pass_ == ConvPass::weight && times > 1) add_up(i, i + 1 == times);
    }
    if (pass_ == ConvPass::weight) weight_->write();
  }

 private:
  void prepare(const Descriptions& outer, const memory::desc& input, const memory::desc& weight,
               const memory::desc& result, const memory::desc& scratch) {
    input_ = std::make_unique<Side>(outer.input, input, pass_ == ConvPass::input);
    weight_ = std::make_unique<Side>(outer.weight, weight, pass_ == ConvPass::weight);
    result_ = std::make_unique<Side>(outer.result, result, pass_ == ConvPass::forward);
    if (scratch.get_size() > 0) scratch_ = memory(scratch, engine());
  }
  void add_up(std::int64_t i, bool last) {
    auto* gradient = static_cast<float*>(weight_->inner().get_data_handle());
    const auto count = static_cast<std::int64_t>(sums_.size());
    if (i == 0) {
      std::copy_n(gradient, count, sums_.data());
      return;
    }
    best().f32.add_row(sums_.data(), gradient, count);
    if (last) std::copy_n(sums_.data(), count, gradient);
  }

  ConvPass pass_;
  std::unique_ptr<Side> input_, weight_, result_;
  memory scratch_;
  dnnl::primitive primitive_;
  std::unordered_map<int, memory> arguments_;
  std::vector<float> sums_;
};

struct Key {
  ConvPass pass;
  ConvSizes sizes;
  std::int64_t row;
  friend bool operator==(const Key&, const Key&) = default;
};
struct Hash {
  std::size_t operator()(const Key& key) const {
    const auto& s = key.sizes;
    std::uint64_t h = static_cast<std::uint64_t>(key.pass);
    for (const auto v :
         {s.n, s.c, s.h, s.w, s.out, s.kh, s.kw, s.stride, s.padding, s.dilation, s.groups, key.row})
      h = (h ^ static_cast<std::uint64_t>(v)) * 0x9E3779B97F4A7C15U;
    return static_cast<std::size_t>(h ^ h >> 32);
  }
};

constexpr std::size_t most_kept = 512;

/// Null where oneDNN has none.
Primitive* primitive_for(const Key& key) {
  thread_local std::unordered_map<Key, std::unique_ptr<Primitive>, Hash> kept;
  if (const auto found = kept.find(key); found != kept.end()) return found->second.get();
  if (kept.size() >= most_kept) kept.clear();
  std::unique_ptr<Primitive> made;
  try {
    made = std::make_unique<Primitive>(key.pass, key.sizes, key.row);
  } catch (const dnnl::error&) {
    made = nullptr;
  }
  return kept.emplace(key, std::move(made)).first->second.get();
}

}  // namespace

bool convolve_by_onednn(ConvPass pass, const ConvSizes& s, float* input, float* weight, float* result,
                        std::int64_t weight_row) {
  const OneThread alone;
  const auto input_step = s.c * s.h * s.w, result_step = s.out * s.oh * s.ow;
  ConvSizes one = s;
  // Large weights are read once for all images instead.
  if (s.out * weight_row <= input_step + result_step) one.n = 1;
  Primitive* const primitive = primitive_for({pass, one, weight_row});
  if (primitive == nullptr) return false;
  primitive->run(s.n / one.n, input, input_step, weight, result, result_step);
  return true;
}

}  // namespace tare::ad::kernels

#else

namespace tare::ad::kernels {

bool convolve_by_onednn(ConvPass, const ConvSizes&, float*, float*, float*, std::int64_t) {
  return false;
}

}  // namespace tare::ad::kernels

#endif
