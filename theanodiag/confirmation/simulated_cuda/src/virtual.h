/* A simulated CUDA device: what its parts share. See ../__init__.py for what it is, and settings.c for the environment. */
#ifndef VIRTUAL_H
#define VIRTUAL_H
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#define API __attribute__((visibility("default")))

/* The few codes of the CUDA driver API that are used here (names and numbers: NVIDIA's documentation of cuda.h). */
typedef int result;
typedef unsigned long long device_pointer;
enum { SUCCESS = 0, INVALID_VALUE = 1, OUT_OF_MEMORY = 2, NO_DEVICE = 100, INVALID_DEVICE = 101, NOT_FOUND = 500, NOT_SUPPORTED = 801 };

enum placement { FIRST_FIT, UP, DOWN };

struct settings {
  uint64_t total, free;      /* bytes: of the device, and free once a context exists */
  uint64_t granule;          /* each allocation counts as a multiple of this */
  uint64_t alignment;        /* of addresses */
  uint64_t module_bytes;     /* taken by each loaded module */
  enum placement placement;  /* where new blocks go */
  int capability, processors, driver_version, devices;
  int drop_contents;         /* large copies to the device are not made */
  int trace;                 /* file descriptor, -1 for none */
};
extern struct settings settings;
extern pthread_mutex_t lock;

void set_up(void);                       /* reads the environment, once */
void trace(const char *format, ...) __attribute__((format(printf, 1, 2)));
void set_up_memory(void);
uint64_t round_up(uint64_t value, uint64_t multiple);
result cuMemAlloc_v2(device_pointer *pointer, size_t bytes);
result cuMemFree_v2(device_pointer pointer);
#endif
