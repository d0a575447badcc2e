/* The rest of the driver that libgpuarray 0.7 looks up: devices, contexts, modules, streams, events. Kernels do nothing. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "virtual.h"

#define IGNORE1(a) (void)(a)
#define IGNORE2(a, b) IGNORE1(a), (void)(b)
#define IGNORE3(a, b, c) IGNORE2(a, b), (void)(c)

API result cuInit(int flags) {
  IGNORE1(flags);
  pthread_mutex_lock(&lock);
  set_up();
  pthread_mutex_unlock(&lock);
  return settings.devices ? SUCCESS : NO_DEVICE;
}
API result cuDriverGetVersion(int *version) {
  set_up();
  *version = settings.driver_version;
  return SUCCESS;
}

/* ---- errors */
static const struct { result code; const char *name, *text; } errors[] = {
  {SUCCESS, "CUDA_SUCCESS", "no error"},
  {INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
  {OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
  {NO_DEVICE, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
  {INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
  {NOT_FOUND, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
  {NOT_SUPPORTED, "CUDA_ERROR_NOT_SUPPORTED", "operation not supported"},
};
static int row_of(result code) {
  for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
    if (errors[i].code == code) return (int)i;
  return -1;
}
API result cuGetErrorName(result code, const char **name) {
  const int row = row_of(code);
  *name = row < 0 ? NULL : errors[row].name;
  return row < 0 ? INVALID_VALUE : SUCCESS;
}
API result cuGetErrorString(result code, const char **text) {
  const int row = row_of(code);
  *text = row < 0 ? NULL : errors[row].text;
  return row < 0 ? INVALID_VALUE : SUCCESS;
}

/* ---- devices */
API result cuDeviceGet(int *device, int index) {
  if (index < 0 || index >= settings.devices) return INVALID_DEVICE;
  *device = index;
  return SUCCESS;
}
API result cuDeviceGetCount(int *count) { *count = settings.devices; return SUCCESS; }
API result cuDeviceGetName(char *name, int length, int device) {
  IGNORE1(device);
  snprintf(name, length, "virtual device");
  return SUCCESS;
}
API result cuDeviceGetPCIBusId(char *id, int length, int device) {
  snprintf(id, length, "0000:%02X:00.0", device + 1);
  return SUCCESS;
}
API result cuDeviceTotalMem_v2(size_t *bytes, int device) {
  IGNORE1(device);
  *bytes = settings.total;
  return SUCCESS;
}
/* Numbers of CUdevice_attribute, with the values of a GPU of compute capability 6.1. */
API result cuDeviceGetAttribute(int *value, int attribute, int device) {
  static const struct { int attribute, value; } fixed[] = {
    {1, 1024}, {2, 1024}, {3, 1024}, {4, 64},             /* threads per block; block sizes */
    {5, 2147483647}, {6, 65535}, {7, 65535},              /* grid sizes */
    {8, 49152}, {9, 65536}, {10, 32}, {12, 65536},        /* shared and constant memory, warp, registers */
    {13, 1600000}, {14, 512}, {39, 2048}, {41, 1},        /* clock, texture alignment, threads per processor, one address space */
  };
  IGNORE1(device);
  *value = attribute == 16 ? settings.processors : attribute == 75 ? settings.capability / 10 : attribute == 76 ? settings.capability % 10 : 0;
  for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
    if (fixed[i].attribute == attribute) *value = fixed[i].value;
  return SUCCESS;
}

/* ---- contexts */
static int references, context;
static __thread int current;
API result cuDevicePrimaryCtxGetState(int device, unsigned *flags, int *active) {
  IGNORE1(device);
  *flags = 0;
  *active = references > 0;
  return SUCCESS;
}
API result cuDevicePrimaryCtxSetFlags(int device, unsigned flags) { IGNORE2(device, flags); return SUCCESS; }
API result cuDevicePrimaryCtxRetain(void **handle, int device) {
  current = device;
  references++;
  *handle = &context;
  return SUCCESS;
}
API result cuDevicePrimaryCtxRelease(int device) { IGNORE1(device); references--; return SUCCESS; }
API result cuCtxGetDevice(int *device) { *device = current; return SUCCESS; }
API result cuCtxPushCurrent_v2(void *handle) { IGNORE1(handle); return SUCCESS; }
API result cuCtxPopCurrent_v2(void **handle) {
  if (handle) *handle = &context;
  return SUCCESS;
}

/* ---- modules and kernels */
struct module { device_pointer memory; };
API result cuLinkCreate(unsigned n, int *options, void **values, void **state) {
  IGNORE3(n, options, values);
  *state = malloc(1);
  return *state ? SUCCESS : OUT_OF_MEMORY;
}
API result cuLinkAddData(void *state, int type, void *data, size_t size, const char *name, unsigned n, int *options, void **values) {
  IGNORE3(state, type, data), IGNORE3(size, name, n), IGNORE2(options, values);
  return SUCCESS;
}
API result cuLinkComplete(void *state, void **binary, size_t *size) {
  static char nothing[] = "virtual binary";
  IGNORE1(state);
  *binary = nothing;
  *size = sizeof nothing;
  return SUCCESS;
}
API result cuLinkDestroy(void *state) { free(state); return SUCCESS; }
API result cuModuleLoadData(void **handle, const void *image) {
  struct module *module = calloc(1, sizeof *module);
  IGNORE1(image);
  if (!module) return OUT_OF_MEMORY;
  if (settings.module_bytes && cuMemAlloc_v2(&module->memory, settings.module_bytes) != SUCCESS) {
    free(module);
    return OUT_OF_MEMORY;
  }
  *handle = module;
  return SUCCESS;
}
API result cuModuleLoadDataEx(void **handle, const void *image, unsigned n, int *options, void **values) {
  IGNORE3(n, options, values);
  return cuModuleLoadData(handle, image);
}
API result cuModuleUnload(void *handle) {
  struct module *module = handle;
  if (module && module->memory) cuMemFree_v2(module->memory);
  free(module);
  return SUCCESS;
}
API result cuModuleGetFunction(void **function, void *module, const char *name) {
  static int kernel; /* all kernels are one: none does anything */
  IGNORE2(module, name);
  *function = &kernel;
  return SUCCESS;
}
API result cuFuncGetAttribute(int *value, int attribute, void *function) {
  IGNORE1(function);
  *value = attribute == 0 ? 1024 : attribute == 4 ? 32 : attribute == 5 || attribute == 6 ? settings.capability : 0;
  return SUCCESS;
}
API result cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared,
                          void *stream, void **parameters, void **extra) {
  IGNORE3(function, gx, gy), IGNORE3(gz, bx, by), IGNORE3(bz, shared, stream), IGNORE2(parameters, extra);
  return SUCCESS;
}

/* ---- streams, events, sharing between processes */
static int stream, event;
API result cuStreamCreate(void **handle, unsigned flags) { IGNORE1(flags); *handle = &stream; return SUCCESS; }
API result cuStreamWaitEvent(void *handle, void *what, unsigned flags) { IGNORE3(handle, what, flags); return SUCCESS; }
API result cuStreamSynchronize(void *handle) { IGNORE1(handle); return SUCCESS; }
API result cuStreamDestroy_v2(void *handle) { IGNORE1(handle); return SUCCESS; }
API result cuEventCreate(void **handle, unsigned flags) { IGNORE1(flags); *handle = &event; return SUCCESS; }
API result cuEventRecord(void *handle, void *where) { IGNORE2(handle, where); return SUCCESS; }
API result cuEventSynchronize(void *handle) { IGNORE1(handle); return SUCCESS; }
API result cuEventDestroy_v2(void *handle) { IGNORE1(handle); return SUCCESS; }
struct sharing { char bytes[64]; };
API result cuIpcGetMemHandle(void *handle, device_pointer pointer) { IGNORE2(handle, pointer); return NOT_SUPPORTED; }
API result cuIpcOpenMemHandle(device_pointer *pointer, struct sharing handle, unsigned flags) {
  IGNORE3(pointer, handle, flags);
  return NOT_SUPPORTED;
}
API result cuIpcCloseMemHandle(device_pointer pointer) { IGNORE1(pointer); return NOT_SUPPORTED; }
