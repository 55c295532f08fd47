/* SPDX-License-Identifier: MIT */
/*
 * The drop-in library. It exports every cu* and nvrtc* function under its own name, for a program
 * that is linked with -lcuda and -lnvrtc. At first the functions lead to a table whose functions
 * open the real library, as the environment tells. So the first call of any function opens it.
 *
 * This file uses only the public interface of cushim.
 */
#include <pthread.h>

#include <cushim/driver.h>
#include <cushim/rows.h>

#include "base/forward.h"

extern CUSHIM__HIDDEN cushim__forward cushim__cuda_forward, cushim__nvrtc_forward;
extern cushim__entry *const cushim__cuda_lazy[], *const cushim__nvrtc_lazy[];
cushim__entry *const *cushim__cuda_open(void);
cushim__entry *const *cushim__nvrtc_open(void);

cushim__forward cushim__cuda_forward = cushim__cuda_lazy;
cushim__forward cushim__nvrtc_forward = cushim__nvrtc_lazy;

/*
 * The loader recognizes this library by this symbol, even if it finds it under the name of libcuda.
 */
CUSHIM__FORWARD extern const char cushim__forwards;
const char cushim__forwards = 1;

static void open_cuda(void)
{
    /*
     * The driver is never closed, because the program may call it until it ends. The program itself
     * calls cuInit().
     */
    cushim_driver driver = CUSHIM_NONE;

    CUSHIM_IGNORE(cushim_open(cushim_open_params(.load_only = true, .label = "default"), &driver));
    CUSHIM__PUBLISH(cushim__cuda_forward, cushim_driver_functions(driver, CUSHIM_CUDA_ROWS));
}

cushim__entry *const *cushim__cuda_open(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, open_cuda);
    return CUSHIM__PUBLISHED(cushim__cuda_forward);
}

static void open_nvrtc(void)
{
    cushim_nvrtc nvrtc = CUSHIM_NONE;

    CUSHIM_IGNORE(cushim_nvrtc_open(cushim_open_params(.label = "default"), &nvrtc));
    CUSHIM__PUBLISH(cushim__nvrtc_forward, cushim_nvrtc_functions(nvrtc, CUSHIM_NVRTC_ROWS));
}

cushim__entry *const *cushim__nvrtc_open(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, open_nvrtc);
    return CUSHIM__PUBLISHED(cushim__nvrtc_forward);
}
