// In place of cuda_closure.cu in builds without CUDA.
#include "accel/cuda_closure.hpp"

namespace isolde::accel {

Result<std::string> cuda_device() {
  return Error{ErrorCode::kEnvironment, "built without CUDA (-DISOLDE_CUDA=ON, with nvcc)"};
}

Status cuda_closure(BitMatrix&) { return cuda_device().error(); }

}  // namespace isolde::accel
