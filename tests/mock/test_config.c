/* SPDX-License-Identifier: MIT */
/* Settings of the mock in C, in a file and in the environment: which counts, and which is wrong. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "configs.h"
#include "mock/config/profile_tables.h"

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

static size_t memory_of(int device)
{
    size_t bytes = 0;

    OK(mock_cuDeviceTotalMem_v2(&bytes, device));
    return bytes;
}

Test(config, in_c)
{
    char name[64];

    OK(cushim_mock_configure(
        cushim_mock_config(.devices = "h200, t4", .driver_version = 11040, .seed = 7,
                           .settings = "device.1.memory = 8GiB\n"
                                       "device.1.name=Tesla  T4 # half\r\n"
                                       "\n"
                                       "# a comment\n"
                                       "  ; and another\n"
                                       "device.1.compute_capability = 7.2\n"
                                       "device.*.attribute.16 = 20\n"
                                       "device.0.max_blocks_per_multiprocessor = 0x10\n"
                                       "device.1.attribute.async_engine_count = 1")));
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
    OK(cushim_mock_configure(cushim_mock_config(.devices = "a100")));
    OK(mock_cuInit(0));
    cr_expect(eq(int, device_count(), 1));
    cr_expect(eq(int, attribute(75, 0), 8));
    cr_expect(eq(u64, mock__seed(), 5), "what C does not say is the environment's");
    cr_expect(eq(int, driver_version(), 11040));
}

Test(config, a_file_named_in_c)
{
    const char *path = file_with("devices = t4\nseed = 9\n");

    OK(cushim_mock_configure(cushim_mock_config(.file = path, .settings = "seed = 8")));
    OK(mock_cuInit(0));
    unlink(path);
    cr_expect(eq(int, attribute(75, 0), 7));
    cr_expect(eq(u64, mock__seed(), 8), "the settings come after the file");
}

Test(config, can_be_taken_back)
{
    OK(cushim_mock_configure(cushim_mock_config(.devices = "t4,t4", .seed = 2)));
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
    {"devices = abacus", "settings:1: there is no device 'abacus'; there are " KINDS},
    {"devices =", "settings:1: there is no device ''; there are " KINDS},
    {"devices = h200,", "settings:1: there is no device ''; there are " KINDS},
    {"devices = t4 t4", "settings:1: there is no device 't4 t4'; there are " KINDS},
    {"devices = t4,t4,t4,t4,t4,t4,t4,t4,t4,t4,t4,t4,t4,t4,t4,t4,t4",
     "settings:1: more than 16 devices"},
    {"\n\nhello", "settings:3: 'hello' is not 'key = value'"},
    {"seed = 1\nspeed = 3", "settings:2: there is no setting 'speed'"},
    {" = 3", "settings:1: there is no setting ''"},
    {"seed = -1", "settings:1: '-1' is not a seed, a number of 64 bits"},
    {"seed = seven", "settings:1: 'seven' is not a seed, a number of 64 bits"},
    {"driver_version = 14.0", "settings:1: '14.0' is not a CUDA version from 10.0 to 13.5"},
    {"driver_version = 9.2", "settings:1: '9.2' is not a CUDA version from 10.0 to 13.5"},
    {"driver_version = new", "settings:1: 'new' is not a CUDA version from 10.0 to 13.5"},
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
    const struct cushim_mock_config *config = cushim_mock_config(.file = "/nonexistent/mock.conf");

    EXPECT(CUSHIM_ERROR_INVALID_ARGUMENT, cushim_mock_configure(config));
    cr_expect(eq(str, S(cushim_mock_error_text()),
                 S("file: /nonexistent/mock.conf: No such file or directory")));
}

static void expect_no_file(const char *path, const char *why)
{
    const struct cushim_mock_config *config = cushim_mock_config(.file = path);
    char expected[256];

    EXPECT(CUSHIM_ERROR_INVALID_ARGUMENT, cushim_mock_configure(config));
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
    for (int model = 0; model < mock__n_models; model++) {
        for (int i = 1; i < MOCK__N_ATTRIBUTES; i++) {
            const int value = mock__models[model].attributes[i];
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
    cr_expect(eq(int, driver_version(), 13050), "the version is known without the devices");
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
                            "version from 10.0 to 13.5\n");
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
