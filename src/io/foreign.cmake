# Readers of other tools' formats, for isolde_io.
set(ISOLDE_FOREIGN_READERS
    awdit_reader.cpp bad_input.cpp cobra_reader.cpp dbcop_bincode_reader.cpp
    dbcop_hist_reader.cpp dbcop_json_reader.cpp edn_lexer.cpp elle_json_reader.cpp
    jepsen_calls.cpp jepsen_edn_reader.cpp jepsen_ops.cpp jepsen_registers.cpp jepsen_sets.cpp
    jepsen_workloads.cpp json_text.cpp plume_reader.cpp porcupine_kv_reader.cpp
    porcupine_reader.cpp register_log.cpp string_states.cpp text_cursor.cpp vbox_reader.cpp
    viper_reader.cpp)
