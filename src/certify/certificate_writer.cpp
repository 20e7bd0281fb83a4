// Certificate to text. Long orders are cut into lines so that no tool has to hold one huge
// line; and a file gets the text piece by piece, so that the program need not hold it either.
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <optional>
#include <utility>
#include <variant>

#include "base/assert.hpp"
#include "certify/certificate_io.hpp"
#include "certify/certificate_names.hpp"

namespace isolde::certify {
namespace {

constexpr std::size_t kOrderLine = 10000;  // transactions in one line
constexpr std::size_t kSourceLine = 1000;  // sources of reads in one line
constexpr std::size_t kPiece = 1U << 18;   // bytes that are kept back from the file

template <typename Names, typename Kind>
std::string_view name_in(const Names& names, Kind kind) {
  for (const auto& [known, name] : names) {
    if (known == kind) return name;
  }
  const bool kind_has_a_name = false;
  ISOLDE_CHECK(kind_has_a_name);
  return {};
}

class Writer {
 public:
  /// Without a file all of the text stays in `out`; with one, what comes last.
  Writer(const History& history, std::string& out, std::FILE* file)
      : history_(history), out_(out), file_(file) {}

  void write(const Certificate& certificate);

 private:
  /// `proof` is the one in the lines that follow.
  void header(const Certificate& certificate, const Proof& proof);
  void sums(const std::vector<std::int64_t>& sums);
  void witness(const Witness& witness);
  void witness(const SessionWitness& witness);
  void key_witness(const KeyWitness& witness);
  void key_exhaustion(const KeyExhaustion& exhaustion);
  void finding(const Finding& finding);
  void refutation(const Refutation& refutation);
  /// Not while a part of the text is elsewhere than in `out_`.
  void spill() {
    if (file_ == nullptr || out_.size() < kPiece) return;
    std::fwrite(out_.data(), 1, out_.size(), file_);
    out_.clear();
  }

  template <typename Number>
  void number(Number value) {
    char digits[24];
    const auto end = std::to_chars(digits, digits + sizeof digits, value);
    ISOLDE_INVARIANT(end.ec == std::errc());
    out_.append(digits, end.ptr);
  }
  void digest(std::uint64_t value);
  void session(SessionId session) { number(history_.session_txns(session).front().raw()); }
  /// The lines of an order; `first_members` go in front of the first line's.
  void order(const std::vector<TxnId>& order, const std::string& first_members);
  void clause(const std::vector<VersionOrder>& clause);
  void claims(const std::vector<Claim>& claims);
  void wrong_result(const WrongResult& wrong);
  void source(const ReadSource& source);
  void edge(const Edge& edge);

  const History& history_;
  std::string& out_;
  std::FILE* file_;
};

void Writer::digest(std::uint64_t value) {
  for (int shift = 60; shift >= 0; shift -= 4) {
    out_ += "0123456789abcdef"[(value >> shift) & 15U];
  }
}

void Writer::header(const Certificate& certificate, const Proof& proof) {
  out_ += R"({"isolde-certificate":1,"level":")";
  out_ += info(certificate.level).name;
  if (const auto* implication = std::get_if<Implication>(&certificate.proof)) {
    out_ += R"(","follows_from":")";
    out_ += info(implication->level).name;
  }
  out_ += R"(","verdict":")";
  out_ += certificate.holds() ? "holds" : "violated";
  out_ += R"(","history":")";
  digest(certificate.history_digest);
  out_ += R"(","transactions":)";
  number(history_.txn_count());
  out_ += R"(,"clock_error_ns":)";
  number(certificate.clock_error_ns);
  if (certificate.trusts_versions) out_ += R"(,"versions":"trusted")";
  if (const auto* witness = std::get_if<Witness>(&proof)) {
    out_ += R"(,"mentions":)";
    number(witness->mentions);
  } else if (std::holds_alternative<SessionWitness>(proof)) {
    out_ += R"(,"mentions":1)";
  }
  const auto* refutation = std::get_if<Refutation>(&proof);
  if (refutation != nullptr && refutation->session.is_some()) {
    out_ += R"(,"session_of":)";
    session(refutation->session);
  }
  out_ += "}\n";
}

void Writer::order(const std::vector<TxnId>& order, const std::string& first_members) {
  for (std::size_t at = 0; at < order.size(); ++at) {
    const bool starts_line = at % kOrderLine == 0;
    if (starts_line) (out_ += '{') += at == 0 ? first_members : "";
    out_ += starts_line ? R"("order":[)" : ",";
    number(order[at].raw());
    if (at % kOrderLine == kOrderLine - 1 || at + 1 == order.size()) out_ += "]}\n";
    spill();
  }
}

void Writer::sums(const std::vector<std::int64_t>& sums) {
  for (std::size_t at = 0; at < sums.size(); ++at) {
    out_ += at % kOrderLine == 0 ? R"({"sums":[)" : ",";
    number(sums[at]);
    if (at % kOrderLine == kOrderLine - 1 || at + 1 == sums.size()) out_ += "]}\n";
    spill();
  }
}

void Writer::witness(const Witness& witness) {
  order(witness.order, "");
  for (std::size_t at = 0; at < witness.sources.size(); ++at) {
    out_ += at % kSourceLine == 0 ? R"({"sources":[)" : ",";
    out_ += '{';
    source(witness.sources[at]);
    out_ += '}';
    const bool ends = at % kSourceLine == kSourceLine - 1 || at + 1 == witness.sources.size();
    if (ends) out_ += "]}\n";
    spill();
  }
}

void Writer::witness(const SessionWitness& witness) {
  for (const SessionWitness::Execution& execution : witness.executions) {
    std::string lines = std::exchange(out_, R"("sessions_of":[)");
    for (std::size_t i = 0; i < execution.sessions.size(); ++i) {
      if (i > 0) out_ += ',';
      session(execution.sessions[i]);
    }
    out_ += "],";
    std::swap(lines, out_);
    ISOLDE_INVARIANT(out_.empty() || out_.back() == '\n');  // all of the text so far is back
    order(execution.order, lines);
  }
}

void Writer::key_witness(const KeyWitness& witness) {
  for (std::size_t key = 0; key + 1 < witness.begin.size(); ++key) {
    const std::size_t begin = witness.begin[key];
    const std::size_t end = witness.begin[key + 1];
    for (std::size_t at = begin; at < end; ++at) {
      const bool first = (at - begin) % kOrderLine == 0;
      if (first) {
        out_ += R"({"key":)";
        out_ += history_.json(history_.key_name(KeyId::at(key)));
      }
      out_ += first ? R"(,"order":[)" : ",";
      number(witness.order[at].raw());
      if ((at - begin) % kOrderLine == kOrderLine - 1 || at + 1 == end) out_ += "]}\n";
      spill();
    }
  }
}

void Writer::source(const ReadSource& source) {
  out_ += R"("transaction":)";
  number(source.txn.raw());
  if (source.op != Claim::kNoOp) {
    out_ += R"(,"op":)";
    number(source.op);
  }
  if (source.writer.is_some()) {
    out_ += R"(,"writer":)";
    number(source.writer.raw());
  }
}

void Writer::claims(const std::vector<Claim>& claims) {
  if (claims.empty()) return;
  out_ += R"(,"claims":[)";
  for (std::size_t i = 0; i < claims.size(); ++i) {
    out_ += i == 0 ? "{" : ",{";
    source(claims[i].source);
    out_ += claims[i].denied ? R"(,"is":false})" : R"(,"is":true})";
  }
  out_ += ']';
}

void Writer::key_exhaustion(const KeyExhaustion& exhaustion) {
  out_ += R"({"key":)";
  out_ += history_.json(history_.key_name(exhaustion.key));
  out_ += R"(,"until":)";
  number(exhaustion.until.raw());
  out_ += "}\n";
}

void Writer::finding(const Finding& finding) {
  out_ += R"({"finding":")";
  out_ += name_in(kFindingNames, finding.kind);
  out_ += R"(","transaction":)";
  number(finding.txn.raw());
  out_ += R"(,"op":)";
  number(finding.op);
  out_ += R"(,"element":)";
  number(finding.element);
  if (finding.other.is_some()) {
    out_ += R"(,"other":)";
    number(finding.other.raw());
  }
  out_ += R"(,"other_op":)";
  number(finding.other_op);
  out_ += "}\n";
}

void Writer::clause(const std::vector<VersionOrder>& clause) {
  out_ += R"({"clause":[)";
  for (std::size_t i = 0; i < clause.size(); ++i) {
    out_ += i == 0 ? "[" : ",[";
    number(clause[i].before.raw());
    out_ += ',';
    number(clause[i].after.raw());
    out_ += ']';
  }
  out_ += ']';
}

void Writer::edge(const Edge& edge) {
  out_ += R"({"from":)";
  number(edge.from.raw());
  out_ += R"(,"to":)";
  number(edge.to.raw());
  out_ += R"(,"kind":")";
  out_ += name_in(kEdgeNames, edge.kind);
  out_ += '"';
  if (edge.key.is_some()) {
    out_ += R"(,"key":)";
    out_ += history_.json(history_.key_name(edge.key));
  }
  if (edge.via.is_some()) {
    out_ += R"(,"via":)";
    number(edge.via.raw());
  }
  out_ += '}';
}

/// Ends the step.
void Writer::wrong_result(const WrongResult& wrong) {
  out_ += R"(,"wrong_result":{"transaction":)";
  number(wrong.txn.raw());
  out_ += R"(,"selection":)";
  number(wrong.selection);
  out_ += "}}\n";
  spill();
}

void Writer::refutation(const Refutation& refutation) {
  for (const RefutationStep& step : refutation.steps) {
    clause(step.clause);
    claims(step.claims);
    if (step.wrong_result) {
      wrong_result(*step.wrong_result);
      continue;
    }
    const bool cycle = !step.cycle.empty();
    out_ += cycle ? R"(,"cycle":[)" : R"(,"from":[)";
    for (std::size_t i = 0; i < step.cycle.size(); ++i) {
      if (i > 0) out_ += ',';
      edge(step.cycle[i]);
      spill();
    }
    for (std::size_t i = 0; !cycle && i < step.from.size(); ++i) {
      if (i > 0) out_ += ',';
      number(step.from[i]);
    }
    out_ += "]}\n";
    spill();
  }
}

void Writer::write(const Certificate& certificate) {
  std::optional<Proof> of_other;
  if (const auto* implication = std::get_if<Implication>(&certificate.proof)) {
    of_other = as_proof(implication->proof);
  }
  const Proof& proof = of_other ? *of_other : certificate.proof;
  header(certificate, proof);
  sums(certificate.sums);
  if (const auto* order = std::get_if<Witness>(&proof)) {
    witness(*order);
  } else if (const auto* apart = std::get_if<SessionWitness>(&proof)) {
    witness(*apart);
  } else if (const auto* found = std::get_if<Finding>(&proof)) {
    finding(*found);
  } else if (const auto* keys = std::get_if<KeyWitness>(&proof)) {
    key_witness(*keys);
  } else if (const auto* exhaustion = std::get_if<KeyExhaustion>(&proof)) {
    key_exhaustion(*exhaustion);
  } else {
    refutation(std::get<Refutation>(proof));
  }
}

}  // namespace

std::string certificate_text(const History& history, const Certificate& certificate) {
  std::string out;
  Writer(history, out, nullptr).write(certificate);
  return out;
}

Status write_certificate(const History& history, const Certificate& certificate,
                         const std::string& path) {
  const bool to_stdout = path == "-";
  std::FILE* file = to_stdout ? stdout : std::fopen(path.c_str(), "wb");
  bool written = file != nullptr;
  if (written) {
    std::string rest;
    Writer(history, rest, file).write(certificate);
    std::fwrite(rest.data(), 1, rest.size(), file);
    written = std::fflush(file) == 0 && std::ferror(file) == 0;
  }
  int error = written ? 0 : errno;
  if (file != nullptr && !to_stdout && std::fclose(file) != 0 && written) {
    written = false;
    error = errno;
  }
  if (written) return ok_status();
  return Error{ErrorCode::kEnvironment,
               path + ": cannot write the certificate: " + std::strerror(error)};
}

}  // namespace isolde::certify
