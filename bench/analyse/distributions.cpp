#include "bench/analyse/distributions.hpp"

#include <boost/math/distributions/beta.hpp>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/fisher_f.hpp>
#include <boost/math/distributions/non_central_t.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>

namespace tare {
namespace {

// Without promotion to long double: half the time, and still more digits than any of our data carry.
using Policy = boost::math::policies::policy<boost::math::policies::promote_double<false>>;
using Normal = boost::math::normal_distribution<double, Policy>;
using Student = boost::math::students_t_distribution<double, Policy>;
using NoncentralStudent = boost::math::non_central_t_distribution<double, Policy>;
using FisherF = boost::math::fisher_f_distribution<double, Policy>;
using ChiSquared = boost::math::chi_squared_distribution<double, Policy>;
using Beta = boost::math::beta_distribution<double, Policy>;
using Binomial = boost::math::binomial_distribution<double, Policy>;

}  // namespace

double normal_cdf(double x) {
  return boost::math::cdf(Normal(), x);
}
double normal_quantile(double p) {
  return boost::math::quantile(Normal(), p);
}

double student_cdf(double t, double degrees) {
  return boost::math::cdf(Student(degrees), t);
}
double student_quantile(double p, double degrees) {
  return boost::math::quantile(Student(degrees), p);
}

double noncentral_student_cdf(double t, double degrees, double noncentrality) {
  return boost::math::cdf(NoncentralStudent(degrees, noncentrality), t);
}

double f_cdf(double x, double degrees1, double degrees2) {
  return boost::math::cdf(FisherF(degrees1, degrees2), x);
}

double chi_squared_cdf(double x, double degrees) {
  return boost::math::cdf(ChiSquared(degrees), x);
}
double chi_squared_quantile(double p, double degrees) {
  return boost::math::quantile(ChiSquared(degrees), p);
}

double beta_cdf(double x, double a, double b) {
  return boost::math::cdf(Beta(a, b), x);
}
double beta_quantile(double p, double a, double b) {
  return boost::math::quantile(Beta(a, b), p);
}

double binomial_cdf(double successes, double trials, double p) {
  if (successes < 0) return 0;
  return boost::math::cdf(Binomial(trials, p), successes);
}

}  // namespace tare
