/* SPDX-License-Identifier: MIT */
/*
 * Makes calls for test_fault_environment.py and prints their results.
 *
 * call_faults cushim       a driver, an NVRTC and an nvJitLink that cushim opens, the driver twice
 * call_faults many         more drivers than hooks can be put in front of
 * call_faults PATH         a driver that this program, which knows nothing of cushim, opens
 */
#include <dlfcn.h>

#include "faulty.h"
#include "plain.h"

static void report(const char *what, int result)
{
    printf("%s %d\n", what, result);
}

static void call_driver(cushim_driver driver)
{
    fake_table t = fake_functions(driver);

    report("count", call_count(t));
    report("count", call_count(t));
    report("alloc", call_alloc(t, 4096));
    report("synchronize", fake_synchronize(t));
}

static int call_through_cushim(void)
{
    const struct cushim_open_params *params = cushim_open_params(.resolver = fake_resolve);
    cushim_driver driver = CUSHIM_NONE, again = CUSHIM_NONE;
    cushim_nvrtc nvrtc = CUSHIM_NONE;
    cushim_nvjitlink nvjitlink = CUSHIM_NONE;
    const cushim_entry *compiler, *linker;

    if (cushim_open(params, &driver) || cushim_open(params, &again) ||
        cushim_nvrtc_open(params, &nvrtc) || cushim_nvjitlink_open(params, &nvjitlink)) {
        printf("%s: %s\n", cushim_status_name(cushim_error_status()), cushim_error_text());
        return 0;
    }
    compiler = cushim_nvrtc_functions(nvrtc, CUSHIM_NVRTC_ROWS);
    linker = cushim_nvjitlink_functions(nvjitlink, CUSHIM_NVJITLINK_ROWS);
    call_driver(driver);
    report("init", fake_init(fake_functions(again), 0));
    report("count", call_count(fake_functions(again)));
    report("compile", CALL(compiler, nvrtcCompileProgram, (void *, int, void *), NULL, 0, NULL));
    report("link", CALL(linker, nvJitLinkComplete, (void *), NULL));
    cushim_close(&driver);
    cushim_close(&again);
    cushim_nvrtc_close(&nvrtc);
    cushim_nvjitlink_close(&nvjitlink);
    return 0;
}

static int open_many(void)
{
    cushim_driver driver = CUSHIM_NONE;

    for (uintptr_t i = 0; i < FAKE_DRIVERS; i++) {
        const struct cushim_open_params *params =
            cushim_open_params(.resolver = fake_resolve, .resolver_user = (void *) i);
        const cushim_status status = cushim_open(params, &driver);

        report("open", status);
        cushim_close(&driver);
    }
    return 0;
}

static int call_directly(const char *path)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    int (*init)(unsigned), (*count)(int *), (*version)(int *), n = 0;

    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    *(void **) &init = dlsym(library, "cuInit");
    *(void **) &count = dlsym(library, "cuDeviceGetCount");
    *(void **) &version = dlsym(library, "cuDriverGetVersion");
    report("version", version(&n));
    report("init", init(0));
    for (int i = 0; i < 3; i++)
        report("count", count(&n));
    return 0;
}

int main(int argc, char **argv)
{
    CHECK_EQ(argc, 2);
    if (!strcmp(argv[1], "cushim"))
        return call_through_cushim();
    return strcmp(argv[1], "many") ? call_directly(argv[1]) : open_many();
}
