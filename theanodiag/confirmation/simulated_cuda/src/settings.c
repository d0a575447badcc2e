/* What the environment says about the simulated device, and the trace.
 *
 *   VIRTUAL_DEVICE_TOTAL      bytes of the device                       (4 GiB)
 *   VIRTUAL_DEVICE_FREE       bytes free once a context exists          (total - 300 MiB)
 *   VIRTUAL_DEVICE_GRANULE    each allocation counts as a multiple      (1: exactly)
 *   VIRTUAL_DEVICE_ALIGN      alignment of addresses                    (512)
 *   VIRTUAL_DEVICE_ADDRESSES  first-fit | up | down                     (first-fit)
 *   VIRTUAL_DEVICE_CC         compute capability                        (61)
 *   VIRTUAL_DEVICE_MODULE     bytes that each loaded module takes       (0)
 *   VIRTUAL_DEVICE_NOCOPY     1: contents of large arrays are dropped   (0)
 *   VIRTUAL_DEVICE_TRACE      file to which one line per event is added
 */
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "virtual.h"

struct settings settings = {.trace = -1};
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static uint64_t number(const char *name, uint64_t otherwise) {
  const char *text = getenv(name);
  return text && *text ? strtoull(text, NULL, 0) : otherwise;
}

static enum placement placement_named(const char *name) {
  if (name && !strcmp(name, "up")) return UP;
  return name && !strcmp(name, "down") ? DOWN : FIRST_FIT;
}

static int open_trace(const char *path) {
  return path && *path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644) : -1;
}

void set_up(void) {
  static int done;
  const uint64_t context = 300ull << 20;
  if (done) return;
  done = 1;
  settings.total = number("VIRTUAL_DEVICE_TOTAL", 4ull << 30);
  settings.free = number("VIRTUAL_DEVICE_FREE", settings.total > context ? settings.total - context : 0);
  settings.granule = number("VIRTUAL_DEVICE_GRANULE", 1);
  settings.alignment = number("VIRTUAL_DEVICE_ALIGN", 512);
  settings.module_bytes = number("VIRTUAL_DEVICE_MODULE", 0);
  settings.placement = placement_named(getenv("VIRTUAL_DEVICE_ADDRESSES"));
  settings.capability = (int)number("VIRTUAL_DEVICE_CC", 61);
  settings.processors = 20;
  settings.driver_version = 10000;
  settings.devices = 1;
  settings.drop_contents = (int)number("VIRTUAL_DEVICE_NOCOPY", 0);
  settings.trace = open_trace(getenv("VIRTUAL_DEVICE_TRACE"));
  if (!settings.granule) settings.granule = 1;
  if (!settings.alignment) settings.alignment = 1;
  set_up_memory();
  trace("init total=%llu free=%llu pid=%d\n", (unsigned long long)settings.total, (unsigned long long)settings.free, (int)getpid());
}

/* One line, one write: lines of the device and of its client interleave in one file. */
void trace(const char *format, ...) {
  char line[600];
  va_list arguments;
  int length;
  if (settings.trace < 0) return;
  va_start(arguments, format);
  length = vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  if (length > (int)sizeof line - 1) length = sizeof line - 1;
  if (write(settings.trace, line, length) != length) { /* a trace that cannot be written is given up */
    settings.trace = -1;
  }
}

API void virtual_mark(const char *text) {
  set_up();
  trace("mark %s\n", text);
}
