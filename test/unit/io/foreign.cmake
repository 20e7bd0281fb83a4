# Tests of the readers of other tools' formats.
isolde_test(test_io_foreign
  SOURCES foreign_binary_test.cpp foreign_corpus_test.cpp foreign_edn_test.cpp
          foreign_json_test.cpp foreign_parts_test.cpp foreign_text_test.cpp porcupine_kv_test.cpp
  DEPENDS io test_support history base)
isolde_test(test_io_jepsen SOURCES jepsen_sums_test.cpp jepsen_workloads_test.cpp
  DEPENDS io check certify test_support history base)
