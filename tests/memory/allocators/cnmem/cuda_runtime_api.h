/* What NVIDIA's cnmem needs of the CUDA runtime: one device, whose memory is only numbers. */
#pragma once
#include <cstddef>

typedef enum { cudaSuccess = 0, cudaErrorMemoryAllocation = 2 } cudaError_t;
typedef void *cudaStream_t;
struct cudaDeviceProp { std::size_t totalGlobalMem; };
enum { cudaStreamDefault = 0, cudaStreamNonBlocking = 1 };

cudaError_t cudaMalloc(void **address, std::size_t bytes);
cudaError_t cudaFree(void *address);
inline cudaError_t cudaGetDevice(int *device) { *device = 0; return cudaSuccess; }
inline cudaError_t cudaSetDevice(int) { return cudaSuccess; }
inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp *, int) { return cudaSuccess; }
inline cudaError_t cudaStreamSynchronize(cudaStream_t) { return cudaSuccess; }
inline cudaError_t cudaStreamGetFlags(cudaStream_t, unsigned *flags) { *flags = 0; return cudaSuccess; }
inline const char *cudaGetErrorString(cudaError_t) { return ""; }
