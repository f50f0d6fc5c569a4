// Ratios of pairs: median, quartiles, and a bootstrap interval of the median (percentile method, 10 000
// resamples, fixed seed).
#pragma once

#include <algorithm>
#include <cstddef>
#include <random>
#include <vector>

namespace hotlatch {

class Ratios {
 public:
  void Add(double ratio) { ratios_.push_back(ratio); }
  double last() const { return ratios_.back(); }
  size_t size() const { return ratios_.size(); }

  double Quantile(double q) const { return QuantileOf(ratios_, q); }
  double Median() const { return Quantile(0.5); }
  double IntervalLow() const { return QuantileOf(Medians(), 0.025); }
  double IntervalHigh() const { return QuantileOf(Medians(), 0.975); }

 private:
  static double QuantileOf(std::vector<double> values, double q) {
    if (values.empty()) return 0;
    std::sort(values.begin(), values.end());
    const double at = q * static_cast<double>(values.size() - 1);
    const auto below = static_cast<size_t>(at);
    const size_t above = std::min(below + 1, values.size() - 1);
    return values[below] + (at - static_cast<double>(below)) * (values[above] - values[below]);
  }

  std::vector<double> Medians() const {
    std::mt19937_64 random(1);  // NOLINT: the same figures for the same ratios
    std::uniform_int_distribution<size_t> pick(0, ratios_.size() - 1);
    std::vector<double> medians;
    std::vector<double> sample(ratios_.size());
    for (int i = 0; i < 10'000; i++) {
      for (double& value : sample) value = ratios_[pick(random)];
      medians.push_back(QuantileOf(sample, 0.5));
    }
    return medians;
  }

  std::vector<double> ratios_;
};

}  // namespace hotlatch
