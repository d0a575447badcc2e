/* Device memory: real host memory, mapped lazily, with the device's limit, granule and addresses.
 *
 * Trace lines: alloc SEQ ADDRESS BYTES LIVE | free SEQ ADDRESS BYTES LIVE | oom SEQ BYTES LIVE
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "virtual.h"

struct block { uint64_t at, counted, asked; };  /* at: offset in the arena */

static struct block *blocks;  /* sorted by `at` */
static size_t n_blocks, room;
static unsigned char *arena;
static uint64_t arena_bytes, edge, sequence;
static uint64_t live, peak, n_taken, n_given, n_refused, sum_taken;
static int64_t fail_in;  /* > 0: so many requests from now, one is refused */
static const uint64_t PAGE = 4096, LARGE = 1 << 20;

typedef unsigned long long ull;

uint64_t round_up(uint64_t value, uint64_t multiple) { return (value + multiple - 1) / multiple * multiple; }

/* Addresses are plentiful, so that only the count of bytes can run out; nothing is committed before it is written to. */
void set_up_memory(void) {
  const int mode = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  arena_bytes = settings.total * 16 > (64ull << 30) ? settings.total * 16 : 64ull << 30;
  arena = mmap((void *)0x200000000000ull, arena_bytes, PROT_READ | PROT_WRITE, mode, -1, 0);
  if (arena == MAP_FAILED) {
    perror("virtual device: mmap");
    abort();
  }
  edge = settings.placement == DOWN ? arena_bytes : 0;
}

/* Where a block of `bytes` goes; arena_bytes if nowhere. */
static uint64_t find_place(uint64_t bytes) {
  const uint64_t step = settings.alignment > settings.granule ? settings.alignment : round_up(settings.granule, settings.alignment);
  uint64_t at = 0;
  if (settings.placement == DOWN) {
    if (edge < bytes) return arena_bytes;
    return edge = (edge - bytes) / step * step;
  }
  if (settings.placement == UP) {
    at = round_up(edge, step);
    edge = at + bytes;
  } else {
    for (size_t i = 0; i < n_blocks; i++) {
      if (blocks[i].at >= at && blocks[i].at - at >= bytes) break;
      at = round_up(blocks[i].at + blocks[i].counted, step);
    }
  }
  return at + bytes > arena_bytes ? arena_bytes : at;
}

static void insert(struct block block) {
  size_t i;
  if (n_blocks == room) {
    room = room ? room * 2 : 256;
    blocks = realloc(blocks, room * sizeof *blocks);
    if (!blocks) abort();
  }
  for (i = n_blocks; i > 0 && blocks[i - 1].at > block.at; i--) blocks[i] = blocks[i - 1];
  blocks[i] = block;
  n_blocks++;
}

/* Index of the block that begins at `at`, n_blocks if there is none. */
static size_t find_block(uint64_t at) {
  size_t low = 0, high = n_blocks;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (blocks[middle].at < at) low = middle + 1;
    else high = middle;
  }
  return low < n_blocks && blocks[low].at == at ? low : n_blocks;
}

static result refuse(uint64_t bytes) {
  n_refused++;
  trace("oom %llu %llu %llu\n", (ull)++sequence, (ull)bytes, (ull)live);
  return OUT_OF_MEMORY;
}

static result take(device_pointer *pointer, uint64_t bytes) {
  const uint64_t counted = round_up(bytes, settings.granule);
  uint64_t at;
  if (fail_in > 0 && --fail_in == 0) return refuse(bytes);
  if (counted > settings.free || live > settings.free - counted) return refuse(bytes);
  at = find_place(counted);
  if (at == arena_bytes) return refuse(bytes);
  insert((struct block){at, counted, bytes});
  live += counted;
  n_taken++;
  sum_taken += bytes;
  if (live > peak) peak = live;
  *pointer = (device_pointer)(uintptr_t)(arena + at);
  trace("alloc %llu 0x%llx %llu %llu\n", (ull)++sequence, *pointer, (ull)bytes, (ull)live);
  return SUCCESS;
}

static result give(device_pointer pointer) {
  const size_t i = find_block(pointer - (uintptr_t)arena);
  struct block block;
  if (i == n_blocks) return INVALID_VALUE;
  block = blocks[i];
  memmove(blocks + i, blocks + i + 1, (n_blocks - i - 1) * sizeof *blocks);
  n_blocks--;
  n_given++;
  live -= block.counted;
  if (block.counted >= LARGE) /* whole pages go back to the host */
    madvise(arena + round_up(block.at, PAGE), (block.at + block.counted) / PAGE * PAGE - round_up(block.at, PAGE), MADV_DONTNEED);
  trace("free %llu 0x%llx %llu %llu\n", (ull)++sequence, pointer, (ull)block.asked, (ull)live);
  return SUCCESS;
}

API result cuMemAlloc_v2(device_pointer *pointer, size_t bytes) {
  result code;
  if (!bytes) return INVALID_VALUE;
  pthread_mutex_lock(&lock);
  code = take(pointer, bytes);
  pthread_mutex_unlock(&lock);
  return code;
}

API result cuMemFree_v2(device_pointer pointer) {
  result code;
  if (!pointer) return SUCCESS;
  pthread_mutex_lock(&lock);
  code = give(pointer);
  pthread_mutex_unlock(&lock);
  return code;
}

API result cuMemGetInfo_v2(size_t *free_bytes, size_t *total) {
  pthread_mutex_lock(&lock);
  *total = settings.total;
  *free_bytes = settings.free > live ? settings.free - live : 0;
  pthread_mutex_unlock(&lock);
  return SUCCESS;
}

API result cuMemAllocHost_v2(void **pointer, size_t bytes) {
  *pointer = calloc(1, bytes ? bytes : 1);
  return *pointer ? SUCCESS : OUT_OF_MEMORY;
}
API result cuMemFreeHost(void *pointer) {
  free(pointer);
  return SUCCESS;
}

/* ---- contents: small arrays are always kept, so that shapes and indices computed on the host stay right */
static int keeps(size_t bytes) { return !settings.drop_contents || bytes <= PAGE; }

API result cuMemcpyHtoD_v2(device_pointer to, const void *from, size_t bytes) {
  if (keeps(bytes)) memcpy((void *)(uintptr_t)to, from, bytes);
  return SUCCESS;
}
API result cuMemcpyHtoDAsync_v2(device_pointer to, const void *from, size_t bytes, void *stream) {
  (void)stream;
  return cuMemcpyHtoD_v2(to, from, bytes);
}
API result cuMemcpyDtoHAsync_v2(void *to, device_pointer from, size_t bytes, void *stream) {
  (void)stream;
  memcpy(to, (void *)(uintptr_t)from, bytes);
  return SUCCESS;
}
API result cuMemcpyDtoDAsync_v2(device_pointer to, device_pointer from, size_t bytes, void *stream) {
  (void)stream;
  if (keeps(bytes)) memmove((void *)(uintptr_t)to, (void *)(uintptr_t)from, bytes);
  return SUCCESS;
}
API result cuMemcpyPeerAsync(device_pointer to, void *a, device_pointer from, void *b, size_t bytes, void *stream) {
  (void)a;
  (void)b;
  return cuMemcpyDtoDAsync_v2(to, from, bytes, stream);
}
API result cuMemsetD8Async(device_pointer to, unsigned char value, size_t bytes, void *stream) {
  const uint64_t begin = round_up(to, PAGE), end = (to + bytes) / PAGE * PAGE;
  (void)stream;
  if (value || bytes < LARGE || end <= begin) {
    memset((void *)(uintptr_t)to, value, bytes);
    return SUCCESS;
  }
  memset((void *)(uintptr_t)to, 0, begin - to); /* zeros: whole pages are dropped, not touched */
  madvise((void *)(uintptr_t)begin, end - begin, MADV_DONTNEED);
  memset((void *)(uintptr_t)end, 0, to + bytes - end);
  return SUCCESS;
}

/* ---- the instrument's own interface */
API void virtual_counters(uint64_t *out) {  /* 8 numbers */
  const uint64_t row[8] = {live, peak, n_taken, n_given, n_refused, sum_taken, settings.free, settings.total};
  pthread_mutex_lock(&lock);
  memcpy(out, row, sizeof row);
  pthread_mutex_unlock(&lock);
}
API void virtual_fail_after(int64_t requests) { fail_in = requests; }  /* 0: never */

__attribute__((destructor)) static void last_line(void) {
  trace("peak %llu live_at_exit=%llu allocs=%llu frees=%llu ooms=%llu\n", (ull)peak, (ull)live, (ull)n_taken, (ull)n_given, (ull)n_refused);
}
