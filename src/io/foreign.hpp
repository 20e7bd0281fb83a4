// Readers of other tools' history formats; docs/formats/foreign.md describes each. They are
// reached through the registry of reader.hpp: detect_x scores the input from names and first
// bytes, read_x turns it into a History.
#pragma once

#include "io/reader.hpp"
#include "isolde/history.hpp"
#include "isolde/status.hpp"

namespace isolde::io {

/// dbcop's binary executions (bincode 1.x of its Rust structures).
int detect_dbcop_bincode(const Inputs& inputs);
Result<History> read_dbcop_bincode(const Inputs& inputs, base::Budget& budget);

/// dbcop's JSON: {"params": ..., "data": [sessions]} or the bare array of sessions.
int detect_dbcop_json(const Inputs& inputs);
Result<History> read_dbcop_json(const Inputs& inputs, base::Budget& budget);

/// dbcop's text: [x:=1 y==2] with sessions separated by dashes.
int detect_dbcop_hist(const Inputs& inputs);
Result<History> read_dbcop_hist(const Inputs& inputs, base::Budget& budget);

/// PolySI, Plume, MTC and IsoVista text: r(key,value,session,txn) lines.
int detect_plume(const Inputs& inputs);
Result<History> read_plume(const Inputs& inputs, base::Budget& budget);

/// AWDIT's test text: "r key value" lines, - ends a transaction, = a session.
int detect_awdit(const Inputs& inputs);
Result<History> read_awdit(const Inputs& inputs, base::Budget& budget);

/// Viper's J*.log files: one JSON object for each committed transaction.
int detect_viper(const Inputs& inputs);
Result<History> read_viper(const Inputs& inputs, base::Budget& budget);

/// Cobra's directory of binary T*.log files (CobraBench), big-endian.
int detect_cobra(const Inputs& inputs);
Result<History> read_cobra(const Inputs& inputs, base::Budget& budget);

/// Jepsen and Elle histories in EDN: list-append and rw-register.
int detect_jepsen_edn(const Inputs& inputs);
Result<History> read_jepsen_edn(const Inputs& inputs, base::Budget& budget);

/// The same as JSON, as elle-cli takes them.
int detect_elle_json(const Inputs& inputs);
Result<History> read_elle_json(const Inputs& inputs, base::Budget& budget);

/// Jepsen's log of an etcd test, as Porcupine takes it: lines of one register's operations.
int detect_porcupine(const Inputs& inputs);
Result<History> read_porcupine(const Inputs& inputs, base::Budget& budget);

/// Porcupine's logs of key-value stores: lines of get, put and append of strings.
int detect_porcupine_kv(const Inputs& inputs);
Result<History> read_porcupine_kv(const Inputs& inputs, base::Budget& budget);

/// Vbox's directory of binary *.log files, little-endian.
int detect_vbox(const Inputs& inputs);
Result<History> read_vbox(const Inputs& inputs, base::Budget& budget);

}  // namespace isolde::io
