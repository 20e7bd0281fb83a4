// Goal: samplers have the shape their definition asks for, give the same keys everywhere, and
// their names parse. Method: counts over many draws against the closed formulas, and a few
// draws written down.
#include "gen/distribution.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace isolde::gen {
namespace {

Distribution of(DistributionKind kind) {
  Distribution distribution;
  distribution.kind = kind;
  return distribution;
}

std::vector<double> shares(const Distribution& distribution, std::uint64_t keys) {
  constexpr int kDraws = 400'000;
  const Sampler sampler(distribution, keys);
  base::Rng rng(7);
  std::vector<double> share(keys, 0);
  for (int i = 0; i < kDraws; ++i) {
    const std::uint64_t key = sampler.sample(rng);
    EXPECT_LT(key, keys);
    share[key] += 1.0 / kDraws;
  }
  return share;
}

double sum(const std::vector<double>& values, std::size_t count) {
  double total = 0;
  for (std::size_t i = 0; i < count; ++i) total += values[i];
  return total;
}

TEST(Sampler, UniformTouchesKeysAlike) {
  for (const double share : shares(of(DistributionKind::kUniform), 50)) {
    EXPECT_NEAR(share, 0.02, 0.002);
  }
}

TEST(Sampler, ZipfianFollowsThePowerLaw) {
  for (const double theta : {0.0, 0.5, 0.99, 2.0}) {
    Distribution distribution = of(DistributionKind::kZipfian);
    distribution.theta = theta;
    const std::vector<double> share = shares(distribution, 100);
    double total = 0;
    for (int i = 1; i <= 100; ++i) total += std::pow(i, -theta);
    for (int i = 1; i <= 100; ++i) {
      EXPECT_NEAR(share[static_cast<std::size_t>(i - 1)], std::pow(i, -theta) / total, 0.004)
          << "theta " << theta << " key " << i;
    }
  }
}

TEST(Sampler, HotspotGivesTheHotKeysTheirShare) {
  const std::vector<double> share = shares(of(DistributionKind::kHotspot), 100);
  EXPECT_NEAR(sum(share, 20), 0.8, 0.005);
  EXPECT_NEAR(share[3], 0.04, 0.003);
  EXPECT_NEAR(share[60], 0.0025, 0.001);
}

TEST(Sampler, ExponentialHas95PercentWithinItsSpan) {
  Distribution distribution = of(DistributionKind::kExponential);
  distribution.span = 0.4;
  const std::vector<double> share = shares(distribution, 100);
  EXPECT_NEAR(sum(share, 40), 0.95, 0.005);
  EXPECT_NEAR(share[10] / share[0], std::pow(0.05, 0.25), 0.05);
}

TEST(Sampler, OneKeyIsAlwaysThatKey) {
  for (const DistributionInfo& row : all_distributions()) {
    const Sampler sampler(of(row.kind), 1);
    base::Rng rng(1);
    for (int i = 0; i < 100; ++i) EXPECT_EQ(sampler.sample(rng), 0U);
  }
}

// The numbers below are part of the promise "same seed, same history, on every machine".
TEST(Sampler, DrawsAreTheSameEverywhere) {
  const auto fingerprint = [](DistributionKind kind) {
    const Sampler sampler(of(kind), 10'000);
    base::Rng rng(42);
    std::uint64_t hash = 0;
    for (int i = 0; i < 100'000; ++i) hash = hash * 1'000'003 + sampler.sample(rng);
    return hash;
  };
  EXPECT_EQ(fingerprint(DistributionKind::kUniform), 5102977863211661242U);
  EXPECT_EQ(fingerprint(DistributionKind::kZipfian), 13415031692568142630U);
  EXPECT_EQ(fingerprint(DistributionKind::kHotspot), 9374204563411434750U);
  EXPECT_EQ(fingerprint(DistributionKind::kExponential), 15525586911830964332U);
}

TEST(ParseDistribution, ReadsWhatToTextWrites) {
  for (const char* text : {"uniform", "zipfian", "zipfian:0.5", "hotspot", "hotspot:0.9,0.1",
                           "exponential", "exponential:0.25"}) {
    const Result<Distribution> parsed = parse_distribution(text);
    ASSERT_TRUE(parsed.ok()) << text;
    EXPECT_EQ(to_text(*parsed), text);
  }
  EXPECT_EQ(parse_distribution("zipfian:0.5")->theta, 0.5);
  EXPECT_EQ(parse_distribution("hotspot:0.9,0.1")->hot_keys, 0.1);
}

TEST(ParseDistribution, RejectsWhatItDoesNotKnow) {
  for (const char* text : {"", "zipf", "uniform:1", "zipfian:", "zipfian:x", "zipfian:-1",
                           "zipfian:nan", "zipfian:0.5x", "hotspot:0.5", "hotspot:0.5,",
                           "hotspot:2,0.5", "exponential:0", "exponential:inf"}) {
    const Result<Distribution> parsed = parse_distribution(text);
    ASSERT_FALSE(parsed.ok()) << text;
    EXPECT_EQ(parsed.error().code, ErrorCode::kUsage);
    EXPECT_FALSE(parsed.error().message.empty());
  }
}

TEST(ValidateDistribution, LimitsTables) {
  EXPECT_TRUE(validate(of(DistributionKind::kUniform), std::uint64_t{1} << 40).ok());
  EXPECT_FALSE(validate(of(DistributionKind::kUniform), 0).ok());
  EXPECT_FALSE(validate(of(DistributionKind::kZipfian), std::uint64_t{1} << 25).ok());
}

}  // namespace
}  // namespace isolde::gen
