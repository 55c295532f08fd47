/* SPDX-License-Identifier: MIT */
/*
 * A fatbinary that also takes the images of the ptxas that stands beside it, where machine code is
 * named: they go in as PTX for the devices which that machine code would be for. Texts are not
 * compressed. Messages, options and the exit status are those of fatbinary.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/util.h"
#include "mock/ptx/container/fatbin.h"
#include "standin/fatbinary/options.h"

enum { MOST_FILE_BYTES = 1 << 30, FAILED = 1, ALIGNMENT = 8 };

/* The fields of a fat binary, as ptx/container/fatbin.c reads them. */
struct head {
    uint32_t magic;
    uint16_t version, head_bytes;
    uint64_t bytes;
};

struct entry {
    uint16_t kind, version;
    uint32_t head_bytes;
    uint64_t bytes;
    uint32_t compressed_bytes, unused;
    uint16_t minor, major; /* the version of PTX */
    uint32_t target;
    uint64_t name;
    uint64_t flags, unused_too;
    uint64_t text_bytes; /* before compression; 0: there is none */
};

_Static_assert(sizeof(struct head) == 16 && sizeof(struct entry) == 64, "as in the file");

enum {
    PTX = 1,
    MACHINE_CODE = 2,
    FLAGS = 0x11, /* 64 bits, and Linux */
    ONE_TARGET = 0x100000,
    ONE_FAMILY = 0x200000,
};

struct binary {
    unsigned char *bytes;
    size_t size;
};

static bool append(struct binary *binary, const void *bytes, size_t size)
{
    const size_t padded = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    unsigned char *larger = realloc(binary->bytes, binary->size + padded);

    if (!larger)
        return tool_fail("fatbinary", "there is no memory");
    binary->bytes = larger;
    memcpy(larger + binary->size, bytes, size);
    memset(larger + binary->size + size, 0, padded - size);
    binary->size += padded;
    return true;
}

/* Machine code for 9.0 does not run on 10.0, and PTX does: what is in its place is for one family.
 */
static uint64_t flags_of(const struct fatbinary_image *image, int kind)
{
    if (image->variant == 'a')
        return FLAGS | ONE_TARGET;
    if (image->variant == 'f' || (kind == PTX && !image->is_text))
        return FLAGS | ONE_FAMILY;
    return FLAGS;
}

static bool append_entry(struct binary *binary, const struct fatbinary_image *image, int kind,
                         const struct cushim__file *file)
{
    const size_t size = kind == PTX ? strlen(file->bytes) + 1 : (size_t) file->size;
    const char *version = kind == PTX ? strstr(file->bytes, ".version") : NULL;
    struct entry entry = {
        .kind = (uint16_t) kind,
        .version = 0x101,
        .head_bytes = sizeof(entry),
        .bytes = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT,
        .target = (uint32_t) image->target,
        .flags = flags_of(image, kind),
    };

    if (version)
        sscanf(version, ".version %hu.%hu", &entry.major, &entry.minor);
    return append(binary, &entry, sizeof(entry)) && append(binary, file->bytes, size);
}

static bool add_image(struct binary *binary, const struct fatbinary_image *image)
{
    SCOPED_FILE file = {.bytes = NULL};

    if (!cushim__file_read(image->path, MOST_FILE_BYTES, &file))
        return tool_fail("fatbinary", "Could not open input file '%s'", image->path);
    if (strstr(file.bytes, ".version"))
        return append_entry(binary, image, PTX, &file);
    if (!image->is_text && ptx__is_elf(file.bytes, (size_t) file.size))
        return append_entry(binary, image, MACHINE_CODE, &file);
    return tool_fail("fatbinary", "'%s' is not PTX%s", image->path,
                     image->is_text ? "" : ", nor machine code");
}

/* --- the part of C code that nvcc puts into the object of the host --- */

static void write_numbers(FILE *file, const struct binary *binary)
{
    for (size_t at = 0; at < binary->size; at += sizeof(uint64_t)) {
        uint64_t number;

        memcpy(&number, binary->bytes + at, sizeof(number));
        fprintf(file, "0x%llxull,%s", (unsigned long long) number, at % 32 == 24 ? "\n" : "");
    }
}

/*
 * The runtime's headers use the names. Code that is linked later has a wrapper that other objects
 * see, with the module in its name, and linked code has the list of all of them.
 */
static void write_source(FILE *file, const struct fatbinary_options *options,
                         const struct binary *binary)
{
    static const char attributes[] = "__attribute__((aligned(8), section(\".nvFatBinSegment\")))";

    fprintf(file,
            "#ifndef __SKIP_INTERNAL_FATBINARY_HEADERS\n#include \"fatbinary_section.h\"\n#endif\n"
            "static const unsigned long long fatbinData[] __attribute__((aligned(8), "
            "section(\"%s\"))) = {\n",
            options->relocatable ? "__nv_relfatbin" : ".nv_fatbin");
    write_numbers(file, binary);
    fprintf(file, "};\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n");
    if (options->relocatable)
        fprintf(file,
                "#undef __FATIDNAME\n#undef __FATIDNAME_CORE\n"
                "#define __FATIDNAME_CORE(id) __fatbinwrap##id\n"
                "#define __FATIDNAME(id) __FATIDNAME_CORE(id)\n"
                "extern const __fatBinC_Wrapper_t __FATIDNAME(__NV_MODULE_ID) %s =\n",
                attributes);
    else
        fprintf(file, "static const __fatBinC_Wrapper_t __fatDeviceText %s =\n", attributes);
    fprintf(file, "    {0x466243b1, %d, fatbinData, %s};\n#ifdef __cplusplus\n}\n#endif\n",
            options->linked ? 2 : 1, options->linked ? "(void **) __cudaPrelinkedFatbins" : "0");
}

static bool write_source_file(const struct fatbinary_options *options, const struct binary *binary)
{
    FILE *file = fopen(options->source, "w");
    bool done = file;

    if (file) {
        write_source(file, options, binary);
        done = !ferror(file);
        done = !fclose(file) && done;
    }
    return done || tool_fail("fatbinary", "Could not open output file '%s'", options->source);
}

/* Beside "a.fatbin.c" there is "a.fatbin", which nvcc removes. */
static bool write_beside(const struct fatbinary_options *options, const struct binary *binary)
{
    const size_t length = strlen(options->source);
    SCOPED_FREE char *path = strdup(options->source);

    if (!path || length < 3 || strcmp(path + length - 2, ".c") != 0)
        return true;
    path[length - 2] = '\0';
    return tool_write_file(path, binary->bytes, binary->size) ||
           tool_fail("fatbinary", "Could not open output file '%s'", path);
}

static bool write_all(const struct fatbinary_options *options, const struct binary *binary)
{
    if (options->binary && !tool_write_file(options->binary, binary->bytes, binary->size))
        return tool_fail("fatbinary", "Could not open output file '%s'", options->binary);
    return !options->source ||
           (write_source_file(options, binary) && write_beside(options, binary));
}

static bool run(const struct fatbinary_options *options)
{
    struct head head = {.magic = 0xba55ed50, .version = 1, .head_bytes = sizeof(head)};
    struct binary binary = {.size = 0};
    bool done = append(&binary, &head, sizeof(head));

    for (size_t i = 0; i < options->n_images; i++)
        done = done && add_image(&binary, &options->images[i]);
    if (done) {
        head.bytes = binary.size - sizeof(head);
        memcpy(binary.bytes, &head, sizeof(head));
        done = write_all(options, &binary);
    }
    free(binary.bytes);
    return done;
}

int main(int argc, char **argv)
{
    struct fatbinary_options options;
    int status = FAILED;

    if (!fatbinary_options_read(argc, argv, &options))
        status = FAILED;
    else if (options.words.version)
        status = tool_print_version("fatbinary");
    else if (options.words.help || options.words.n_inputs || argc == 1)
        status = puts("Usage  : fatbinary [options]") < 0;
    else
        status = run(&options) ? 0 : FAILED;
    fatbinary_options_finish(&options);
    return status;
}
