/* SPDX-License-Identifier: MIT */
/* What the mock can be asked to be, in C, in a file and in the environment. */
#include <criterion/redirect.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mock/config/config_settings.h"

#include "support.h"

#define S(text) ((char *) (text))

static void clean(void)
{
    static const char *const names[] = {"CUSHIM_MOCK_DEVICES",        "CUSHIM_MOCK_CONFIG",
                                        "CUSHIM_MOCK_DRIVER_VERSION", "CUSHIM_MOCK_SEED",
                                        "CUSHIM_MOCK_IMAGE_LIMIT",    "CUDA_VISIBLE_DEVICES"};

    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        unsetenv(names[i]);
}

static void clean_and_quiet(void)
{
    clean();
    cr_redirect_stderr();
}

TestSuite(config, .init = clean);

/* A file of its own for this process. */
static const char *file_with(const char *text)
{
    static char path[64];
    FILE *file;

    snprintf(path, sizeof(path), "/tmp/cushim-config-%d", (int) getpid());
    file = fopen(path, "w");
    cr_assert(ne(ptr, file, NULL));
    fputs(text, file);
    fclose(file);
    return path;
}

static cushim_status configure(const char *settings)
{
    return cushim_mock_configure(&(struct cushim_mock_config){.settings = settings});
}

static int device_count(void)
{
    int n = -1;

    OK(mock_cuDeviceGetCount(&n));
    return n;
}

static int attribute(int number, int device)
{
    int value = -12345;

    OK(mock_cuDeviceGetAttribute(&value, (CUdevice_attribute) number, device));
    return value;
}

static size_t memory_of(int device)
{
    size_t bytes = 0;

    OK(mock_cuDeviceTotalMem_v2(&bytes, device));
    return bytes;
}

static int driver_version(void)
{
    int version = 0;

    OK(mock_cuDriverGetVersion(&version));
    return version;
}

Test(config, in_c)
{
    char name[64];

    OK(cushim_mock_configure(
        &(struct cushim_mock_config){.devices = "h200, t4",
                                     .driver_version = 11040,
                                     .seed = 7,
                                     .settings = "device.1.memory = 8GiB\n"
                                                 "device.1.name=Tesla  T4 # half\r\n"
                                                 "\n"
                                                 "# a comment\n"
                                                 "  ; and another\n"
                                                 "device.1.compute_capability = 7.2\n"
                                                 "device.*.attribute.16 = 20\n"
                                                 "device.0.max_blocks_per_multiprocessor = 0x10\n"
                                                 "device.1.attribute.async_engine_count = 1"}));
    cr_expect(eq(int, driver_version(), 11040));
    OK(mock_cuInit(0));
    cr_expect(eq(int, device_count(), 2));
    cr_expect(eq(sz, memory_of(0), 150109880320));
    cr_expect(eq(sz, memory_of(1), (size_t) 8 << 30));
    OK(mock_cuDeviceGetName(name, sizeof(name), 1));
    cr_expect(eq(str, name, S("Tesla  T4 # half")));
    cr_expect(eq(int, attribute(75, 1), 7));
    cr_expect(eq(int, attribute(76, 1), 2));
    cr_expect(eq(int, attribute(16, 0), 20));
    cr_expect(eq(int, attribute(16, 1), 20));
    cr_expect(eq(int, attribute(106, 0), 16));
    cr_expect(eq(int, attribute(106, 1), 16), "the T4's own");
    cr_expect(eq(int, attribute(40, 1), 1));
    cr_expect(eq(u64, mock__seed(), 7));
}

Test(config, in_a_file_and_in_the_environment)
{
    const char *path = file_with("devices = a100,a100,a100\n"
                                 "driver_version = 12.4\n"
                                 "seed = 3\n"
                                 "device.0.memory = 1 GB\n"
                                 "peer 0  2 = no\n");

    setenv("CUSHIM_MOCK_CONFIG", path, 1);
    cr_expect(eq(u64, mock__seed(), 3));
    setenv("CUSHIM_MOCK_SEED", "0x10", 1);
    setenv("CUSHIM_MOCK_DEVICES", "t4,t4,t4", 1);
    OK(mock_cuInit(0));
    unlink(path);
    cr_expect(eq(int, driver_version(), 12040));
    cr_expect(eq(u64, mock__seed(), 16), "the variable goes before the file");
    cr_expect(eq(int, attribute(75, 0), 7), "so it does for devices");
    cr_expect(eq(sz, memory_of(0), 1000000000), "the rest of the file holds");
}

Test(config, c_goes_before_the_environment)
{
    setenv("CUSHIM_MOCK_DEVICES", "t4,t4", 1);
    setenv("CUSHIM_MOCK_SEED", "5", 1);
    setenv("CUSHIM_MOCK_DRIVER_VERSION", "11.4", 1);
    OK(cushim_mock_configure(&(struct cushim_mock_config){.devices = "a100"}));
    OK(mock_cuInit(0));
    cr_expect(eq(int, device_count(), 1));
    cr_expect(eq(int, attribute(75, 0), 8));
    cr_expect(eq(u64, mock__seed(), 5), "what C does not say is the environment's");
    cr_expect(eq(int, driver_version(), 11040));
}

Test(config, a_file_named_in_c)
{
    const char *path = file_with("devices = t4\nseed = 9\n");

    OK(cushim_mock_configure(&(struct cushim_mock_config){.file = path, .settings = "seed = 8"}));
    OK(mock_cuInit(0));
    unlink(path);
    cr_expect(eq(int, attribute(75, 0), 7));
    cr_expect(eq(u64, mock__seed(), 8), "the settings come after the file");
}

Test(config, can_be_taken_back)
{
    OK(cushim_mock_configure(&(struct cushim_mock_config){.devices = "t4,t4", .seed = 2}));
    OK(cushim_mock_configure(NULL));
    cr_expect(eq(u64, mock__seed(), 0));
    OK(mock_cuInit(0));
    cr_expect(eq(int, device_count(), 1));
}

Test(config, comes_before_init)
{
    OK(mock_cuInit(0));
    EXPECT(CUSHIM_ERROR_BUSY, cushim_mock_configure(NULL));
    EXPECT(CUSHIM_ERROR_BUSY, configure("seed = 1"));
    cr_expect(eq(str, S(cushim_mock_error_text()),
                 S("the driver is initialised; its devices are what they are")));
    cr_expect(eq(u64, mock__seed(), 0));
}

static const struct {
    const char *text, *error;
} wrong[] = {
    {"devices = abacus",
     "settings:1: there is no device 'abacus'; there are h200, a100, t4 and rtx4090"},
    {"devices =", "settings:1: there is no device ''; there are h200, a100, t4 and rtx4090"},
    {"devices = h200,", "settings:1: there is no device ''; there are h200, a100, t4 and rtx4090"},
    {"devices = t4 t4",
     "settings:1: there is no device 't4 t4'; there are h200, a100, t4 and rtx4090"},
    {"devices = t4,t4,t4,t4,t4,t4,t4,t4,t4,t4,t4,t4,t4,t4,t4,t4,t4",
     "settings:1: more than 16 devices"},
    {"\n\nhello", "settings:3: 'hello' is not 'key = value'"},
    {"seed = 1\nspeed = 3", "settings:2: there is no setting 'speed'"},
    {" = 3", "settings:1: there is no setting ''"},
    {"seed = -1", "settings:1: '-1' is not a seed, a number of 64 bits"},
    {"seed = seven", "settings:1: 'seven' is not a seed, a number of 64 bits"},
    {"driver_version = 14.0", "settings:1: '14.0' is not a CUDA version from 10.0 to 13.0"},
    {"driver_version = 9.2", "settings:1: '9.2' is not a CUDA version from 10.0 to 13.0"},
    {"driver_version = new", "settings:1: 'new' is not a CUDA version from 10.0 to 13.0"},
    {"device.1.memory = 1", "settings:1: there is no device 1, as there is only one"},
    {"devices = t4,t4\ndevice.2.memory = 1",
     "settings:2: there is no device 2, as there are fewer"},
    {"device.x.memory = 1", "settings:1: 'x' is not the number of a device"},
    {"device.-1.memory = 1", "settings:1: '-1' is not the number of a device"},
    {"device.0 = 1", "settings:1: 'device.0' does not say what of the device"},
    {"device.0.memory = much", "settings:1: 'much' is not a size such as 8GiB"},
    {"device.0.memory = 0", "settings:1: '0' is not a size such as 8GiB"},
    {"device.0.memory = 8 gallons", "settings:1: '8 gallons' is not a size such as 8GiB"},
    {"device.0.memory = 99999999TiB", "settings:1: '99999999TiB' is not a size such as 8GiB"},
    {"device.0.name =", "settings:1: a name has 1 to 127 characters"},
    {"device.0.compute_capability = 9", "settings:1: '9' is not a compute capability such as 8.6"},
    {"device.0.abacus = 1", "settings:1: a device has no 'abacus'"},
    {"device.0.attribute.148 = 1", "settings:1: a device has no '148'"},
    {"device.0.attribute.0 = 1", "settings:1: a device has no '0'"},
    {"device.0.clock_rate = fast", "settings:1: 'fast' is not an integer"},
    {"device.0.clock_rate = 4294967296", "settings:1: '4294967296' is not an integer"},
    {"device.0.warp_size = 0", "settings:1: '0' is not 32, which is all that it can be here"},
    {"device.0.warp_size = -1", "settings:1: '-1' is not 32, which is all that it can be here"},
    {"device.0.attribute.10 = 64", "settings:1: '64' is not 32, which is all that it can be here"},
    {"device.0.multiprocessor_count = 0", "settings:1: '0' is not an integer from 1 to 65536"},
    {"device.0.max_threads_per_block = 2048",
     "settings:1: '2048' is not an integer from 1 to 1024"},
    {"device.0.texture_alignment = 0", "settings:1: '0' is not a power of two from 1 to 1048576"},
    {"device.0.texture_pitch_alignment = 48",
     "settings:1: '48' is not a power of two from 1 to 1048576"},
    {"device.0.maximum_texture2d_width = -1",
     "settings:1: '-1' is not an integer from 0 to 131072"},
    {"device.0.clock_rate = -1", "settings:1: '-1' is not an integer from 0 to 2147483647"},
    {"device.0.compute_capability = 0.0",
     "settings:1: '0.0' is not a compute capability such as 8.6"},
    {"device.0.compute_capability = 8.10",
     "settings:1: '8.10' is not a compute capability such as 8.6"},
    {"device.*.attribute.76 = 10", "settings:1: '10' is not an integer from 0 to 9"},
    {"image_limit = 0", "settings:1: '0' is not a size such as 512MiB"},
    {"image_limit = all", "settings:1: 'all' is not a size such as 512MiB"},
    {"peer 0 = no", "settings:1: 'peer 0' does not name two devices"},
    {"peer 0 0 = no", "settings:1: device 0 is no peer of itself"},
    {"peer 0 1 = no", "settings:1: there is no device 1, as there is only one"},
    {"devices = t4,t4\npeer 0 1 = perhaps", "settings:2: 'perhaps' is neither yes nor no"},
};

Test(config, each_mistake_is_named)
{
    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
        cr_expect(eq(int, configure(wrong[i].text), CUSHIM_ERROR_INVALID_ARGUMENT), "%s",
                  wrong[i].text);
        cr_expect(eq(str, S(cushim_mock_error_text()), S(wrong[i].error)), "%s", wrong[i].text);
    }
}

Test(config, a_mistake_changes_nothing)
{
    OK(configure("devices = t4\nseed = 4"));
    EXPECT(CUSHIM_ERROR_INVALID_ARGUMENT, configure("seed = 5\ndevices = abacus"));
    OK(mock_cuInit(0));
    cr_expect(eq(int, attribute(75, 0), 7));
    cr_expect(eq(u64, mock__seed(), 4));
}

Test(config, a_file_that_is_not_there)
{
    const struct cushim_mock_config config = {.file = "/nonexistent/mock.conf"};

    EXPECT(CUSHIM_ERROR_INVALID_ARGUMENT, cushim_mock_configure(&config));
    cr_expect(eq(str, S(cushim_mock_error_text()),
                 S("file: /nonexistent/mock.conf: No such file or directory")));
}

static void expect_no_file(const char *path, const char *why)
{
    const struct cushim_mock_config config = {.file = path};
    char expected[256];

    EXPECT(CUSHIM_ERROR_INVALID_ARGUMENT, cushim_mock_configure(&config));
    snprintf(expected, sizeof(expected), "file: %s: %s", path, why);
    cr_expect(eq(str, S(cushim_mock_error_text()), expected));
}

Test(config, what_is_no_file, .timeout = 20)
{
    const char *path = file_with("");

    expect_no_file("/tmp", "it is a folder");
    expect_no_file("/dev/zero", "it is a device, not a regular file");
    expect_no_file("/proc/version", "the kernel makes it up, it is not a regular file");
    cr_assert(eq(int, truncate(path, (off_t) 1 << 40), 0));
    expect_no_file(path, "it has more than the 1048576 bytes that are read");
    cr_assert(eq(int, truncate(path, 10), 0));
    expect_no_file(path, "it is no text: byte 0 is a NUL");
    unlink(path);
    cr_assert(eq(int, mkfifo(path, 0600), 0));
    expect_no_file(path, "it is a pipe, not a regular file");
    unlink(path);
    cr_assert(eq(int, symlink(path, path), 0));
    expect_no_file(path, "its symbolic links lead in a circle");
    unlink(path);
}

/* What a model has, a setting may say, too. */
Test(config, every_model_is_in_range)
{
    for (int model = 0; model < MOCK__N_MODELS; model++) {
        for (int i = 1; i < MOCK__N_ATTRIBUTES; i++) {
            const int value = mock__attribute_value(i, (enum mock__model) model);
            const struct mock__attribute_range range = mock__attribute_range(i);

            cr_expect(value >= range.least && value <= range.most, "attribute %d: %d", i, value);
            cr_expect(eq(int, range.power_of_two ? value &(value - 1) : 0, 0), "attribute %d", i);
        }
    }
}

Test(config, init_names_the_file_and_the_line, .init = clean_and_quiet)
{
    const char *path = file_with("devices = t4\ndevice.0.memory = none\n");
    char expected[128];

    snprintf(expected, sizeof(expected), "cushim mock: %s:2: 'none' is not a size such as 8GiB\n",
             path);
    setenv("CUSHIM_MOCK_CONFIG", path, 1);
    cr_expect(eq(int, driver_version(), 13000), "the version is known without the devices");
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuInit(0));
    EXPECT(CUDA_ERROR_NOT_INITIALIZED, mock_cuCtxSynchronize());
    unlink(path);
    fflush(stderr);
    cr_expect_stderr_eq_str(expected);
    unsetenv("CUSHIM_MOCK_CONFIG");
    EXPECT(CUDA_SUCCESS, mock_cuInit(0));
}

Test(config, a_wrong_version_in_the_environment, .init = clean_and_quiet)
{
    setenv("CUSHIM_MOCK_DRIVER_VERSION", "eleven", 1);
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuInit(0));
    fflush(stderr);
    cr_expect_stderr_eq_str("cushim mock: CUSHIM_MOCK_DRIVER_VERSION: 'eleven' is not a CUDA "
                            "version from 10.0 to 13.0\n");
}

Test(config, what_other_variables_cannot_have, .init = clean_and_quiet)
{
    static const struct {
        const char *name, *bad, *good, *said;
    } variables[] = {
        {"CUSHIM_MOCK_CHECK", "yes", "0", "neither 0 nor 1"},
        {"CUSHIM_MOCK_PTX_CPU", "sse9", "base", "none of base, avx2 and best"},
        {"CUSHIM_MOCK_PTX_STEPS", "1e9", "1000", "no number of jumps"},
        {"CUSHIM_MOCK_PTX_STEPS", "-1", "0", "no number of jumps"},
        {"CUSHIM_MOCK_PTX_WORKERS", "many", "2", "no number of threads up to 65535"},
        {"CUSHIM_MOCK_PTX_WORKERS", "70000", "0", "no number of threads up to 65535"},
    };
    char expected[1024] = "";

    for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
        setenv(variables[i].name, variables[i].bad, 1);
        EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuInit(0));
        snprintf(expected + strlen(expected), sizeof(expected) - strlen(expected),
                 "cushim mock: %s: '%s' is %s\n", variables[i].name, variables[i].bad,
                 variables[i].said);
        setenv(variables[i].name, variables[i].good, 1);
    }
    fflush(stderr);
    cr_expect_stderr_eq_str(expected);
    EXPECT(CUDA_SUCCESS, mock_cuInit(0));
}

static int peer_access(int a, int b)
{
    int can = -1;

    OK(mock_cuDeviceCanAccessPeer(&can, a, b));
    return can;
}

static int p2p(int which, int a, int b)
{
    int value = -1;

    OK(mock_cuDeviceGetP2PAttribute(&value, (CUdevice_P2PAttribute) which, a, b));
    return value;
}

Test(config, peers_by_model)
{
    OK(configure("devices = h200,h200,t4,t4,rtx4090,rtx4090"));
    OK(mock_cuInit(0));
    cr_expect(eq(int, peer_access(0, 1), 1));
    cr_expect(eq(int, peer_access(1, 0), 1));
    cr_expect(eq(int, peer_access(0, 0), 0), "not with itself");
    cr_expect(eq(int, peer_access(0, 2), 0), "not across models");
    cr_expect(eq(int, peer_access(2, 3), 1));
    cr_expect(eq(int, peer_access(4, 5), 0), "GeForce boards have none");
    cr_expect(eq(int, p2p(2, 0, 1), 1));
    cr_expect(eq(int, p2p(3, 0, 1), 1), "atomics over NVLink");
    cr_expect(eq(int, p2p(3, 2, 3), 0), "no atomics over PCIe");
    cr_expect(eq(int, p2p(4, 2, 3), 1));
    cr_expect(eq(int, p2p(2, 4, 5), 0));
    cr_expect(eq(int, p2p(1, 0, 1), 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           mock_cuDeviceGetP2PAttribute(&(int){0}, (CUdevice_P2PAttribute) 6, 0, 1));
}

Test(config, peers_by_topology)
{
    CUcontext contexts[3];

    OK(configure("devices = h200,h200,rtx4090\npeer 0 1 = no\npeer 2 1 = yes"));
    OK(mock_cuInit(0));
    cr_expect(eq(int, peer_access(0, 1), 0));
    cr_expect(eq(int, peer_access(1, 2), 1));
    cr_expect(eq(int, peer_access(2, 1), 1));
    for (int i = 0; i < 3; i++)
        OK(mock_cuDevicePrimaryCtxRetain(&contexts[i], i));
    OK(mock_cuCtxSetCurrent(contexts[1]));
    EXPECT(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED, mock_cuCtxEnablePeerAccess(contexts[0], 0));
    EXPECT(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED, mock_cuCtxEnablePeerAccess(contexts[1], 0));
    EXPECT(CUDA_SUCCESS, mock_cuCtxEnablePeerAccess(contexts[2], 0));
    EXPECT(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED, mock_cuCtxEnablePeerAccess(contexts[2], 0));
    EXPECT(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED, mock_cuCtxDisablePeerAccess(contexts[0]));
    EXPECT(CUDA_SUCCESS, mock_cuCtxDisablePeerAccess(contexts[2]));
}

static CUresult find(const char *name, int version)
{
    void *found = NULL;

    return mock_cuGetProcAddress(name, &found, version, 0);
}

Test(config, an_older_driver_lacks_what_came_later)
{
    int value = 0;

    setenv("CUSHIM_MOCK_DRIVER_VERSION", "11.4", 1);
    cr_expect(eq(int, driver_version(), 11040));
    OK(mock_cuInit(0));
    EXPECT(CUDA_SUCCESS, find("cuLaunchKernel", 11040));
    EXPECT(CUDA_ERROR_NOT_FOUND, find("cuLaunchKernelEx", 11040));
    EXPECT(CUDA_ERROR_INVALID_VALUE, find("cuLaunchKernelEx", 11060));
    EXPECT(CUDA_ERROR_NOT_FOUND, find("cuLibraryLoadData", 11040));
    EXPECT(CUDA_SUCCESS, find("cuGetProcAddress", 11040));
    EXPECT(CUDA_SUCCESS, mock_cuDeviceGetAttribute(
                             &value, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           mock_cuDeviceGetAttribute(&value, (CUdevice_attribute) 120, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           mock_cuDeviceGetAttribute(&value, (CUdevice_attribute) 147, 0));
}

#if CUDA_VERSION >= 12000
Test(config, the_second_proc_address_says_so_too)
{
    CUdriverProcAddressQueryResult status = CU_GET_PROC_ADDRESS_SUCCESS;
    void *found = GARBAGE;

    setenv("CUSHIM_MOCK_DRIVER_VERSION", "12.0", 1);
    OK(mock_cuGetProcAddress_v2("cuCtxCreate", &found, 12000, 0, &status));
    cr_expect(eq(ptr, found, (void *) (uintptr_t) mock_cuCtxCreate_v3));
    OK(mock_cuGetProcAddress_v2("cuGraphAddNode", &found, 12000, 0, &status));
    cr_expect(eq(int, (int) status, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND));
    cr_expect(eq(ptr, found, NULL));
    OK(mock_cuGetProcAddress_v2("cuGraphAddNode", &found, 11040, 0, &status));
    cr_expect(eq(int, (int) status, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND), "of no version at all");
}
#endif

/* The T4s' ordinals are 0 and 1, the A100's 2; each case says which of them are seen. */
static const struct {
    const char *list;
    const char *seen; /* places, in order */
} visible[] = {
    {"0,1,2", "012"},
    {"2,0", "20"},
    {"1", "1"},
    {"2,1,0", "210"},
    {"0,3,1", "0"},
    {"0,-1,1", "0"},
    {"-1", ""},
    {"", ""},
    {" ", ""},
    {",0", ""},
    {"0,,1", "0"},
    {"0,", "0"},
    {" 1 , 0", "10"},
    {"1gpu,0", "10"},
    {"abc", ""},
    {"0,abc,1", "0"},
    {"0,0", ""},
    {"0,1,0", ""},
    {"0,3,0", "0"},
    {"none", ""},
    {"007", ""},
    {"02", "2"},
    {"99999999999999999999", ""},
    {"GPU-A,GPU-C", "02"},
    {"GPU-C,GPU-A,GPU-B", "201"},
    {"GPU-A", "0"},
    {"GPU-A,GPU-A", ""},
    {"  GPU-B", "1"},
    {"\tGPU-B, GPU-A", "10"},
    {"GPU-A,1", "0"},
    {"1,GPU-A", "1"},
    {"GPU-", ""},
    {"GPU-A,GPU-0000,GPU-B", "0"},
    {"MIG-A", ""},
    {"0,MIG-A", "0"},
    {"MIG-GPU-A/0/0", ""},
    {"gpu-A", ""},
};

/* GPU-A, GPU-B and GPU-C stand for the beginnings of the three devices' UUIDs. */
static void write_list(const char *pattern, const struct mock__config *config, char list[128])
{
    size_t n = 0;

    for (const char *c = pattern; *c; c++) {
        if (*c >= 'A' && *c <= 'C' && c > pattern && c[-1] == '-') {
            char uuid[MOCK__UUID_TEXT];

            mock__profile_uuid_text(&config->devices[*c - 'A'], uuid);
            n += (size_t) snprintf(list + n, 128 - n, "%.8s", uuid + 4);
        } else {
            list[n++] = *c;
        }
    }
    list[n] = '\0';
}

Test(config, visible_devices)
{
    struct mock__config config = {.n_devices = 3};

    cr_assert(mock__profile_make("t4", 2, 0, &config.devices[0]));
    cr_assert(mock__profile_make("t4", 2, 1, &config.devices[1]));
    cr_assert(mock__profile_make("a100", 4, 2, &config.devices[2]));
    for (size_t i = 0; i < sizeof(visible) / sizeof(*visible); i++) {
        int places[MOCK__MAX_DEVICES];
        char list[128], seen[MOCK__MAX_DEVICES + 1] = "";
        int n;

        write_list(visible[i].list, &config, list);
        n = mock__visible(list, &config, places);
        for (int k = 0; k < n; k++)
            seen[k] = (char) ('0' + places[k]);
        cr_expect(eq(str, seen, S(visible[i].seen)), "'%s'", list);
    }
}

Test(config, hidden_devices_are_gone)
{
    char bus[32];
    CUuuid uuid, first;
    int n = 0;

    OK(configure("devices = t4,h200,h200\npeer 1 2 = no\npeer 0 2 = yes"));
    setenv("CUDA_VISIBLE_DEVICES", "2,0", 1);
    setenv("CUDA_DEVICE_ORDER", "PCI_BUS_ID", 1);
    OK(mock_cuInit(0));
    cr_expect(eq(int, device_count(), 2));
    cr_expect(eq(int, attribute(75, 0), 9));
    cr_expect(eq(int, attribute(75, 1), 7));
    cr_expect(eq(int, peer_access(0, 1), 1), "the topology is of the devices, not of the ordinals");
    EXPECT(CUDA_ERROR_INVALID_DEVICE, mock_cuDeviceGet(&n, 2));
    OK(mock_cuDeviceGetPCIBusId(bus, sizeof(bus), 0));
    cr_expect(eq(str, bus, S("0000:00:08.0")), "a device stays where it is");
    OK(mock_cuDeviceGetByPCIBusId(&n, bus));
    cr_expect(eq(int, n, 0));
    OK(mock_cuDeviceGetUuid(&uuid, 0));
    OK(mock_cuDeviceGetUuid(&first, 1));
    cr_expect(ne(int, memcmp(&uuid, &first, sizeof(uuid)), 0));
}

Test(config, no_visible_device, .init = clean_and_quiet)
{
    setenv("CUDA_VISIBLE_DEVICES", "", 1);
    EXPECT(CUDA_ERROR_NO_DEVICE, mock_cuInit(0));
    setenv("CUDA_VISIBLE_DEVICES", "-1", 1);
    EXPECT(CUDA_ERROR_NO_DEVICE, mock_cuInit(0));
    fflush(stderr);
    cr_expect_stderr_eq_str("");
    setenv("CUDA_VISIBLE_DEVICES", "0", 1);
    EXPECT(CUDA_SUCCESS, mock_cuInit(0));
}
