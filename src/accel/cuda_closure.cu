// The three phases of accel/closure.hpp as kernels; the matrix stays on the device meanwhile.
//
// Phases 2 and 3 are one kernel: each block has 64 words of the pivot's rows in shared memory
// and unites them into the same words of 64 rows. No block reads a word that another one of the
// same launch writes: masks are a copy of the pivot's column, and phase 3 stores nothing in the
// pivot's rows, because only what changes is stored and phase 2 has completed them.
#include <memory>

#include "accel/cuda_closure.hpp"

namespace isolde::accel {
namespace {

constexpr unsigned kLanes = 32;
constexpr unsigned kLaneWords = 2;
constexpr unsigned kBlockWords = kLanes * kLaneWords;
constexpr unsigned kThreads = 256;

struct Bits {
  Word* data;
  Word* masks;        // by row
  std::size_t words;  // of a row
  std::size_t tiles;

  __device__ Word* row(std::size_t tile, unsigned r) const {
    return data + (tile * kTile + r) * words;
  }
};

/// Phase 1. One block of kTile threads.
__global__ void close_pivot(Bits bits, std::size_t pivot) {
  __shared__ Word tile[kTile];
  const unsigned r = threadIdx.x;
  Word* const place = bits.row(pivot, r) + pivot;
  tile[r] = *place;
  __syncthreads();
  for (unsigned via = 0; via < kTile; ++via) {
    if (r != via) tile[r] = through(tile[r], tile[via], via);
    __syncthreads();
  }
  *place = tile[r];
}

/// A block of kTile threads for each tile of the pivot's column.
__global__ void copy_column(Bits bits, std::size_t pivot) {
  bits.masks[blockIdx.x * kTile + threadIdx.x] = bits.row(blockIdx.x, threadIdx.x)[pivot];
}

/// Phase 2, with first_tile = pivot and one block in y; phase 3, with a block in y for each
/// tile. Blocks in x share out the words, warps the rows.
__global__ void unite_rows(Bits bits, std::size_t pivot, std::size_t first_tile) {
  __shared__ Word strip[kTile * kBlockWords];
  const std::size_t first_word = std::size_t{blockIdx.x} * kBlockWords;
  for (unsigned i = threadIdx.x; i < kTile * kBlockWords; i += blockDim.x) {
    const std::size_t word = first_word + i % kBlockWords;
    strip[i] = word < bits.words ? bits.row(pivot, i / kBlockWords)[word] : 0;
  }
  __syncthreads();
  const unsigned lane = threadIdx.x % kLanes;
  for (unsigned r = threadIdx.x / kLanes; r < kTile; r += blockDim.x / kLanes) {
    const std::size_t tile = first_tile + blockIdx.y;
    Word* const own = bits.row(tile, r);
    const Word mask = bits.masks[tile * kTile + r];
    if (mask == 0) continue;
    Word before[kLaneWords];
    Word after[kLaneWords];
    for (unsigned k = 0; k < kLaneWords; ++k) {
      const std::size_t word = first_word + lane + k * kLanes;
      before[k] = after[k] = word < bits.words ? own[word] : 0;
    }
    unite<kLaneWords, kLanes>(mask, strip + lane, kBlockWords, after);
    for (unsigned k = 0; k < kLaneWords; ++k) {
      if (after[k] != before[k]) own[first_word + lane + k * kLanes] = after[k];
    }
  }
}

Error failure(cudaError_t error) {
  return {ErrorCode::kEnvironment, std::string("CUDA: ") + cudaGetErrorString(error)};
}

struct Free {
  void operator()(Word* memory) const { cudaFree(memory); }
};

cudaError_t run_kernels(const Bits& bits) {
  const auto tiles = static_cast<unsigned>(bits.tiles);
  const auto strips = static_cast<unsigned>((bits.words + kBlockWords - 1) / kBlockWords);
  for (unsigned pivot = 0; pivot < tiles; ++pivot) {
    close_pivot<<<1, kTile>>>(bits, pivot);
    copy_column<<<tiles, kTile>>>(bits, pivot);
    unite_rows<<<strips, kThreads>>>(bits, pivot, pivot);
    unite_rows<<<dim3(strips, tiles), kThreads>>>(bits, pivot, 0);
  }
  return cudaGetLastError();
}

}  // namespace

Result<std::string> cuda_device() {
  int count = 0;
  if (const cudaError_t error = cudaGetDeviceCount(&count)) return failure(error);
  if (count == 0) return failure(cudaErrorNoDevice);
  cudaDeviceProp properties;
  if (const cudaError_t error = cudaGetDeviceProperties(&properties, 0)) return failure(error);
  return std::string(properties.name);
}

Status cuda_closure(BitMatrix& matrix) {
  Result<std::string> device = cuda_device();
  if (!device.ok()) return device.error();
  if (matrix.size() == 0) return ok_status();
  const std::size_t bytes = matrix.row_count() * matrix.words() * sizeof(Word);
  const std::size_t masks = matrix.row_count() * sizeof(Word);
  Word* memory = nullptr;
  if (const cudaError_t error = cudaMalloc(&memory, bytes + masks)) return failure(error);
  const std::unique_ptr<Word, Free> owner(memory);
  if (const auto error = cudaMemcpy(memory, matrix.row(0), bytes, cudaMemcpyHostToDevice)) {
    return failure(error);
  }
  const Bits bits = {memory, memory + bytes / sizeof(Word), matrix.words(),
                     matrix.tile_count()};
  if (const auto error = run_kernels(bits)) return failure(error);
  // A kernel that failed is reported before anything is copied.
  if (const auto error = cudaDeviceSynchronize()) return failure(error);
  if (const auto error = cudaMemcpy(matrix.row(0), memory, bytes, cudaMemcpyDeviceToHost)) {
    return failure(error);
  }
  return ok_status();
}

}  // namespace isolde::accel
