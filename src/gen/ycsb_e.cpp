// ycsb-e: YCSB's workload E, short scans of threaded conversations. The posts of a conversation
// have ids that follow one another, and a scan reads some number of rows from the beginning of
// a conversation on, `WHERE id >= ? ORDER BY id LIMIT ?`. Of the operations 95 % are scans, and
// others insert a post into a conversation. YCSB sends each by itself; here --ops of them are a
// transaction.
//
// The id is the conversation in the high bits and the number of the post in the low ones, which
// only one session gives out.
#include "gen/generator.hpp"

namespace isolde::gen {
namespace {

constexpr std::array kColumns = {table::Column{.name = "field0"},
                                 table::Column{.name = "field1"}};
constexpr std::array kTables = {table::Table{"usertable", kColumns}};

constexpr unsigned kPostBits = 24;
constexpr std::int64_t kPosts = std::int64_t{1} << kPostBits;
constexpr std::int64_t kPostsAtFirst = 4;
constexpr std::uint64_t kConversationsMost = std::uint64_t{1} << (table::kIdBits - kPostBits);
constexpr std::uint64_t kContents = 1'000;

class YcsbE final : public Generator {
 public:
  explicit YcsbE(const WorkloadOptions& options)
      : scans_(options.reads),
        ops_(options.ops),
        rows_most_(options.scan),
        conversations_(options.distribution, options.keys),
        posts_(options.sessions) {}

  void plan(std::uint32_t session, base::Rng& rng, Plan& plan) override;

  void initial_keys(std::vector<std::int64_t>&) const override {}
  std::span<const table::Table> tables() const override { return kTables; }
  void initial_rows(std::vector<InitialRow>& rows) const override {
    const auto count = static_cast<std::int64_t>(conversations_.key_count());
    for (std::int64_t conversation = 0; conversation < count; ++conversation) {
      for (std::int64_t post = 0; post < kPostsAtFirst; ++post) {
        rows.push_back({0, {.id = conversation * kPosts + post, .cells = {post, 0}}});
      }
    }
  }

 private:
  /// Of a post that nobody else makes. After 16 million posts they come again.
  std::int64_t fresh_post(std::uint32_t session) {
    const std::uint64_t number = posts_[session]++ * posts_.size() + session;
    return kPostsAtFirst + static_cast<std::int64_t>(number) % (kPosts - kPostsAtFirst);
  }

  double scans_;
  std::uint32_t ops_;
  std::uint64_t rows_most_;
  Sampler conversations_;
  std::vector<std::uint64_t> posts_;  // made by each session
};

void YcsbE::plan(std::uint32_t session, base::Rng& rng, Plan& plan) {
  Draft draft(plan);
  for (std::uint32_t i = 0; i < ops_; ++i) {
    const std::int64_t first = static_cast<std::int64_t>(conversations_.sample(rng)) * kPosts;
    if (rng.chance(scans_)) {
      draft.request(Action::kSelectRows,
                    {.where = {{.least = first}},
                     .limit = 1 + static_cast<std::uint32_t>(rng.below(rows_most_))});
    } else {
      const auto content = static_cast<std::int64_t>(rng.below(kContents));
      draft.request(Action::kInsertRow,
                    {.id = first + fresh_post(session), .cells = {content, content + 1}});
    }
  }
}

std::unique_ptr<Generator> make(const WorkloadOptions& options) {
  return std::make_unique<YcsbE>(options);
}

Status fits(const WorkloadOptions& options) {
  if (options.keys > kConversationsMost) {
    return out_of_range("keys", options.keys, 1, kConversationsMost);
  }
  return ok_status();
}

constexpr std::array kOwn = {OwnParameter{.field = &WorkloadOptions::scan,
                                          .summary = "rows of a scan at most",
                                          .standard = 20,
                                          .least = 1,
                                          .most = 10'000},
                             kSavepoints, kRollbacks};

constexpr std::array kRows = {
    WorkloadInfo{.name = "ycsb-e",
                 .summary = "short scans of a table by key, and inserts in between",
                 .source = "YCSB, workload E",
                 .make = make,
                 .needs = {.tables = true},
                 .ops_text = kOps,
                 .keys_text = "conversations, of 4 rows at first",
                 .reads_text = "share of operations that scan",
                 .ops = 3,
                 .keys = 50,
                 .reads = 0.95,
                 .distribution = DistributionKind::kZipfian,
                 .own = kOwn,
                 .validate = fits}};

}  // namespace

const Workloads& ycsb_e_workloads() {
  static constexpr Workloads kAll = kRows;
  return kAll;
}

}  // namespace isolde::gen
