/* libcublas: every routine succeeds and computes nothing. */
#define API __attribute__((visibility("default")))

static int handle, mode;

API int cublasCreate_v2(void **out) { *out = &handle; return 0; }
API int cublasGetPointerMode_v2(void *h, int *out) { (void)h; *out = mode; return 0; }
API int cublasSetPointerMode_v2(void *h, int value) { (void)h; mode = value; return 0; }

#define SUCCEEDS(name) API int name(void) { return 0; }
SUCCEEDS(cublasDestroy_v2) SUCCEEDS(cublasSetStream_v2) SUCCEEDS(cublasSetAtomicsMode) SUCCEEDS(cublasSetMathMode)
SUCCEEDS(cublasSdot_v2) SUCCEEDS(cublasDdot_v2)
SUCCEEDS(cublasSgemm_v2) SUCCEEDS(cublasDgemm_v2) SUCCEEDS(cublasSgemv_v2) SUCCEEDS(cublasDgemv_v2)
SUCCEEDS(cublasSger_v2) SUCCEEDS(cublasDger_v2)
SUCCEEDS(cublasSgemmEx) SUCCEEDS(cublasGemmEx)
SUCCEEDS(cublasSgemmBatched) SUCCEEDS(cublasDgemmBatched)
SUCCEEDS(cublasHgemmStridedBatched) SUCCEEDS(cublasSgemmStridedBatched) SUCCEEDS(cublasDgemmStridedBatched)
