// Goal: what is written is read back equal, the text is what docs/formats/certificate.md says,
// and every departure from it is refused with file and line. Method: golden texts, round trips,
// and broken lines.
#include "certify/certificate_io.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>

#include "isolde/history_builder.hpp"
#include "notation.hpp"
#include "support/source_dir.hpp"

namespace isolde::certify::test {
namespace {

using enum Level;

std::string digest_text(const History& history) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx",
                static_cast<unsigned long long>(history.digest()));
  return text;
}

std::string header(const History& history, std::string_view level, std::string_view verdict,
                   std::string_view tail = "") {
  std::string text = R"({"isolde-certificate":1,"level":")";
  text += level;
  text += R"(","verdict":")";
  text += verdict;
  text += R"(","history":")";
  text += digest_text(history);
  text += R"(","transactions":)";
  text += std::to_string(history.txn_count());
  text += R"(,"clock_error_ns":0)";
  text += tail;
  return text += "}\n";
}

/// Text, read and written again.
std::string again(const History& history, const std::string& text) {
  const Result<Certificate> read = parse_certificate(text, "c", history);
  return read.ok() ? certificate_text(history, *read) : read.error().message;
}

TEST(CertificateIo, Witness) {
  const History h = history({"A w:x=1", "B r:x=1"});
  const std::string text =
      header(h, "serializable", "holds", R"(,"mentions":1)") + R"({"order":[0,1]})" + "\n";
  EXPECT_EQ(certificate_text(h, holds(h, kSerializable, {0, 1})), text);
  EXPECT_EQ(again(h, text), text);
  const std::string twice = certificate_text(h, holds(h, kSnapshotIsolation, {0, 1, 0, 1}, 2));
  EXPECT_EQ(again(h, twice), twice);
  const std::string empty =
      certificate_text(history({}), holds(history({}), kSerializable, {}));
  EXPECT_EQ(again(history({}), empty), empty);
}

TEST(CertificateIo, SourcesAndClaims) {
  const History h = history({"A w:x=1", "B w:x=1", "C r:x=1"});
  Certificate witness = holds(h, kReadAtomic, {0, 1, 2});
  std::get<Witness>(witness.proof).sources = {{txn(2), 0, txn(1)}};
  const std::string held = header(h, "read-atomic", "holds", R"(,"mentions":1)") +
                           "{\"order\":[0,1,2]}\n" +
                           R"({"sources":[{"transaction":2,"op":0,"writer":1}]})" + "\n";
  EXPECT_EQ(certificate_text(h, witness), held);
  EXPECT_EQ(again(h, held), held);

  RefutationStep step;
  step.claims = {{{txn(2), 0, txn(0)}, false}, {{txn(1), Claim::kNoOp, {}}, true}};
  const std::string head = header(h, "read-atomic", "violated");
  const std::string text =
      head + R"({"clause":[],"claims":[{"transaction":2,"op":0,"writer":0,"is":true},)" +
      R"({"transaction":1,"is":false}],"from":[]})" + "\n";
  EXPECT_EQ(certificate_text(h, refuted(h, kReadAtomic, {step})), text);
  EXPECT_EQ(again(h, text), text);

  const auto broken = [&](const std::string& claim) {
    return again(h, head + R"({"clause":[],"claims":[)" + claim + R"(],"from":[]})" + "\n");
  };
  EXPECT_EQ(broken(R"({"transaction":2,"op":0,"writer":0})"),
            "c:2: a claim needs transaction and is");
  EXPECT_EQ(broken(R"({"transaction":2,"writer":0,"is":true})"), "c:2: a writer needs an op");
  EXPECT_EQ(broken(R"({"transaction":2,"op":0,"is":1})"), "c:2: expected true or false");
  EXPECT_EQ(broken(R"({"transaction":2,"is":true,"is":true})"), "c:2: a member appears twice");
  EXPECT_EQ(broken(R"({"transaction":2,"from":0,"is":true})"),
            "c:2: unknown member 'from' about a read");
  EXPECT_EQ(again(h, header(h, "read-atomic", "holds", R"(,"mentions":1)") +
                         R"({"sources":[{"transaction":2,"writer":0}]})" + "\n"),
            "c:2: a source needs transaction and op");
}

TEST(CertificateIo, LongOrdersAreCutIntoLines) {
  std::vector<std::string> txns(25000, "A w:x=1");
  const History h = history(txns);
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < txns.size(); ++i) order.push_back(i);
  const std::string text = certificate_text(h, holds(h, kSerializable, order));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 4);
  EXPECT_NE(text.find(",9999]}\n{\"order\":[10000,"), std::string::npos);
  EXPECT_EQ(again(h, text), text);
}

TEST(CertificateIo, Finding) {
  const History h = history({"A! w:x=1", "B r:x=1"});
  const Finding finding = {FindingKind::kAbortedRead, txn(1), 0, 0, txn(0), 0};
  const std::string text = header(h, "read-committed", "violated") +
                           R"({"finding":"aborted-read","transaction":1,"op":0,"element":0,)" +
                           R"("other":0,"other_op":0})" + "\n";
  EXPECT_EQ(certificate_text(h, found(h, kReadCommitted, finding)), text);
  EXPECT_EQ(again(h, text), text);
  for (int kind = 0; kind < 8; ++kind) {
    const Finding other = {static_cast<FindingKind>(kind), txn(1), 2, 3, {}, 4};
    const std::string form = certificate_text(h, found(h, kReadCommitted, other));
    EXPECT_EQ(again(h, form), form);
  }
}

TEST(CertificateIo, Refutation) {
  const History h = history({"A r:x=_ w:x=1", "B r:x=_ w:x=2"});
  const KeyId x = key(h, "x");
  const Certificate certificate = refuted(h, kSnapshotIsolation,
                                          {{{order(1, 0)}, {ww(0, 1, x), rw(1, 0, x, -1)}, {}},
                                           {{order(0, 1)}, {ww(1, 0, x), rw(0, 1, x, -1)}, {}},
                                           {{}, {}, {0, 1}}});
  const std::string text =
      header(h, "snapshot-isolation", "violated") +
      R"({"clause":[[1,0]],"cycle":[{"from":0,"to":1,"kind":"ww","key":"x"},)"
      R"({"from":1,"to":0,"kind":"rw","key":"x"}]})"
      "\n"
      R"({"clause":[[0,1]],"cycle":[{"from":1,"to":0,"kind":"ww","key":"x"},)"
      R"({"from":0,"to":1,"kind":"rw","key":"x"}]})"
      "\n"
      R"({"clause":[],"from":[0,1]})"
      "\n";
  EXPECT_EQ(certificate_text(h, certificate), text);
  EXPECT_EQ(again(h, text), text);
  const Result<Certificate> read = parse_certificate(text, "c", h);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(outcome(h, *read), "proves");
  const std::string others = certificate_text(
      h,
      refuted(h, kSerializable,
              {{{}, {so(0, 1), rt(0, 1), wr(0, 1, x), rw(0, 1, x, 1), mv(0, 1, x, 1)}, {}}}));
  EXPECT_EQ(again(h, others), others);
}

TEST(CertificateIo, KeysOfAllKinds) {
  HistoryBuilder builder;
  builder.begin_txn(builder.session("A"));
  const std::vector<Value> names = {
      builder.integer(1),         builder.string("1"), builder.literal("1.5"),
      builder.literal("true"),    builder.integer(-7), builder.string("a \"b\" \\ \n\x01"),
      builder.string("\xc3\xa9"), builder.string(""),  builder.string("true")};
  std::vector<Edge> edges;
  for (const Value name : names) {
    builder.write(builder.key(name), builder.integer(1));
    edges.push_back(ww(0, 0, builder.key(name)));
  }
  const Result<History> h = builder.finish();
  const std::string text = certificate_text(*h, refuted(*h, kSerializable, {{{}, edges, {}}}));
  EXPECT_NE(text.find(R"("key":1})"), std::string::npos);
  EXPECT_NE(text.find(R"("key":"1"})"), std::string::npos);
  EXPECT_EQ(again(*h, text), text);
  std::string escaped = text;
  escaped.replace(escaped.find("\xc3\xa9"), 2, "\\u00e9");
  EXPECT_EQ(again(*h, escaped), text);
}

TEST(CertificateIo, ReadsLooseSpellings) {
  const History h = history({"A w:x=1"});
  const std::string text = header(h, "serializable", "holds", R"(,"mentions":1)");
  EXPECT_EQ(again(h, text + "{ \"order\" : [ 0 ] }"), text + "{\"order\":[0]}\n");
  std::string alias = text;
  alias.replace(alias.find("serializable"), 12, "ser");
  EXPECT_EQ(again(h, alias), text);
}

TEST(CertificateIo, RefusesBrokenHeaders) {
  const History h = history({"A w:x=1"});
  const std::string good = header(h, "serializable", "holds", R"(,"mentions":1)");
  const auto with = [&](const std::string& what, const std::string& instead) {
    std::string text = good;
    text.replace(text.find(what), what.size(), instead);
    return again(h, text);
  };
  EXPECT_EQ(again(h, ""), "c:1: the file is empty");
  EXPECT_EQ(again(h, "\n"), "c:1: broken JSON");
  EXPECT_EQ(again(h, "[1]\n"), "c:1: expected the header, a JSON object");
  EXPECT_EQ(again(h, "{\"order\":[0]}\n"), "c:1: unknown member 'order' in the header");
  EXPECT_EQ(with("\"isolde-certificate\":1,", ""),
            "c:1: the header needs isolde-certificate, level, verdict, history, transactions "
            "and clock_error_ns");
  EXPECT_EQ(with("certificate\":1", "certificate\":2"),
            "c:1: version 2 of the format is unknown; this program reads version 1");
  EXPECT_EQ(with("serializable", "perfect"), "c:1: unknown level 'perfect'");
  EXPECT_EQ(with("holds", "maybe"), "c:1: the verdict is neither holds nor violated");
  EXPECT_EQ(with("holds", "violated"),
            "c:1: mentions belongs to the verdict 'holds' and to no other");
  EXPECT_EQ(with(digest_text(h), "123"),
            "c:1: the history's digest is not 16 hexadecimal digits");
  EXPECT_EQ(with(digest_text(h), "ZZZZZZZZZZZZZZZZ"),
            "c:1: the history's digest is not 16 hexadecimal digits");
  EXPECT_EQ(with("transactions\":1", "transactions\":2"),
            "c:1: the certificate is about a history of 2 transactions, this one has 1");
  // Real time that binds only for gaps of centuries does not bind.
  for (const char* const forged :
       {"-1", "9e18", "9000000000000000000", "86400000000001", "1.5", "\"0\"", "null"}) {
    EXPECT_EQ(with("ns\":0", "ns\":" + std::string(forged)),
              "c:1: clock_error_ns is no whole number from 0 to 86400000000000 nanoseconds, "
              "which is a day");
  }
  EXPECT_EQ(with("mentions\":1", "mentions\":3"),
            "c:1: expected 1 or 2, a whole number from 0 and below 3");
  EXPECT_EQ(with("mentions\":1", "mentions\":0"), "c:1: mentions is neither 1 nor 2");
  EXPECT_EQ(with("\"mentions\":1", "\"mentions\":1,\"mentions\":1"),
            "c:1: a member appears twice");
  EXPECT_EQ(with("}", ""), "c:1: broken JSON");
  EXPECT_EQ(with("}", "},{}"), "c:1: text after the end of the JSON object");
  EXPECT_EQ(with("}", "} 1"), "c:1: broken JSON");
}

TEST(CertificateIo, RefusesBrokenWitnesses) {
  const History h = history({"A w:x=1", "B w:x=2"});
  const auto with = [&](const std::string& line) {
    return again(h, header(h, "serializable", "holds", R"(,"mentions":1)") + line + "\n");
  };
  EXPECT_EQ(with(R"({"order":[0,2]})"),
            "c:2: expected the number of a transaction, a whole number from 0 and below 2");
  EXPECT_EQ(with(R"({"order":[-1]})"),
            "c:2: expected the number of a transaction, a whole number from 0 and below 2");
  EXPECT_EQ(with(R"({"order":["0"]})"),
            "c:2: expected the number of a transaction, a whole number from 0 and below 2");
  EXPECT_EQ(with(R"({"order":[4294967296]})"),
            "c:2: expected the number of a transaction, a whole number from 0 and below 2");
  EXPECT_EQ(with(R"({"order":0})"), "c:2: expected transactions, a JSON array");
  EXPECT_EQ(
      with(R"({"order":[0],"op":1})"),
      "c:2: expected {\"order\":[...]}, perhaps with sessions_of, or {\"sources\":[...]}, "
      "and nothing else");
  EXPECT_EQ(
      with(R"({"clause":[],"from":[]})"),
      "c:2: expected {\"order\":[...]}, perhaps with sessions_of, or {\"sources\":[...]}, "
      "and nothing else");
  EXPECT_EQ(with(R"({"order":[0,)"), "c:2: broken JSON");
  EXPECT_EQ(with("{\"order\":[0]}\n\n{\"order\":[1]}"), "c:3: broken JSON");
}

TEST(CertificateIo, RefusesBrokenProofsOfViolation) {
  const History h = history({"A w:x=1", "B w:x=2"});
  const auto with = [&](const std::string& lines) {
    return again(h, header(h, "serializable", "violated") + lines + "\n");
  };
  const std::string finding = R"({"finding":"internal","transaction":1,"op":0})";
  const std::string step = R"({"clause":[[0,1]],"cycle":[{"from":0,"to":1,"kind":"so"}]})";
  EXPECT_EQ(with(R"({"order":[0]})"),
            "c:2: expected a clause with either cycle or from, or a finding");
  EXPECT_EQ(with(R"({"finding":"bad","transaction":1,"op":0})"), "c:2: unknown finding 'bad'");
  EXPECT_EQ(with(R"({"finding":"internal","transaction":1})"),
            "c:2: expected a finding with transaction and op");
  EXPECT_EQ(with(finding + "\n" + finding),
            "c:3: a finding is the whole proof: it is the only line after the header");
  EXPECT_EQ(with(step + "\n" + finding),
            "c:3: a finding is the whole proof: it is the only line after the header");
  EXPECT_EQ(with(finding + "\n" + step),
            "c:3: a finding is the whole proof: it is the only line after the header");
  EXPECT_EQ(with(R"({"clause":[]})"),
            "c:2: expected a clause with either cycle or from, or a finding");
  EXPECT_EQ(with(R"({"clause":[],"from":[0]})"),
            "c:2: expected an earlier step, a whole number from 0 and below 0");
  EXPECT_EQ(with(step + "\n" + R"({"clause":[],"from":[1]})"),
            "c:3: expected an earlier step, a whole number from 0 and below 1");
  EXPECT_EQ(with(R"({"clause":[[0]],"from":[]})"), "c:2: a pair has fewer than two members");
  EXPECT_EQ(with(R"({"clause":[[0,1,0]],"from":[]})"), "c:2: a pair has more than two members");
  EXPECT_EQ(with(R"({"clause":[0],"from":[]})"),
            "c:2: expected a pair of transactions, a JSON array");
  EXPECT_EQ(with(R"({"clause":[],"cycle":[{"from":0,"to":1}]})"),
            "c:2: an edge needs from, to and kind");
  EXPECT_EQ(with(R"({"clause":[],"cycle":[{"from":0,"to":1,"kind":"xx"}]})"),
            "c:2: unknown kind of edge 'xx'");
  EXPECT_EQ(with(R"({"clause":[],"cycle":[{"from":0,"to":1,"kind":"ww","key":"z"}]})"),
            "c:2: the history has no key 'z'");
  EXPECT_EQ(with(R"({"clause":[],"cycle":[{"from":0,"to":1,"kind":"ww","key":[1]}]})"),
            "c:2: expected a key, a JSON scalar");
  EXPECT_EQ(with(R"({"clause":[],"cycle":[{"from":0,"to":1,"kind":"ww","by":1}]})"),
            "c:2: unknown member 'by' in an edge");
  EXPECT_EQ(with(R"({"clause":[],"cycle":[{"from":0,"from":0,"to":1,"kind":"ww"}]})"),
            "c:2: a member appears twice");
  EXPECT_EQ(with(R"({"why":1})"), "c:2: unknown member 'why'");
}

TEST(CertificateIo, WritesAndReadsFiles) {
  const History h = history({"A w:x=1"});
  const std::string path =
      testing::TempDir() + "certificate_io_test." + std::to_string(getpid());
  const Certificate certificate = holds(h, kSerializable, {0});
  ASSERT_TRUE(write_certificate(h, certificate, path).ok());
  const Result<Certificate> read = read_certificate(path, h);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(certificate_text(h, *read), certificate_text(h, certificate));
  std::remove(path.c_str());
  const Result<Certificate> gone = read_certificate(path, h);
  ASSERT_FALSE(gone.ok());
  EXPECT_EQ(gone.error().code, ErrorCode::kEnvironment);
  EXPECT_EQ(gone.error().message,
            path + ": cannot read the certificate: No such file or directory");
  const Status nowhere = write_certificate(h, certificate, path + "/no/such/place");
  ASSERT_FALSE(nowhere.ok());
  EXPECT_EQ(nowhere.error().code, ErrorCode::kEnvironment);
}

/// The blocks of docs/formats/certificate.md that start like this.
std::vector<std::string> examples(std::string_view start) {
  std::ifstream file(support::source_dir() + "/docs/formats/certificate.md");
  std::vector<std::string> found;
  std::string line;
  bool inside = false;
  while (std::getline(file, line)) {
    if (line == "```") {
      inside = false;
    } else if (line.rfind(start, 0) == 0) {
      found.emplace_back();
      inside = true;
    }
    if (inside) found.back() += line + "\n";
  }
  return found;
}

TEST(CertificateIo, ExamplesInTheDocumentationProveTheirClaims) {
  // The histories of the page, in our notation; the digests in the certificates tell if not.
  const std::vector<std::vector<std::string>> histories = {
      {"a r:x=_ w:x=1", "c r:x=2", "b r:x=1 w:x=2"},
      {"a r:x=_ r:y=_ w:x=1", "b r:x=_ r:y=_ w:y=2"},
      {"a r:x=_ w:x=1", "b r:x=_ w:x=2"},
      {"a@0-9 w:x=1", "b@0-9 w:x=1", "c@20-29 w:x=2", "d@40-49 r:x=1"},
      {"a@0-9 w:x=1", "b@0-9 w:x=1", "c@20-29 w:x=2", "d@40-49 r:x=1"}};
  const std::vector<std::string> certificates = examples("{\"isolde-certificate\"");
  ASSERT_EQ(certificates.size(), histories.size());
  for (std::size_t i = 0; i < histories.size(); ++i) {
    const History h = history(histories[i]);
    EXPECT_EQ(again(h, certificates[i]), certificates[i]);
    const Result<Certificate> read = parse_certificate(certificates[i], "c", h);
    ASSERT_TRUE(read.ok());
    EXPECT_EQ(outcome(h, *read), "proves");
  }
}

/// Any truncation or change of one byte is an error, or a certificate; never a crash.
TEST(CertificateIo, SurvivesDamage) {
  const History h = history({"A r:x=_ w:x=1", "B r:x=_ w:x=2"});
  const KeyId x = key(h, "x");
  const std::string text =
      certificate_text(h, refuted(h, kSnapshotIsolation,
                                  {{{order(1, 0)}, {ww(0, 1, x), rw(1, 0, x, -1)}, {}},
                                   {{}, {ww(1, 0, x), rw(0, 1, x, -1)}, {}}}));
  for (std::size_t at = 0; at < text.size(); ++at) {
    const Result<Certificate> cut = parse_certificate(text.substr(0, at), "c", h);
    if (cut.ok()) verify(h, *cut);
    for (const char with : std::string_view("\0\n\"[]{},:-019az\xff", 17)) {
      std::string damaged = text;
      damaged[at] = with;
      const Result<Certificate> read = parse_certificate(damaged, "c", h);
      if (read.ok()) verify(h, *read);
    }
  }
}

}  // namespace
}  // namespace isolde::certify::test
