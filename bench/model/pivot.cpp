#include "bench/model/pivot.hpp"

namespace tare {

const char* name_of(Standing standing) {
  switch (standing) {
    case Standing::holds:
      return "holds";
    case Standing::fails:
      return "fails";
    case Standing::undecided:
      return "undecided";
    case Standing::no_data:
      return "no data";
  }
  return "?";
}

}  // namespace tare
