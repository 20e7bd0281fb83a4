// The closure of accel/closure.hpp on a CUDA device, where the build has it (-DISOLDE_CUDA=ON
// and a CUDA compiler) and the machine too. Elsewhere both functions return an Error that says
// why.
#pragma once

#include <string>

#include "accel/bit_matrix.hpp"
#include "isolde/status.hpp"

namespace isolde::accel {

/// The name of the device that cuda_closure() would use. ERRORS: kEnvironment: built without
/// CUDA, no driver, no device.
Result<std::string> cuda_device();

/// As closure(), with both ways between host and device. ERRORS: those of cuda_device(), and
/// what the driver reports, too little memory among it; then the matrix is as it was.
Status cuda_closure(BitMatrix& matrix);

}  // namespace isolde::accel
