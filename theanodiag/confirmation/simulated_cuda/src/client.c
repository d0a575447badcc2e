/* Stands before libgpuarray (LD_PRELOAD) and notes what its clients ask for.
 *
 * gpudata_alloc and gpudata_release are exported by libgpuarray, and its own arrays, pygpu and Theano's compiled modules all call
 * them through the linkage table: so every buffer that a client holds is seen here.
 *
 *   galloc N BUFFER ADDRESS ASKED HELD LIVE | gfree N BUFFER ADDRESS HELD LIVE | goom N ASKED LIVE
 *
 * HELD is the buffer's own size: with the cache on, ASKED rounded up. It works before any device of libgpuarray: the counters are read in
 * the process itself (`client_since`), the trace is written where the environment names a file.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct gpudata gpudata;
typedef struct gpucontext gpucontext;
typedef unsigned long long ull;
/* GA_BUFFER_PROP_REFCNT, GA_BUFFER_PROP_SIZE and GA_BUFFER_INIT: libgpuarray 0.7.6, gpuarray/buffer.h */
enum { REFERENCES = 513, SIZE = 514, INITIAL = 4 };

static gpudata *(*real_alloc)(gpucontext *, size_t, void *, int, int *);
static void (*real_release)(gpudata *);
static int (*real_property)(gpudata *, int, void *);
static int (*real_write)(gpudata *, size_t, const void *, size_t);
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t live, peak, n_taken, n_given, n_refused;
static uint64_t high, copied, refused; /* since the last look: the highest live bytes; bytes from the host; the last request in vain */
static int file = -2;

static void bind(void) {
  void *library;
  if (real_alloc) return;
  library = dlopen("libgpuarray.so.3", RTLD_LAZY);
  if (!library) {
    fprintf(stderr, "virtual device: %s\n", dlerror());
    abort();
  }
  *(void **)&real_release = dlsym(library, "gpudata_release");
  *(void **)&real_property = dlsym(library, "gpudata_property");
  *(void **)&real_write = dlsym(library, "gpudata_write");
  *(void **)&real_alloc = dlsym(library, "gpudata_alloc");
}

__attribute__((format(printf, 1, 2))) static void note(const char *format, ...) {
  char line[400];
  va_list arguments;
  int length;
  if (file == -2) {
    const char *path = getenv("VIRTUAL_DEVICE_TRACE");
    file = path && *path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644) : -1;
  }
  if (file < 0) return;
  va_start(arguments, format);
  length = vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  if (write(file, line, length) != length) file = -1;
}

static ull address_of(gpudata *buffer) {
  ull address; /* the device address is the first member of every buffer of libgpuarray's CUDA part */
  memcpy(&address, buffer, sizeof address);
  return address;
}

static size_t size_of(gpudata *buffer) {
  size_t size = 0;
  real_property(buffer, SIZE, &size);
  return size;
}

gpudata *gpudata_alloc(gpucontext *context, size_t bytes, void *data, int flags, int *code) {
  gpudata *buffer;
  pthread_mutex_lock(&lock);
  bind();
  pthread_mutex_unlock(&lock);
  buffer = real_alloc(context, bytes, data, flags, code);
  pthread_mutex_lock(&lock);
  if (buffer) {
    const size_t held = size_of(buffer);
    live += held;
    if (live > peak) peak = live;
    if (live > high) high = live;
    if (data && flags & INITIAL) copied += bytes;
    note("galloc %llu %p 0x%llx %zu %zu %llu\n", (ull)++n_taken, (void *)buffer, address_of(buffer), bytes, held, (ull)live);
  } else {
    refused = bytes;
    note("goom %llu %zu %llu\n", (ull)++n_refused, bytes, (ull)live);
  }
  pthread_mutex_unlock(&lock);
  return buffer;
}

void gpudata_release(gpudata *buffer) {
  unsigned references = 0;
  if (!buffer) return;
  pthread_mutex_lock(&lock);
  bind();
  real_property(buffer, REFERENCES, &references);
  if (references == 1) {
    const size_t held = size_of(buffer);
    live -= held;
    note("gfree %llu %p 0x%llx %zu %llu\n", (ull)++n_given, (void *)buffer, address_of(buffer), held, (ull)live);
  }
  pthread_mutex_unlock(&lock);
  real_release(buffer);
}

int gpudata_write(gpudata *to, size_t offset, const void *from, size_t bytes) {
  pthread_mutex_lock(&lock);
  bind();
  copied += bytes;
  pthread_mutex_unlock(&lock);
  return real_write(to, offset, from, bytes);
}

/* live, the highest since the last look, bytes copied from the host so far, requests refused so far, the last one that was refused */
void client_since(uint64_t *out) {
  pthread_mutex_lock(&lock);
  out[0] = live;
  out[1] = high;
  out[2] = copied;
  out[3] = n_refused;
  out[4] = refused;
  high = live;
  pthread_mutex_unlock(&lock);
}

void virtual_client_counters(uint64_t *out) {  /* 5 numbers */
  const uint64_t row[5] = {live, peak, n_taken, n_given, n_refused};
  pthread_mutex_lock(&lock);
  memcpy(out, row, sizeof row);
  pthread_mutex_unlock(&lock);
}
