// As written_formats.hpp, for the formats that are text; and the table of all.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "unit/io/written_formats.hpp"

namespace isolde::io {

/// "r" or "w", then fields between these words.
inline std::string op_text(const PlainOp& op, std::string_view before, std::string_view between,
                           std::string_view behind, std::string_view initial) {
  const std::string value =
      op.value == 0 && !op.write ? std::string(initial) : std::to_string(op.value);
  return std::string(before) + std::to_string(op.key) + std::string(between) + value +
         std::string(behind);
}

/// All operations of a transaction, with `comma` in between.
template <typename Text>
std::string joined(const PlainTxn& txn, std::string_view comma, Text text) {
  std::string all;
  for (const PlainOp& op : txn.ops) {
    if (!all.empty()) all += comma;
    all += text(op);
  }
  return all;
}

inline Files as_dbcop_json(const std::vector<PlainTxn>& history) {
  std::string text = "[";
  for (const std::uint64_t session : {0UL, 1UL}) {
    text += session == 0 ? "[" : "],\n[";
    std::string_view comma;
    for (const PlainTxn& txn : of_session(history, session)) {
      text += comma;
      comma = ",\n";
      text += "{\"events\": [" +
              joined(txn, ", ",
                     [](const PlainOp& op) {
                       return op_text(op,
                                      op.write ? R"({"Write": {"variable": )"
                                               : R"({"Read": {"variable": )",
                                      ", \"version\": ", "}}", "null");
                     }) +
              "], \"committed\": true}";
    }
  }
  return {{"history.json", text + "]]\n"}};
}

inline Files as_dbcop_hist(const std::vector<PlainTxn>& history) {
  std::string text;
  for (const std::uint64_t session : {0UL, 1UL}) {
    if (session == 1) text += "-----\n";
    for (const PlainTxn& txn : of_session(history, session)) {
      text += "[" +
              joined(txn, " ",
                     [](const PlainOp& op) {
                       return op_text(op, "x", op.write ? ":=" : "==", "", "?");
                     }) +
              "]\n";
    }
  }
  return {{"history.hist", text}};
}

inline Files as_plume(const std::vector<PlainTxn>& history) {
  std::string text;
  for (const PlainTxn& txn : history) {
    const std::string end =
        "," + std::to_string(txn.session) + "," + std::to_string(txn.number) + ")\n";
    text += joined(txn, "", [&](const PlainOp& op) {
      return op_text(op, op.write ? "w(" : "r(", ",", end, "0");
    });
  }
  return {{"history.txt", text}};
}

inline Files as_awdit(const std::vector<PlainTxn>& history) {
  std::string text;
  for (const std::uint64_t session : {0UL, 1UL}) {
    if (session == 1) text += "=====\n";
    for (const PlainTxn& txn : of_session(history, session)) {
      text += joined(txn, "", [](const PlainOp& op) {
        return op_text(op, op.write ? "w " : "r ", " ", "\n", "0");
      });
      text += "-----\n";
    }
  }
  return {{"history.txt", text}};
}

inline Files as_viper(const std::vector<PlainTxn>& history) {
  Files files;
  for (const std::uint64_t session : {0UL, 1UL}) {
    std::string text;
    for (const PlainTxn& txn : of_session(history, session)) {
      text +=
          "{\"value\": [" +
          joined(txn, ", ",
                 [](const PlainOp& op) {
                   return op_text(op, op.write ? "[\"w\", " : "[\"r\", ", ", ", ", true]", "0");
                 }) +
          "]}\n";
    }
    files.emplace_back("J" + std::to_string(session) + ".log", text);
  }
  return files;
}

inline Files as_elle_json(const std::vector<PlainTxn>& history) {
  std::string text;
  for (const PlainTxn& txn : history) {
    for (const bool done : {false, true}) {
      text += std::string(R"({"type":")") + (done ? "ok" : "invoke") +
              R"(","f":"txn","value":[)" +
              joined(txn, ",",
                     [&](const PlainOp& op) {
                       return done || op.write ? op_text(op, op.write ? R"(["w",)" : R"(["r",)",
                                                         ",", "]", "null")
                                               : "[\"r\"," + std::to_string(op.key) + ",null]";
                     }) +
              "],\"process\":" + std::to_string(txn.session) +
              ",\"time\":" + std::to_string(txn.number * 100 + (done ? 50 : 0)) + "}\n";
    }
  }
  return {{"history.json", text}};
}

inline Files as_jepsen(const std::vector<PlainTxn>& history) {
  std::string text;
  for (const PlainTxn& txn : history) {
    for (const bool done : {false, true}) {
      text += std::string("{:type :") + (done ? "ok" : "invoke") + ", :f :txn, :value [" +
              joined(txn, " ",
                     [&](const PlainOp& op) {
                       return done || op.write
                                  ? op_text(op, op.write ? "[:w " : "[:r ", " ", "]", "nil")
                                  : "[:r " + std::to_string(op.key) + " nil]";
                     }) +
              "], :process " + std::to_string(txn.session) + ", :time " +
              std::to_string(txn.number * 100 + (done ? 50 : 0)) + "}\n";
    }
  }
  return {{"history.edn", text}};
}

inline Files as_porcupine(const std::vector<PlainTxn>& history) {
  std::string text;
  for (const PlainTxn& txn : history) {
    const PlainOp& op = txn.ops.front();
    const std::string value = std::to_string(op.value);
    const std::string start = "INFO  jepsen.util - " + std::to_string(txn.session) + "\t";
    const std::string function = op.write ? "\t:write\t" : "\t:read\t";
    text += start + ":invoke" + function + (op.write ? value : "nil") + "\n";
    text += start + ":ok" + function + value + "\n";
  }
  return {{"etcd.log", text}};
}

inline Files as_porcupine_kv(const std::vector<PlainTxn>& history) {
  std::string text;
  for (const PlainTxn& txn : history) {
    const PlainOp& op = txn.ops.front();
    for (const bool done : {false, true}) {
      text += "{:process " + std::to_string(txn.session) + ", :type " +
              (done ? ":ok" : ":invoke") + ", :f " + (op.write ? ":put" : ":get") +
              ", :key \"k\", :value " +
              (done || op.write ? "\"value " + std::to_string(op.value) + "\"" : "nil") + "}\n";
    }
  }
  return {{"kv.log", text}};
}

struct Written {
  const char* format;
  Files (*write)(const std::vector<PlainTxn>& history);
  std::uint64_t txns;  ///< make each file larger than a mebibyte
  bool calls = false;  ///< single calls on one key
};

inline void PrintTo(const Written& written, std::ostream* out) { *out << written.format; }

inline constexpr Written kWritten[] = {
    {"native", as_native, 14'000},
    {"native-binary", as_native_binary, 20'000},
    {"dbcop", as_dbcop, 16'000},
    {"dbcop-json", as_dbcop_json, 6'000},
    {"dbcop-hist", as_dbcop_hist, 26'000},
    {"plume", as_plume, 15'000},
    {"awdit", as_awdit, 24'000},
    {"viper", as_viper, 24'000},
    {"cobra", as_cobra, 18'000},
    {"jepsen", as_jepsen, 7'000},
    {"elle-json", as_elle_json, 6'000},
    {"porcupine", as_porcupine, 14'000, true},
    {"porcupine-kv", as_porcupine_kv, 9'000, true},
    {"vbox", as_vbox, 12'000},
};

}  // namespace isolde::io
