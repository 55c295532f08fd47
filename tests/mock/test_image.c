/* SPDX-License-Identifier: MIT */
/* Images in files and in memory: what is none, what is too large, and what is said about it. */
#include <criterion/redirect.h>
#include <cushim/mock.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support.h"

#define S(text) ((char *) (text))

static const char ptx[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k() { ret; }\n";

static char folder[] = "/tmp/cushim-image-XXXXXX";
static const char *const names[] = {"pipe", "one",     "two",    "empty",
                                    "nul",  "pointer", "sparse", "ptx"};

static void end(void)
{
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        unlink(names[i]);
    cr_assert(eq(int, chdir("/"), 0));
    rmdir(folder);
}

static void begin(void)
{
    unsetenv("CUSHIM_LOG");
    cr_redirect_stderr();
    cr_assert(ne(ptr, mkdtemp(folder), NULL));
    cr_assert(eq(int, chdir(folder), 0));
}

TestSuite(image, .init = begin, .fini = end, .timeout = 30);

static void put(const char *name, const void *bytes, size_t n)
{
    FILE *file = fopen(name, "w");

    cr_assert(ne(ptr, file, NULL));
    cr_assert(eq(sz, fwrite(bytes, 1, n, file), n));
    fclose(file);
}

static CUresult add_file(const char *path, CUjitInputType type)
{
    CUlinkState state = NULL;
    CUresult result;

    OK(mock_cuLinkCreate_v2(0, NULL, NULL, &state));
    result = mock_cuLinkAddFile_v2(state, type, path, 0, NULL, NULL);
    OK(mock_cuLinkDestroy(state));
    return result;
}

/* Every way to a file answers the same. */
static void expect_all(const char *path, CUresult result)
{
    CUmodule module = GARBAGE;
    CUlibrary library = GARBAGE;

    cr_expect(eq(int, (int) mock_cuModuleLoad(&module, path), (int) result), "%s", path);
    cr_expect(eq(int, (int) add_file(path, CU_JIT_INPUT_PTX), (int) result), "%s", path);
    cr_expect(eq(int, (int) add_file(path, CU_JIT_INPUT_FATBINARY), (int) result), "%s", path);
    cr_expect(eq(int,
                 (int) mock_cuLibraryLoadFromFile(&library, path, NULL, NULL, 0, NULL, NULL, 0),
                 (int) result),
              "%s", path);
    cr_expect(result == CUDA_SUCCESS || (module == GARBAGE && library == GARBAGE), "%s", path);
}

static void expect_told(const char *text)
{
    fflush(stderr);
    cr_expect_stderr_eq_str(text);
}

/* As an H200 answers, but for the pipe, which that waits for. */
Test(image, what_is_no_file)
{
    start();
    cr_assert(eq(int, mkfifo("pipe", 0600), 0));
    cr_assert(eq(int, symlink("two", "one"), 0));
    cr_assert(eq(int, symlink("one", "two"), 0));
    put("empty", "", 0);
    put("nul", "\0abc", 4);
    put("ptx", ptx, strlen(ptx));
    expect_all("absent", CUDA_ERROR_FILE_NOT_FOUND);
    expect_all("", CUDA_ERROR_INVALID_VALUE);
    expect_all("empty/below", CUDA_ERROR_FILE_NOT_FOUND);
    expect_all("pipe", CUDA_ERROR_INVALID_IMAGE);
    expect_all("one", CUDA_ERROR_FILE_NOT_FOUND);
    expect_all("/tmp", CUDA_ERROR_OUT_OF_MEMORY);
    expect_all("/dev/zero", CUDA_ERROR_INVALID_IMAGE);
    expect_all("/dev/null", CUDA_ERROR_INVALID_IMAGE);
    expect_all("/proc/version", CUDA_ERROR_INVALID_IMAGE);
    expect_all("empty", CUDA_ERROR_INVALID_IMAGE);
    expect_all("nul", CUDA_ERROR_INVALID_IMAGE);
    expect_all("ptx", CUDA_SUCCESS);
    expect_told("cushim mock: cuModuleLoad: pipe: it is a pipe, not a regular file\n");
}

/* With a pointer in it, which is nobody's: sixteen bytes that killed the process. */
Test(image, a_file_points_nowhere)
{
    static const unsigned char pointer[24] = {0xb1, 0x43, 0x62, 0x46, 1,    0, 0,
                                              0,    0xef, 0xbe, 0xad, 0xde, 1};

    start();
    put("pointer", pointer, 16);
    expect_all("pointer", CUDA_ERROR_INVALID_IMAGE);
    put("pointer", pointer, 24);
    expect_all("pointer", CUDA_ERROR_INVALID_IMAGE);
}

static CUresult add_data(const void *data, size_t size, CUjitInputType type)
{
    CUlinkState state = NULL;
    CUresult result;

    OK(mock_cuLinkCreate_v2(0, NULL, NULL, &state));
    result = mock_cuLinkAddData_v2(state, type, S(data), size, "x", 0, NULL, NULL);
    OK(mock_cuLinkDestroy(state));
    return result;
}

Test(image, data_of_a_size_points_nowhere)
{
    static const unsigned char pointer[24] = {0xb1, 0x43, 0x62, 0x46, 1,    0, 0,
                                              0,    0xef, 0xbe, 0xad, 0xde, 1};

    start();
    EXPECT(CUDA_ERROR_INVALID_IMAGE, add_data(pointer, 24, CU_JIT_INPUT_FATBINARY));
    EXPECT(CUDA_ERROR_INVALID_IMAGE, add_data(pointer, 16, CU_JIT_INPUT_PTX));
}

Test(image, is_no_larger_than_the_limit)
{
    CUmodule module;
    char expected[256];

    setenv("CUSHIM_MOCK_IMAGE_LIMIT", "1KiB", 1);
    start();
    put("sparse", ptx, strlen(ptx));
    expect_all("sparse", CUDA_SUCCESS);
    cr_assert(eq(int, truncate("sparse", (off_t) 1 << 40), 0));
    expect_all("sparse", CUDA_ERROR_OUT_OF_MEMORY);
    snprintf(expected, sizeof(expected),
             "cushim mock: cuModuleLoad: sparse: it has more than the 1024 bytes that are read; "
             "CUSHIM_MOCK_IMAGE_LIMIT sets how many that are\n");
    expect_told(expected);
    EXPECT(CUDA_SUCCESS, mock_cuModuleLoadData(&module, ptx));
}

/* One entry: of a kind and for a target, and as compressed as the flags say. */
static size_t make_binary(unsigned char *to, unsigned kind, unsigned target, uint64_t flags,
                          const void *data, size_t size, uint64_t text_size)
{
    const uint32_t magic = 0xba55ed50, header = 64, compressed = (uint32_t) size;
    const uint64_t all = header + size, bytes = size;

    memset(to, 0, 80);
    memcpy(to, &magic, 4);
    to[4] = 1;
    to[6] = 16;
    memcpy(to + 8, &all, 8);
    to[16] = (unsigned char) kind;
    memcpy(to + 20, &header, 4);
    memcpy(to + 24, &bytes, 8);
    memcpy(to + 32, &compressed, 4);
    memcpy(to + 44, &target, 4);
    memcpy(to + 56, &flags, 8);
    memcpy(to + 72, &text_size, 8);
    memcpy(to + 80, data, size);
    return 80 + size;
}

enum { PTX = 1, CUBIN = 2, LZ4 = 0x2000, ZSTD = 0x8000 };

/* Nine bytes that would be 512 MiB and one: LZ4 cannot, and Zstandard may not by default. */
Test(image, a_text_is_as_large_as_its_header_says)
{
    static const char few[] = "\x28\xb5\x2f\xfd\x00\x00\x01\x00\x00";
    unsigned char binary[256];
    CUmodule module;

    start();
    make_binary(binary, PTX, 70, ZSTD, few, 9, ((uint64_t) 512 << 20) + 1);
    EXPECT(CUDA_ERROR_OUT_OF_MEMORY, mock_cuModuleLoadData(&module, binary));
    make_binary(binary, PTX, 70, LZ4, few, 9, (uint64_t) 512 << 20);
    EXPECT(CUDA_ERROR_INVALID_IMAGE, mock_cuModuleLoadData(&module, binary));
    make_binary(binary, PTX, 70, ZSTD, few, 9, UINT64_MAX);
    EXPECT(CUDA_ERROR_OUT_OF_MEMORY, mock_cuModuleLoadData(&module, binary));
    expect_told("cushim mock: a module is refused, as its text would have more than 536870912 "
                "bytes: CUSHIM_MOCK_IMAGE_LIMIT sets how many it may have\n");
}

#define IS_REFUSED "cushim mock: a module is refused, as "

Test(image, machine_code_alone)
{
    unsigned char binary[256];
    CUmodule module;

    start();
    make_binary(binary, CUBIN, 90, 0,
                "\x7f"
                "ELF",
                4, 0);
    EXPECT(CUDA_ERROR_NO_BINARY_FOR_GPU, mock_cuModuleLoadData(&module, binary));
    EXPECT(CUDA_ERROR_NO_BINARY_FOR_GPU, mock_cuModuleLoadData(&module, "\x7f"
                                                                        "ELF"));
    expect_told(IS_REFUSED
                "it has machine code only, which is not run here: keep the PTX in it (nvcc "
                "-gencode arch=compute_90,code=compute_90; nvrtcGetPTX() and not "
                "nvrtcGetCUBIN()), start the program with cushim run, which keeps it, or register "
                "replacement kernels (CUSHIM_MOCK_KERNELS)\n");
}

Test(image, ptx_for_other_devices)
{
    unsigned char binary[256];
    CUmodule module;

    start();
    make_binary(binary, PTX, 120, 0, ptx, strlen(ptx), 0);
    EXPECT(CUDA_ERROR_NO_BINARY_FOR_GPU, mock_cuModuleLoadData(&module, binary));
    EXPECT(CUDA_ERROR_INVALID_PTX,
           mock_cuModuleLoadData(&module, ".version 8.7\n.target sm_120\n"));
    expect_told(IS_REFUSED
                "it has PTX for other devices than sm_90 only (sm_120): choose one of "
                "those (CUSHIM_MOCK_DEVICES, or device.*.compute_capability in a file that "
                "CUSHIM_MOCK_CONFIG names), or build it for compute_90\n");
}

Test(image, ptx_that_is_newer_than_the_driver)
{
    CUmodule module;

    start();
    for (int i = 0; i < 3; i++)
        EXPECT(CUDA_ERROR_UNSUPPORTED_PTX_VERSION,
               mock_cuModuleLoadData(&module, ".version 9.9\n.target sm_70\n"));
    expect_told(IS_REFUSED
                "its PTX is newer than what a driver of CUDA 13.5 knows (Unsupported .version "
                "9.9; current version is '9.5'): compile it with CUDA 13.5 or older\n");
}

Test(image, ptx_that_is_newer_than_an_older_driver)
{
    static const char *const texts[] = {".version 9.1\n.target sm_70\n.address_size 64\n",
                                        ".version 9.1\n.target sm_70\n.address_size 64\nwrong"};
    CUmodule module;

    cr_assert(
        eq(int, cushim_mock_configure(cushim_mock_config(.driver_version = 13000)), CUSHIM_OK));
    start();
    for (int i = 0; i < 2; i++)
        EXPECT(CUDA_ERROR_UNSUPPORTED_PTX_VERSION, mock_cuModuleLoadData(&module, texts[i]));
    OK(mock_cuModuleLoadData(&module, ".version 9.0\n.target sm_70\n.address_size 64\n"));
    expect_told(IS_REFUSED
                "its PTX is newer than what a driver of CUDA 13.0 knows (Unsupported .version "
                "9.1; current version is '9.0'): compile it with CUDA 13.0 or older\n");
}

#define HEAD ".version 8.0\n.target sm_80\n.address_size 64\n"
#define ALL_MISTAKES                                                                              \
    "): `cushim ptx FILE` tells all mistakes, and so does the log of a compilation "              \
    "(CU_JIT_ERROR_LOG_BUFFER)\n"

Test(image, ptx_with_a_mistake)
{
    CUmodule module;

    start();
    for (int i = 0; i < 2; i++)
        EXPECT(CUDA_ERROR_INVALID_PTX,
               mock_cuModuleLoadData(&module,
                                     HEAD ".visible .entry k() { mov.u32 %r1, 1; ret; }\n"));
    expect_told(IS_REFUSED "its PTX is wrong (line 4: Unknown symbol '%r1'" ALL_MISTAKES);
}

Test(image, ptx_that_calls_what_is_not_there)
{
    CUmodule module;

    start();
    EXPECT(CUDA_ERROR_INVALID_PTX,
           mock_cuModuleLoadData(&module, HEAD ".extern .func f();\n"
                                               ".visible .entry k() { call f; ret; }\n"));
    expect_told(IS_REFUSED "its PTX is wrong (Unresolved extern function 'f'" ALL_MISTAKES);
}

Test(image, instructions_that_are_not_executed)
{
    static const char text[] = ".version 8.0\n.target sm_90a\n.address_size 64\n"
                               ".visible .entry k() { fabric.submit; ret; }\n";
    CUmodule module;

    start();
    EXPECT(CUDA_ERROR_NOT_SUPPORTED, mock_cuModuleLoadData(&module, text));
    fflush(stderr);
    cr_expect_stderr_neq_str("");
}

Test(image, nothing_is_said_where_the_log_is_off)
{
    CUmodule module;

    setenv("CUSHIM_LOG", "none", 1);
    start();
    EXPECT(CUDA_ERROR_NO_BINARY_FOR_GPU, mock_cuModuleLoadData(&module, "\x7f"
                                                                        "ELF"));
    expect_all("/dev/zero", CUDA_ERROR_INVALID_IMAGE);
    expect_told("");
}
