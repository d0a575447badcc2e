/* Stands before the driver of a real GPU, under the name by which libgpuarray opens it, and counts what libgpuarray takes from it.
 *
 * Only what it counts is defined here: libgpuarray looks all other names up in this library, and the dynamic linker goes on to
 * libcuda.so.1, which this library needs. What CUDA's own libraries (cuBLAS, cuDNN) take does not pass here.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include "virtual.h"

struct request { device_pointer at; uint64_t bytes; };

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static struct request *requests;
static size_t n_requests, room;
static uint64_t taken, most, n_taken;

static void *driver(const char *name) {
  static void *library;
  if (!library) library = dlopen("libcuda.so.1", RTLD_NOW);
  return library ? dlsym(library, name) : NULL;
}

static void note(device_pointer at, uint64_t bytes) {
  if (n_requests == room) {
    room = room ? room * 2 : 256;
    requests = realloc(requests, room * sizeof *requests);
    if (!requests) abort();
  }
  requests[n_requests++] = (struct request){at, bytes};
  taken += bytes;
  n_taken++;
  if (taken > most) most = taken;
}

static void forget(device_pointer at) {
  for (size_t i = n_requests; i-- > 0;) /* the newest is freed most often */
    if (requests[i].at == at) {
      taken -= requests[i].bytes;
      requests[i] = requests[--n_requests];
      return;
    }
}

API result cuMemAlloc_v2(device_pointer *pointer, size_t bytes) {
  result (*real)(device_pointer *, size_t) = (result (*)(device_pointer *, size_t))driver("cuMemAlloc_v2");
  const result code = real ? real(pointer, bytes) : NOT_FOUND;
  if (code == SUCCESS) {
    pthread_mutex_lock(&guard);
    note(*pointer, bytes);
    pthread_mutex_unlock(&guard);
  }
  return code;
}

API result cuMemFree_v2(device_pointer pointer) {
  result (*real)(device_pointer) = (result (*)(device_pointer))driver("cuMemFree_v2");
  const result code = real ? real(pointer) : NOT_FOUND;
  if (code == SUCCESS) {
    pthread_mutex_lock(&guard);
    forget(pointer);
    pthread_mutex_unlock(&guard);
  }
  return code;
}

/* Bytes that libgpuarray has now, the most it had, and the number of its requests. */
API void counted_requests(uint64_t row[3]) {
  pthread_mutex_lock(&guard);
  row[0] = taken;
  row[1] = most;
  row[2] = n_taken;
  pthread_mutex_unlock(&guard);
}
