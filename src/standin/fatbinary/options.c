/* SPDX-License-Identifier: MIT */
#include "standin/fatbinary/options.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"

enum { BINARY = TOOL_OWN, SOURCE, IMAGE, RELOCATABLE, LINKED };

/* Those of CUDA 13.0 to 13.5, one of older versions, and one that nvcc passes although no list has
 * it. */
static const struct tool_option known[] = {
    {"create", "create", BINARY, TOOL_VALUE},
    {"embedded-fatbin", "fatbin", SOURCE, TOOL_VALUE},
    {"image3", "image3", IMAGE, TOOL_VALUE},
    {"image", "image", IMAGE, TOOL_VALUE},
    {"device-c", "c", RELOCATABLE, TOOL_NO_VALUE},
    {"link", "link", LINKED, TOOL_NO_VALUE},
    {"options-file", "optf", TOOL_OPTIONS_FILE, TOOL_VALUE},
    {"version", "V", TOOL_VERSION, TOOL_NO_VALUE},
    {"help", "h", TOOL_HELP, TOOL_NO_VALUE},
    {"32", "32", TOOL_REFUSED, TOOL_NO_VALUE},
    {"image2", "image2", TOOL_REFUSED, TOOL_VALUE},
    {"64", "64", TOOL_WITHOUT_EFFECT, TOOL_NO_VALUE},
    {"cicc-cmdline", "cicc-cmdline", TOOL_WITHOUT_EFFECT, TOOL_VALUE},
    {"cmdline", "cmdline", TOOL_WITHOUT_EFFECT, TOOL_VALUE},
    {"compress", "compress", TOOL_WITHOUT_EFFECT, TOOL_VALUE},
    {"compress-all", "compress-all", TOOL_WITHOUT_EFFECT, TOOL_NO_VALUE},
    {"compress-mode", "compress-mode", TOOL_WITHOUT_EFFECT, TOOL_VALUE},
    {"concat", "concat", TOOL_WITHOUT_EFFECT, TOOL_NO_VALUE},
    {"debug", "g", TOOL_WITHOUT_EFFECT, TOOL_NO_VALUE},
    {"ident", "ident", TOOL_WITHOUT_EFFECT, TOOL_VALUE},
    {"no-asm", "no-asm", TOOL_WITHOUT_EFFECT, TOOL_NO_VALUE},
    {"tileir-cmdline", "tileir-cmdline", TOOL_WITHOUT_EFFECT, TOOL_VALUE},
};

static bool fail(const char *what)
{
    return tool_fail("fatbinary", "Missing or unknown %s in image3", what);
}

static bool set_target(struct fatbinary_image *image, const char *text)
{
    char *end;

    image->target = (int) strtol(text, &end, 10);
    image->variant = *end;
    return (isdigit((unsigned char) *text) &&
            (!*end || ((*end == 'a' || *end == 'f') && !end[1]))) ||
           tool_fail("fatbinary", "Invalid architecture '%s'", text);
}

/* Older versions have one word for kind and architecture: "sm_90" or "compute_90". */
static bool set_profile(struct fatbinary_image *image, const char *text, bool *ret_has_kind)
{
    const char *number = strchr(text, '_');

    image->is_text = !strncmp(text, "compute_", strlen("compute_"));
    *ret_has_kind = image->is_text || !strncmp(text, "sm_", strlen("sm_"));
    return *ret_has_kind ? set_target(image, number + 1) : fail("profile");
}

static bool set_kind(struct fatbinary_image *image, const char *text, bool *ret_has_kind)
{
    image->is_text = !strcmp(text, "ptx");
    *ret_has_kind = image->is_text || !strcmp(text, "elf");
    if (!strcmp(text, "nvvm"))
        return tool_fail("fatbinary", "An image of the kind 'nvvm' is not understood here: what "
                                      "stands in for fatbinary takes no LTO-IR");
    return *ret_has_kind || fail("kind");
}

static bool set_word(struct fatbinary_image *image, char *word, bool *has_kind)
{
    char *value = strchr(word, '=');

    if (!value)
        return fail("keyword");
    *value++ = '\0';
    if (!strcmp(word, "kind"))
        return set_kind(image, value, has_kind);
    if (!strcmp(word, "profile"))
        return set_profile(image, value, has_kind);
    if (!strcmp(word, "sm"))
        return set_target(image, value);
    if (strcmp(word, "file") != 0)
        return fail("keyword");
    free(image->path);
    image->path = strdup(value);
    return image->path || tool_fail("fatbinary", "there is no memory");
}

static bool read_image(struct fatbinary_image *image, const char *value)
{
    SCOPED_FREE char *words = strdup(value);
    char *rest = NULL;
    bool has_kind = false;

    if (!words)
        return tool_fail("fatbinary", "there is no memory");
    for (char *word = strtok_r(words, ",", &rest); word; word = strtok_r(NULL, ",", &rest))
        if (!set_word(image, word, &has_kind))
            return false;
    if (!has_kind)
        return fail("kind");
    if (!image->target)
        return tool_fail("fatbinary", "Missing sm in image3");
    return image->path || tool_fail("fatbinary", "Missing file in image3");
}

static bool add_image(struct fatbinary_options *options, const char *value)
{
    struct fatbinary_image *larger =
        realloc(options->images, (options->n_images + 1) * sizeof(*larger));

    if (!larger)
        return tool_fail("fatbinary", "there is no memory");
    options->images = larger;
    larger[options->n_images] = (struct fatbinary_image){.path = NULL};
    return read_image(&larger[options->n_images++], value);
}

static bool set(void *user, int what, const char *value)
{
    struct fatbinary_options *options = user;

    switch (what) {
    case BINARY:
        options->binary = value;
        return true;
    case SOURCE:
        options->source = value;
        return true;
    case IMAGE:
        return add_image(options, value);
    case RELOCATABLE:
        return options->relocatable = true;
    default:
        return options->linked = true;
    }
}

bool fatbinary_options_read(int argc, char **argv, struct fatbinary_options *ret_options)
{
    *ret_options = (struct fatbinary_options){.words = {.tool = "fatbinary",
                                                        .options = known,
                                                        .n_options = ARRAY_SIZE(known),
                                                        .set = set,
                                                        .user = ret_options}};
    return tool_words_read(&ret_options->words, argc, argv);
}

void fatbinary_options_finish(struct fatbinary_options *options)
{
    tool_words_finish(&options->words);
    for (size_t i = 0; i < options->n_images; i++)
        free(options->images[i].path);
    free(options->images);
}
