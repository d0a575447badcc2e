/* NVIDIA's cnmem on a device of numbers. Commands on standard input, a line each; answers on standard output.
 *
 *   pool LIMIT RESERVE DOWN      a new pool; DOWN: each block of the driver lies below the last one
 *   take NUMBER BYTES            -> ADDRESS TAKEN ASKED: 0 where it is refused; bytes taken from the driver, and how often it was asked
 *   give NUMBER
 */
#include <cstdio>
#include <map>

#include "cnmem.cpp"

typedef unsigned long long ull;
static const ull BASE = 1ull << 45, ALIGNMENT = 512;
static ull edge, limit, taken, asked;
static int down;

cudaError_t cudaMalloc(void **address, std::size_t bytes) {
  ++asked;
  if (taken + bytes > limit) return cudaErrorMemoryAllocation;
  taken += bytes;
  if (down) {
    edge = (edge - bytes) / ALIGNMENT * ALIGNMENT;
    *address = (void *)edge;
  } else {
    *address = (void *)edge;
    edge = (edge + bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  }
  return cudaSuccess;
}

cudaError_t cudaFree(void *) { return cudaSuccess; }

static void start(ull reserve) {
  cnmemDevice_t device = {};
  edge = BASE;
  taken = asked = 0;
  device.size = reserve;
  if (cnmemInit(1, &device, CNMEM_FLAGS_DEFAULT) != CNMEM_STATUS_SUCCESS) std::puts("no pool");
}

int main() {
  std::map<ull, void *> held;
  char command[8];
  ull first, second;
  bool running = false;
  while (std::scanf("%7s %llu", command, &first) == 2) {
    if (command[0] == 'p') {
      if (running) cnmemFinalize();
      running = true;
      held.clear();
      limit = first;
      if (std::scanf("%llu %d", &second, &down) != 2) return 1;
      start(second);
    } else if (command[0] == 't') {
      void *address = NULL;
      if (std::scanf("%llu", &second) != 1) return 1;
      if (cnmemMalloc(&address, second, NULL) != CNMEM_STATUS_SUCCESS) address = NULL;
      held[first] = address;
      std::printf("%llu %llu %llu\n", (ull)address, taken, asked);
    } else if (cnmemFree(held[first], NULL) != CNMEM_STATUS_SUCCESS) {
      return 1;
    }
  }
  return 0;
}
