#include "bench/analyse/distributions.hpp"

#include <gtest/gtest.h>
#include <stdexcept>

namespace tare {
namespace {

// Expected values: tools/reference_values.py.
TEST(Distributions, agree_with_scipy) {
  EXPECT_NEAR(normal_cdf(1.3), 0.903199515414, 1e-11);
  EXPECT_NEAR(normal_quantile(0.975), 1.95996398454, 1e-10);
  EXPECT_NEAR(student_cdf(2.1, 4.5), 0.952031091519, 1e-11);
  EXPECT_NEAR(student_quantile(0.975, 3), 3.18244630528, 1e-10);
  EXPECT_NEAR(noncentral_student_cdf(1.5, 4.5, 0.7), 0.7403760644, 1e-11);
  EXPECT_NEAR(f_cdf(3.2, 4, 17), 0.960597429635, 1e-11);
  EXPECT_NEAR(chi_squared_cdf(7.5, 3), 0.942441548027, 1e-11);
  EXPECT_NEAR(chi_squared_quantile(0.95, 10), 18.3070380533, 1e-9);
  EXPECT_NEAR(beta_cdf(0.3, 2, 5), 0.579825, 1e-11);
  EXPECT_NEAR(beta_quantile(0.025, 3, 8), 0.0667395111777, 1e-11);
  EXPECT_NEAR(binomial_cdf(7, 20, 0.4), 0.415892937558, 1e-11);
}

TEST(Distributions, know_the_edge_of_the_binomial) {
  EXPECT_EQ(binomial_cdf(-1, 20, 0.4), 0);
  EXPECT_EQ(binomial_cdf(20, 20, 0.4), 1);
}

TEST(Distributions, refuse_what_lies_outside_their_domain) {
  EXPECT_THROW((void)student_quantile(0.5, -1), std::domain_error);
  EXPECT_THROW((void)normal_quantile(1.5), std::domain_error);
}

}  // namespace
}  // namespace tare
