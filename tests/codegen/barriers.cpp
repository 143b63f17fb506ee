// Compiled to assembly by test_barriers.py, which reads what is left of each function.
#include "bench/define/barrier.hpp"

extern "C" {

int square_dropped(int x) {
  const int y = x * x;
  (void)y;
  return 0;
}
int square_kept(int x) {
  tare::keep(x * x);
  return 0;
}
int double_kept(double x) {
  tare::keep(x * x);
  return 0;
}
void keep_nothing_else(int x) {
  tare::keep(x);
}
int folded() {
  return 6 * 7;
}
int not_folded() {
  return tare::opaque(6) * 7;
}
void stores_dropped(int* out) {
  *out = 1;
  *out = 2;
}
void stores_kept(int* out) {
  *out = 1;
  tare::clobber();
  *out = 2;
}
struct Large {
  long values[8];
};
void large_not_copied(const Large* large) {
  tare::keep(*large);
}
}
