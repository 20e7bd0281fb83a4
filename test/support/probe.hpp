// Which workloads want few keys.
#pragma once

#include "gen/workload.hpp"

namespace isolde::support {

/// Small transactions on hot keys, made for one anomaly; without those on rows.
inline bool is_probe(gen::Workload workload) {
  const gen::WorkloadInfo& row = gen::info(workload);
  return row.summary.starts_with("probe: ") && !row.needs.rows;
}

}  // namespace isolde::support
