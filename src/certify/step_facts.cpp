#include "certify/step_facts.hpp"

#include <algorithm>

#include "base/assert.hpp"

namespace isolde::certify {

void StepFacts::suppose(const RefutationStep& step) {
  ISOLDE_ASSERT(supposed_.empty() && supposed_reads_.empty());
  for (const Claim& claim : step.claims) {
    if (!claim.denied) continue;
    const ReadSource& source = claim.source;
    supposed_.insert(source.txn);
    if (source.op == Claim::kNoOp) continue;
    ISOLDE_ASSERT(source.op < history_.ops(source.txn).size());
    if (source.writer.is_some()) supposed_.insert(source.writer);
    supposed_reads_[source.txn].push_back(
        {source.op, history_.ops(source.txn)[source.op].key, source.writer});
  }
}

void StepFacts::forget() {
  supposed_.clear();
  supposed_reads_.clear();
}

std::vector<SourcedRead> StepFacts::reads(TxnId txn) const {
  const std::span<const SourcedRead> known = known_.reads(txn);
  std::vector<SourcedRead> all(known.begin(), known.end());
  const auto supposed = supposed_reads_.find(txn);
  if (supposed == supposed_reads_.end()) return all;
  all.insert(all.end(), supposed->second.begin(), supposed->second.end());
  std::stable_sort(all.begin(), all.end(),
                   [](const SourcedRead& a, const SourcedRead& b) { return a.op < b.op; });
  return all;
}

bool StepFacts::read_from(TxnId reader, TxnId writer, KeyId key) const {
  if (known_.read_from(reader, writer, key)) return true;
  const auto supposed = supposed_reads_.find(reader);
  return supposed != supposed_reads_.end() &&
         std::any_of(
             supposed->second.begin(), supposed->second.end(),
             [&](const SourcedRead& read) { return read.key == key && read.writer == writer; });
}

bool StepFacts::read_from(TxnId reader, TxnId writer) const {
  if (known_.read_from(reader, writer)) return true;
  const auto supposed = supposed_reads_.find(reader);
  return supposed != supposed_reads_.end() &&
         std::any_of(supposed->second.begin(), supposed->second.end(),
                     [&](const SourcedRead& read) { return read.writer == writer; });
}

bool StepFacts::writes(TxnId txn, KeyId key) const {
  if (known_.writes(txn, key)) return true;
  const std::span<const Op> ops = history_.ops(txn);
  return supposed_.count(txn) != 0 && std::any_of(ops.begin(), ops.end(), [&](const Op& op) {
           return op.is_write() && op.key == key;
         });
}

}  // namespace isolde::certify
