/* SPDX-License-Identifier: MIT */
/*
 * headers [SEED [STEPS]]: the cache and the NVRTC of this machine. Headers in several folders
 * include each other in all ways that there are, and change at random; after each change, the image
 * with a cache must be the one that is made without. Exit status: 0 right, 1 wrong, 77 no NVRTC.
 */
#include <stdbool.h>
#include <stdint.h>

#include "cache.h"

enum { FOLDERS = 3, HEADERS = 6 };

static char root[64], cache[80];
static unsigned state;
static int failures;

#define EXPECT(condition)                                                                          \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            failures++;                                                                            \
            printf("%s:%d: %s\n  %s\n", __FILE__, __LINE__, #condition, cushim_error_text());      \
        }                                                                                          \
    } while (0)

static unsigned below(unsigned n)
{
    state = state * 1664525u + 1013904223u;
    return (state >> 10) % n;
}

/* --- random headers --- */

/* An include of the header with this number, in one of the ways to write it. */
static void write_include(FILE *file, unsigned header)
{
    static const char *const forms[] = {
        "#include \"h%u.h\"\n",
        "#include <h%u.h>\n",
        "  /* a */ # /* b */ include /* c\n */ <h%u.h> // d\n",
        "%%:include \"h%u.h\"\n",
        "#inc\\\nlude \\\n<h%u.h>\n",
        "#if __has_include(<h%u.h>)\n#define FOUND 1\n#else\n#define FOUND 2\n#endif\n",
        "#ifdef ODD\n#include \"h%u.h\"\n#endif\n",
        "#include_next <h%u.h>\n",
        "#include \"../f1/h%u.h\"\n",
        "#if 0\n#include <h%u.h>\n#endif\n",
    };

    if (below(40))
        fprintf(file, forms[below(sizeof(forms) / sizeof(*forms))], header);
    else
        fprintf(file, "#define NAME <h%u.h>\n#include NAME\n#undef NAME\n", header);
}

/* Headers include only those with larger numbers, so there is no circle. */
static void write_header(const char *path, unsigned header)
{
    FILE *file = fopen(path, "w");

    NEED(file);
    fprintf(file, "#undef H%u\n#define H%u %u\n", header, header, below(4));
    if (!below(3))
        fprintf(file, "#define ODD\n");
    for (unsigned i = header + 1; i < HEADERS; i++)
        if (!below(3)) {
            fprintf(file, "#undef FOUND\n");
            write_include(file, i);
        }
    fclose(file);
}

static void change_something(void)
{
    const unsigned header = below(HEADERS), folder = below(FOLDERS);
    char path[128], other[128];

    snprintf(path, sizeof(path), "%s/f%u/h%u.h", root, folder, header);
    snprintf(other, sizeof(other), "../f%u/h%u.h", (folder + 1) % FOLDERS, header);
    unlink(path);
    switch (below(4)) {
    case 0:
        break; /* it is gone */
    case 1:
        NEED(!symlink(other, path)); /* which may lead nowhere, or in a circle */
        break;
    default:
        write_header(path, header);
    }
}

/* --- the comparison --- */

static const char program[] = "#define FOUND 0\n"
                              "#if __has_include(<h0.h>)\n"
                              "#include <h0.h>\n"
                              "#endif\n"
                              "#if __has_include(\"h3.h\")\n"
                              "#include \"h3.h\"\n"
                              "#endif\n"
                              "#define TEXT_OF(x) #x\n"
                              "#define TEXT(x) TEXT_OF(x)\n"
                              "extern \"C\" __constant__ char values[] =\n"
                              "    TEXT(H0) TEXT(H1) TEXT(H2) TEXT(H3) TEXT(H4) TEXT(H5)\n"
                              "    TEXT(FOUND) TEXT(ODD) __FILE__;\n";

static cushim_status compile(const char *folder, cushim_image *ret_image)
{
    char paths[FOLDERS][80];
    const char *const include_paths[] = {paths[0], paths[1], NULL};

    for (unsigned i = 0; i < FOLDERS; i++)
        snprintf(paths[i], sizeof(paths[i]), "%s/f%u", root, i);
    return cushim_compile(
        program, cushim_compile_params(.cache = folder, .include_paths = include_paths), ret_image);
}

static void compare(unsigned step)
{
    CUSHIM_SCOPED(cushim_image) with = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_image) without = CUSHIM_NONE;
    const cushim_status status = compile(cache, &with), wanted = compile("", &without);
    size_t n = 0, k = 0;
    const void *a, *b;

    EXPECT(status == wanted);
    if (status || wanted)
        return;
    a = cushim_image_data(with, &n);
    b = cushim_image_data(without, &k);
    if (n != k || memcmp(a, b, n) || strcmp(cushim_image_log(with), cushim_image_log(without))) {
        failures++;
        printf("step %u: the image of the cache is\n%s\nand should be\n%s\n", step,
               (const char *) a, (const char *) b);
    }
}

static void random_headers(unsigned steps)
{
    struct cushim_cache_counts counts;
    char path[128];

    for (unsigned f = 0; f < FOLDERS; f++) {
        snprintf(path, sizeof(path), "%s/f%u", root, f);
        NEED(!mkdir(path, 0700));
        for (unsigned h = 0; h < HEADERS; h++) {
            snprintf(path, sizeof(path), "%s/f%u/h%u.h", root, f, h);
            write_header(path, h);
        }
    }
    for (unsigned step = 0; step < steps; step++) {
        if (below(3))
            change_something();
        compare(step);
    }
    counts = counts_now();
    printf("%llu hits, %llu misses, %llu bypasses\n", (unsigned long long) counts.hits,
           (unsigned long long) counts.misses, (unsigned long long) counts.bypasses);
    EXPECT(counts.hits > steps / 10 && counts.misses > steps / 10);
}

/* --- all kinds of images --- */

static void compare_kind(cushim_nvrtc nvrtc, enum cushim_image_kind kind)
{
    CUSHIM_SCOPED(cushim_image) made = CUSHIM_NONE;
    CUSHIM_SCOPED(cushim_image) found = CUSHIM_NONE;
    const uint64_t hits = counts_now().hits;
    const char *const expressions[] = {"f<int>", NULL};
    const struct cushim_compile_params *params =
        cushim_compile_params(.nvrtc = nvrtc, .kind = kind, .arch = "80", .cache = cache,
                              .name_expressions = expressions);
    const char source[] = "template<class T> __global__ void f(T *p) { int unused; *p = 1; }";
    const char *name = "", *again = "";
    size_t n = 0, k = 0;

    EXPECT(!cushim_compile(source, params, &made) && !cushim_compile(source, params, &found));
    EXPECT(counts_now().hits == hits + 1);
    EXPECT(!memcmp(cushim_image_data(found, &n), cushim_image_data(made, &k), n) && n == k && n);
    EXPECT(strstr(cushim_image_log(found), "unused"));
    EXPECT(!cushim_image_lowered_name(made, "f<int>", &name) &&
           !cushim_image_lowered_name(found, "f<int>", &again) && !strcmp(name, again));
}

/* Each NVRTC makes its own images of the same program. */
static void two_nvrtcs(cushim_nvrtc nvrtc)
{
    CUSHIM_SCOPED(cushim_nvrtc) other = CUSHIM_NONE;
    const char *path = getenv("CUSHIM_TEST_OTHER_NVRTC");
    int versions[2] = {0};
    uint64_t misses;

    if (!path || !*path) {
        printf("one NVRTC only: CUSHIM_TEST_OTHER_NVRTC names no other\n");
        return;
    }
    EXPECT(!cushim_nvrtc_open(cushim_open_params(.library = path), &other));
    EXPECT(!cushim_nvrtc_version(nvrtc, &versions[0]) &&
           !cushim_nvrtc_version(other, &versions[1]));
    printf("NVRTC %d and %d\n", versions[0], versions[1]);
    misses = counts_now().misses;
    for (int kind = CUSHIM_IMAGE_PTX; kind <= CUSHIM_IMAGE_CUBIN; kind++)
        compare_kind(other, (enum cushim_image_kind) kind);
    EXPECT(counts_now().misses == misses + 2);
}

int main(int argc, char **argv)
{
    cushim_nvrtc nvrtc = CUSHIM_NONE;

    if (cushim_nvrtc_open(NULL, &nvrtc)) {
        printf("%s\n", cushim_error_text());
        return SKIP;
    }
    state = argc > 1 ? (unsigned) atoi(argv[1]) : 1;
    new_folder(root);
    snprintf(cache, sizeof(cache), "%s/cache", root);
    for (int kind = CUSHIM_IMAGE_PTX; kind <= CUSHIM_IMAGE_CUBIN; kind++)
        compare_kind(nvrtc, (enum cushim_image_kind) kind);
    if (cushim_nvrtc_has(nvrtc, "nvrtcGetLTOIR"))
        compare_kind(nvrtc, CUSHIM_IMAGE_LTOIR);
    two_nvrtcs(nvrtc);
    random_headers(argc > 2 ? (unsigned) atoi(argv[2]) : 150);
    cushim_nvrtc_close(&nvrtc);
    remove_folder(root);
    return failures != 0;
}
