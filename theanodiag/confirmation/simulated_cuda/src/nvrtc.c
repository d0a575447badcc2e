/* libnvrtc: every program compiles, to nothing. */
#include <stdlib.h>
#include <string.h>
#define API __attribute__((visibility("default")))

static const char nothing[] = "// no code\n";

API int nvrtcCreateProgram(void **program, const char *source, const char *name, int n, const char **headers, const char **names) {
  (void)source, (void)name, (void)n, (void)headers, (void)names;
  *program = malloc(1);
  return *program ? 0 : 1;
}
API int nvrtcCompileProgram(void *program, int n, const char **options) { (void)program, (void)n, (void)options; return 0; }
API int nvrtcDestroyProgram(void **program) { free(*program); *program = NULL; return 0; }
API int nvrtcGetProgramLogSize(void *program, size_t *size) { (void)program; *size = 1; return 0; }
API int nvrtcGetProgramLog(void *program, char *log) { (void)program; *log = 0; return 0; }
API int nvrtcGetPTXSize(void *program, size_t *size) { (void)program; *size = sizeof nothing; return 0; }
API int nvrtcGetPTX(void *program, char *out) { (void)program; memcpy(out, nothing, sizeof nothing); return 0; }
API const char *nvrtcGetErrorString(int code) { return code ? "NVRTC_ERROR" : "NVRTC_SUCCESS"; }
API int nvrtcVersion(int *major, int *minor) { *major = 10; *minor = 0; return 0; }
