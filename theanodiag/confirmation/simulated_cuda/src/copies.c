/* What libgpuarray copies by a kernel, copied on the host: no kernel runs on the simulated device, and shapes go through such copies.
 *
 * Theano's GpuJoin joins the parts of a shape on the device (`dot` of more than two dimensions does), and reads it back. Arrays of one
 * page at most, of one type, on the simulated device alone: elsewhere addresses are no pointers here, and kernels run.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

typedef struct gpudata gpudata;
typedef struct { /* GpuArray: libgpuarray 0.7.6, gpuarray/array.h */
  gpudata *data;
  size_t *dimensions;
  ssize_t *strides;
  size_t offset;
  unsigned nd;
  int flags, typecode;
} array;
enum { PAGE = 4096, MOST = 32 };

static void *real(const char *name) {
  void *library = dlopen("libgpuarray.so.3", RTLD_LAZY);
  return library ? dlsym(library, name) : NULL;
}

static char *start_of(const array *a) {
  uintptr_t address; /* the device address is the first member of a buffer */
  memcpy(&address, a->data, sizeof address);
  return (char *)(address + a->offset);
}

static size_t size_of(const array *a) {
  static size_t (*element)(int);
  size_t bytes;
  if (!element) *(void **)&element = real("gpuarray_get_elsize");
  bytes = element(a->typecode);
  for (unsigned i = 0; i < a->nd; i++) bytes *= a->dimensions[i];
  return bytes;
}

static int simulated(void) { return getenv("VIRTUAL_DEVICE_TOTAL") != NULL; }

/* `dimensions` are those of what is written; the last ones of `from` are the same, or 1 */
static void copy(char *to, const ssize_t *strides, const size_t *dimensions, unsigned nd, const char *from, const array *of, size_t item) {
  const int own = (int)of->nd - (int)nd; /* the dimension of `of` that is the first one here */
  if (!nd) {
    memmove(to, from, item);
    return;
  }
  for (size_t i = 0; i < *dimensions; i++) {
    const ssize_t step = own >= 0 && of->dimensions[own] != 1 ? of->strides[own] : 0;
    copy(to + (ssize_t)i * *strides, strides + 1, dimensions + 1, nd - 1, from + (ssize_t)i * step, of, item);
  }
}

static void copied(const array *to, size_t at, const size_t *dimensions, const array *from) {
  static size_t (*element)(int);
  if (!element) *(void **)&element = real("gpuarray_get_elsize");
  if (to->nd >= from->nd && to->nd <= MOST && to->typecode == from->typecode && size_of(to) <= PAGE && simulated())
    copy(start_of(to) + at, to->strides, dimensions, to->nd, start_of(from), from, element(to->typecode));
}

int GpuArray_setarray(array *to, const array *from) {
  static int (*own)(array *, const array *);
  int code;
  if (!own) *(void **)&own = real("GpuArray_setarray");
  code = own(to, from);
  if (!code) copied(to, 0, to->dimensions, from);
  return code;
}

int GpuArray_copy(array *to, const array *from, int order) {
  static int (*own)(array *, const array *, int);
  int code;
  if (!own) *(void **)&own = real("GpuArray_copy");
  code = own(to, from, order);
  if (!code) copied(to, 0, to->dimensions, from);
  return code;
}

int GpuArray_concatenate(array *to, const array **from, size_t n, unsigned axis, int type) {
  static int (*own)(array *, const array **, size_t, unsigned, int);
  ssize_t at = 0;
  int code;
  if (!own) *(void **)&own = real("GpuArray_concatenate");
  code = own(to, from, n, axis, type);
  for (size_t i = 0; !code && i < n; i++) {
    copied(to, (size_t)at, from[i]->dimensions, from[i]);
    at += to->strides[axis] * (ssize_t)from[i]->dimensions[axis];
  }
  return code;
}
