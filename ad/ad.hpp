// The public surface of the automatic-differentiation engine: scalar tapes, the active type, recorded
// programs and what is built on them. For Eigen matrices of active numbers include ad/scalar/eigen.hpp as
// well.
#pragma once

#include "ad/ops/table.hpp"
#include "ad/scalar/check.hpp"
#include "ad/scalar/checkpoint.hpp"
#include "ad/scalar/derivatives.hpp"
#include "ad/scalar/dual.hpp"
#include "ad/scalar/external.hpp"
#include "ad/scalar/functions.hpp"
#include "ad/scalar/preaccumulate.hpp"
#include "ad/scalar/program/compiled.hpp"
#include "ad/scalar/program/kernel.hpp"
#include "ad/scalar/program/symbol.hpp"
#include "ad/scalar/real.hpp"
#include "ad/scalar/recorder.hpp"
#include "ad/scalar/sparse.hpp"
#include "ad/scalar/tape.hpp"
