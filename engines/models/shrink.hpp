// Smaller networks from larger ones. Each gives a network that answers almost as before and is then trained a
// little further (fit.hpp); none changes its argument.
#pragma once

#include "engines/models/network.hpp"

namespace tare::models {

/// 1 where a weight stays, 0 for the share of all weights that matter least, by "0.weight". A weight matters
/// by its square over those of its layer's that are not smaller, so that no layer is emptied (Lee and others
/// 2021).
std::map<std::string, ad::Tensor> magnitude_masks(const Network& network, double share);
/// Weights times masks.
void apply_masks(Network& network, const std::map<std::string, ad::Tensor>& masks);

/// Hidden units and channels that matter least are taken out: those whose weights in and out have the
/// smallest product of norms. Of each layer `keep` is left, at least one.
Network narrowed(const Network& network, double keep);

/// Linear layers as two thinner ones through `rank` values, by the singular value decomposition, where that
/// is smaller.
Network low_rank(const Network& network, std::int64_t rank);

}  // namespace tare::models
