// Bundle adjustment: half the sum of squared reprojection errors of n observations, each of one point by one
// camera (angle-axis rotation, centre, focal length, principal point, two radial distortions), weighted. The
// projection is ADBench's. residuals() gives the vector function, whose Jacobian is sparse: 15 entries a row.
#pragma once

#include "workloads/workload.hpp"

namespace tare::workloads {

struct Bundle {
  static constexpr std::string_view name = "bundle";
  static constexpr std::array<std::size_t, 2> sizes{1, 200};
  static constexpr std::size_t camera_size = 11;

  Bundle(std::size_t observations, std::uint64_t seed)
      : n(observations), cameras(1 + observations / 50), points(1 + observations / 4) {
    features = Random(seed).uniforms(2 * n, -1, 1);
  }
  std::size_t n;
  std::size_t cameras;
  std::size_t points;
  std::vector<double> features;

  [[nodiscard]] std::size_t camera_of(std::size_t i) const { return i % cameras; }
  [[nodiscard]] std::size_t point_of(std::size_t i) const { return i % points; }
  [[nodiscard]] std::size_t inputs() const { return camera_size * cameras + 3 * points + n; }
  [[nodiscard]] std::size_t scratch() const { return 0; }
  [[nodiscard]] std::size_t adjoint_scratch() const { return 0; }
  [[nodiscard]] std::vector<double> point(std::uint64_t seed) const {
    Random random(seed);
    std::vector<double> x;
    x.reserve(inputs());
    for (std::size_t c = 0; c < cameras; ++c) {
      for (int i = 0; i < 3; ++i) x.push_back(random.uniform(0.1, 0.4));
      for (int i = 0; i < 3; ++i) x.push_back(random.uniform(-0.2, 0.2));
      x.push_back(random.uniform(0.8, 1.2));
      for (int i = 0; i < 4; ++i) x.push_back(random.uniform(-0.1, 0.1));
    }
    for (std::size_t p = 0; p < points; ++p) {
      x.push_back(random.uniform(-1, 1));
      x.push_back(random.uniform(-1, 1));
      x.push_back(random.uniform(3, 5));
    }
    for (std::size_t i = 0; i < n; ++i) x.push_back(random.uniform(0.5, 1.5));
    return x;
  }
  [[nodiscard]] std::vector<Block> blocks() const {
    return {{"cameras", 0, camera_size * cameras},
            {"points", camera_size * cameras, 3 * points},
            {"weights", camera_size * cameras + 3 * points, n}};
  }

  template <class T>
  [[nodiscard]] T value(const T* x, T*) const {
    const T* const at = x + camera_size * cameras;
    const T* const weight = at + 3 * points;
    T y = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      add_term(y, x + camera_size * camera_of(i), at + 3 * point_of(i), weight[i], features.data() + 2 * i);
    }
    return y;
  }
  template <class T, class X>
  static void add_term(T& y, const T* camera, const T* point, const T& weight, const X* feature) {
    T u;
    T v;
    project(camera, point, u, v);
    T a = weight * (u - feature[0]);
    T b = weight * (v - feature[1]);
    y += 0.5 * (a * a + b * b);
  }
  template <class T>
  void residuals(const T* x, T* r) const {
    const T* const at = x + camera_size * cameras;
    const T* const weight = at + 3 * points;
    for (std::size_t i = 0; i < n; ++i) {
      T u;
      T v;
      project(x + camera_size * camera_of(i), at + 3 * point_of(i), u, v);
      r[2 * i] = weight[i] * (u - features[2 * i]);
      r[2 * i + 1] = weight[i] * (v - features[2 * i + 1]);
    }
  }

  double gradient(const double* x, double* g, double*) const {
    const double* const at = x + camera_size * cameras;
    const double* const weight = at + 3 * points;
    double* const to_at = g + camera_size * cameras;
    double* const to_weight = to_at + 3 * points;
    for (std::size_t i = 0; i < inputs(); ++i) g[i] = 0;
    double y = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double* const cam = x + camera_size * camera_of(i);
      const double* const p = at + 3 * point_of(i);
      double* const to_cam = g + camera_size * camera_of(i);
      double* const to_p = to_at + 3 * point_of(i);

      // Forward, keeping what the way back needs.
      const double o[] = {p[0] - cam[3], p[1] - cam[4], p[2] - cam[5]};
      const double theta = std::sqrt(cam[0] * cam[0] + cam[1] * cam[1] + cam[2] * cam[2]);
      const double c = std::cos(theta);
      const double s = std::sin(theta);
      const double over = 1 / theta;
      const double w[] = {cam[0] * over, cam[1] * over, cam[2] * over};
      const double cross[] = {w[1] * o[2] - w[2] * o[1], w[2] * o[0] - w[0] * o[2],
                              w[0] * o[1] - w[1] * o[0]};
      const double dot = w[0] * o[0] + w[1] * o[1] + w[2] * o[2];
      const double lift = dot * (1 - c);
      const double r[] = {o[0] * c + cross[0] * s + w[0] * lift, o[1] * c + cross[1] * s + w[1] * lift,
                          o[2] * c + cross[2] * s + w[2] * lift};
      const double depth = 1 / r[2];
      const double a = r[0] * depth;
      const double b = r[1] * depth;
      const double square = a * a + b * b;
      const double radial = 1 + cam[9] * square + cam[10] * square * square;
      const double u = a * radial * cam[6] + cam[7] - features[2 * i];
      const double v = b * radial * cam[6] + cam[8] - features[2 * i + 1];
      y += 0.5 * weight[i] * weight[i] * (u * u + v * v);

      // Backward.
      to_weight[i] = weight[i] * (u * u + v * v);
      const double to_u = weight[i] * weight[i] * u;
      const double to_v = weight[i] * weight[i] * v;
      to_cam[7] += to_u;
      to_cam[8] += to_v;
      to_cam[6] += radial * (a * to_u + b * to_v);
      const double to_radial = cam[6] * (a * to_u + b * to_v);
      to_cam[9] += to_radial * square;
      to_cam[10] += to_radial * square * square;
      const double to_square = to_radial * (cam[9] + 2 * cam[10] * square);
      const double to_a = radial * cam[6] * to_u + 2 * a * to_square;
      const double to_b = radial * cam[6] * to_v + 2 * b * to_square;
      const double t[] = {to_a * depth, to_b * depth, -(to_a * a + to_b * b) * depth};
      const double to_lift = t[0] * w[0] + t[1] * w[1] + t[2] * w[2];
      const double to_dot = to_lift * (1 - c);
      const double to_c = t[0] * o[0] + t[1] * o[1] + t[2] * o[2] - to_lift * dot;
      const double to_s = t[0] * cross[0] + t[1] * cross[1] + t[2] * cross[2];
      const double x0 = s * t[0];
      const double x1 = s * t[1];
      const double x2 = s * t[2];
      const double to_w[] = {t[0] * lift + to_dot * o[0] + x2 * o[1] - x1 * o[2],
                             t[1] * lift + to_dot * o[1] + x0 * o[2] - x2 * o[0],
                             t[2] * lift + to_dot * o[2] + x1 * o[0] - x0 * o[1]};
      const double to_o[] = {t[0] * c + to_dot * w[0] + x1 * w[2] - x2 * w[1],
                             t[1] * c + to_dot * w[1] + x2 * w[0] - x0 * w[2],
                             t[2] * c + to_dot * w[2] + x0 * w[1] - x1 * w[0]};
      const double to_over = to_w[0] * cam[0] + to_w[1] * cam[1] + to_w[2] * cam[2];
      const double to_theta = to_s * c - to_c * s - to_over * over * over;
      for (int j = 0; j < 3; ++j) {
        to_cam[j] += to_w[j] * over + to_theta * w[j];
        to_p[j] += to_o[j];
        to_cam[3 + j] -= to_o[j];
      }
    }
    return y;
  }

 private:
  template <class T>
  static void project(const T* cam, const T* p, T& u, T& v) {
    using std::cos, std::sin, std::sqrt;
    T o[3];
    for (int j = 0; j < 3; ++j) o[j] = p[j] - cam[3 + j];
    T theta = sqrt(cam[0] * cam[0] + cam[1] * cam[1] + cam[2] * cam[2]);
    T c = cos(theta);
    T s = sin(theta);
    T over = 1.0 / theta;
    T w[3];
    for (int j = 0; j < 3; ++j) w[j] = cam[j] * over;
    T cross[3];
    cross[0] = w[1] * o[2] - w[2] * o[1];
    cross[1] = w[2] * o[0] - w[0] * o[2];
    cross[2] = w[0] * o[1] - w[1] * o[0];
    T lift = (w[0] * o[0] + w[1] * o[1] + w[2] * o[2]) * (1.0 - c);
    T r[3];
    for (int j = 0; j < 3; ++j) r[j] = o[j] * c + cross[j] * s + w[j] * lift;
    T a = r[0] / r[2];
    T b = r[1] / r[2];
    T square = a * a + b * b;
    T radial = 1.0 + cam[9] * square + cam[10] * square * square;
    u = a * radial * cam[6] + cam[7];
    v = b * radial * cam[6] + cam[8];
  }
};

}  // namespace tare::workloads
