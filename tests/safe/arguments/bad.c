/* SPDX-License-Identifier: MIT */
#include "bad.h"

#include <assert.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"

/* All bad values of one kind, as they are found. */
struct finder {
    const struct world *w;
    enum kind kind;
    struct bad_values *found;
};

static struct bad *add(const struct finder *f, bool refused, const char *what)
{
    struct bad_values *found = f->found;
    struct bad *bad;

    found->list = realloc(found->list, (found->n + 1) * sizeof(*found->list));
    bad = &found->list[found->n++];
    *bad = (struct bad){.what = what, .refused = refused};
    return bad;
}

static void add_bits(const struct finder *f, bool refused, const char *what, uint64_t bits)
{
    add(f, refused, what)->value.bits = bits;
}

static void add_pointer(const struct finder *f, bool refused, const char *what, const void *pointer)
{
    add(f, refused, what)->value.pointer = (void *) (uintptr_t) pointer;
}

static const char *words(const char *first, const char *second, const char *third)
{
    const size_t bytes = strlen(first) + strlen(second) + strlen(third) + 1;
    char *all = malloc(bytes);

    snprintf(all, bytes, "%s%s%s", first, second, third);
    return all;
}

/* --- handles --- */

/* Tells whether a handle of one kind may be given for one of another. */
static bool is_accepted(const struct finder *f, unsigned kind)
{
    const enum class class = kind_info[f->kind].class;
    const bool is_memory = kind == CUSHIM__HANDLE_SLICE || kind == CUSHIM__HANDLE_PINNED ||
                           kind == CUSHIM__HANDLE_UNIFIED;

    if (class == ANY_ID || f->kind == KIND_NEW_ID)
        return true;
    return is_memory && (class == MEMORY_ID || class == VIEW_OF || class == WRITABLE);
}

static void numbers_like(const struct finder *f, uint64_t good)
{
    static const uint64_t garbage[] = {1, 2, 0xdeadbeefdeadbeef, UINT64_MAX, INT64_MAX, 0xfffff};

    add_bits(f, true, "another generation", good + (UINT64_C(1) << 32));
    add_bits(f, true, "an earlier generation", good - (UINT64_C(1) << 32));
    add_bits(f, true, "another slot", good ^ 0xfffff);
    for (int bit = 27; bit < 32; bit++)
        add_bits(f, true, "an unused bit", good ^ UINT64_C(1) << bit);
    for (size_t i = 0; i < ARRAY_SIZE(garbage); i++)
        add_bits(f, true, "garbage", garbage[i]);
}

static void add_foreign(const struct finder *f, const char *what, uint64_t id)
{
    struct bad *bad = add(f, false, what);

    bad->value.bits = id;
    bad->is_foreign = kind_info[f->kind].number > CUSHIM__HANDLE_CONTEXT;
}

/* The kind of the handle of an object. */
static unsigned handle_kind(uint64_t number)
{
    switch (number) {
    case RECORDER:
    case UPDATE_RECORDER:
    case BODY_RECORDER:
        return CUSHIM__HANDLE_STREAM;
    case LIST_OPERATION:
    case SHARED_OPERATION:
    case LAUNCH_OPERATION:
        return CUSHIM__HANDLE_OP;
    case SCHEDULED_FUTURE:
        return CUSHIM__HANDLE_FUTURE;
    default:
        return (unsigned) number;
    }
}

/* Launches that are operations take operations for memory, and consume them. */
static bool is_left_out(const struct finder *f, unsigned other)
{
    return other == CUSHIM__HANDLE_OP &&
           (f->kind == KIND_OP_VIEW || f->kind == KIND_OP_VIEW_TO_WRITE);
}

static void find_handles(const struct finder *f)
{
    const struct kind_info *info = &kind_info[f->kind];
    const unsigned kind = handle_kind(info->number);
    const bool is_taken = info->class == TAKEN;

    add_bits(f, !is_taken && info->class != HANDLE_OR_NONE, "zero", 0);
    add_bits(f, true, "a stale handle", f->w->freed.id[kind]);
    for (unsigned other = 1; other < CUSHIM__HANDLE_KINDS; other++)
        if (other != kind && !is_left_out(f, other))
            add_bits(f, !is_accepted(f, other),
                     words("the handle of another kind: ", cushim__handle_noun(other), ""),
                     f->w->own.id[other]);
    numbers_like(f, f->w->own.id[kind]);
    /* Operations, policies and futures are of no context. */
    if (!is_taken && kind < CUSHIM__HANDLE_OP) {
        add_foreign(f, "another context's", f->w->other.id[kind]);
        add_foreign(f, "another driver's", f->w->foreign.id[kind]);
    }
    for (size_t i = 0; i < f->found->n; i++) {
        f->found->list[i].is_handle = is_taken;
        f->found->list[i].refused &= info->class != HANDLE_OR_ANY;
        f->found->list[i].always = f->found->list[i].refused;
    }
    if (is_taken)
        add_pointer(f, true, "NULL", NULL);
}

/* --- views --- */

static void add_view(const struct finder *f, bool refused, const char *what, cushim_view view)
{
    add(f, refused, what)->value.VIEW = view;
}

static void find_views(const struct finder *f)
{
    const cushim_view good = f->w->good[f->kind].VIEW;
    cushim_view view;

    find_handles(f);
    for (size_t i = 0; i < f->found->n; i++) {
        const uint64_t id = f->found->list[i].value.bits;

        f->found->list[i].value.VIEW = cushim__whole(id);
    }
#define ALTERED(refused, text, ...)                                                                \
    view = good;                                                                                   \
    __VA_ARGS__;                                                                                   \
    add_view(f, refused, text, view)
    ALTERED(true, "behind the end", view.offset = ELEMENTS * 4);
    ALTERED(true, "offset SIZE_MAX", view.offset = SIZE_MAX);
    ALTERED(true, "an offset that overflows", view.offset = SIZE_MAX - 3; view.length = 2);
    ALTERED(true, "one element too long", view.length++);
    ALTERED(false, "length SIZE_MAX", view.length = SIZE_MAX); /* it means all */
    ALTERED(true, "a length that overflows", view.length = SIZE_MAX / 4 + 2);
    ALTERED(true, "element SIZE_MAX", view.element = SIZE_MAX);
    ALTERED(true, "an element that overflows", view.element = SIZE_MAX / 2 + 1; view.length = 2);
    ALTERED(false, "element 0", view.element = 0);
    ALTERED(false, "length 0", view.length = 0);
    ALTERED(false, "half of it", view.length = ELEMENTS / 2);
    ALTERED(false, "type 255", view.type = 255);
    ALTERED(false, "reserved bytes", memset(view.reserved, 255, sizeof(view.reserved)));
    ALTERED(kind_info[f->kind].class == WRITABLE, "not writable", view.writable = false);
#undef ALTERED
}

/* --- texts and numbers --- */

static void find_texts(const struct finder *f)
{
    static char long_text[100 * 1024 + 1];
    const enum class class = kind_info[f->kind].class;
    const bool is_name = class == NAME;

    memset(long_text, 'x', sizeof(long_text) - 1);
    add_pointer(f, class != STRING_OR_NULL, "NULL", NULL);
    add_pointer(f, is_name, "\"\"", "");
    add_pointer(f, is_name, "100 KiB long", long_text);
    add_pointer(f, is_name, "no UTF-8", "\xff\xfe\xc0\x80\xed\xa0\x80");
    add_pointer(f, is_name, "a format", "%s%n%d%100000d");
    add_pointer(f, is_name, "control characters", "a\nb\r\x1b[31m\x7f\x01");
}

static void find_lengths(const struct finder *f)
{
    static const struct {
        const char *what;
        uint64_t number;
    } lengths[] = {
        {"0", 0},
        {"1", 1},
        {"SIZE_MAX", SIZE_MAX},
        {"SIZE_MAX / 2 + 1", SIZE_MAX / 2 + 1},
        {"PTRDIFF_MAX", PTRDIFF_MAX},
        {"SIZE_MAX / 4 + 1", SIZE_MAX / 4 + 1},
    };
    const uint64_t good = f->w->good[f->kind].bits;
    const enum class class = kind_info[f->kind].class;

    for (size_t i = 0; i < ARRAY_SIZE(lengths); i++)
        if (lengths[i].number != good)
            add_bits(f, class == EXACT || (class == ARRAY && lengths[i].number > 1),
                     lengths[i].what, lengths[i].number);
}

static void find_numbers(const struct finder *f)
{
    const enum class class = kind_info[f->kind].class;
    const uint32_t most = (uint32_t) kind_info[f->kind].number;

    if (class == CHOICE || class == HINT || class == BLOCKS) {
        add_bits(f, class != HINT, "-1", UINT32_MAX);
        add_bits(f, class != HINT, "one after the last", most + 1);
        add_bits(f, class != HINT, "2^31", UINT32_C(1) << 31);
        if (class == BLOCKS)
            return;
    } else {
        add_bits(f, class == ORDINAL, "-1", UINT32_MAX);
        add_bits(f, class == ORDINAL, "INT_MIN", (uint32_t) INT_MIN);
        add_bits(f, class == ORDINAL, "77", 77);
    }
    add_bits(f, class != HINT && class != NUMBER, "INT_MAX", INT_MAX);
}

static void find_listed(const struct finder *f)
{
    static const int ints[] = {-1, INT_MIN, INT_MAX, 101};
    static const char *const texts[][2] = {
        {NULL}, {"", NULL}, {"%s%n", NULL}, {"\xff\xc0\x80", NULL}, {"a\nb\x1b", NULL}};
    static const struct cushim_header headers[][2] = {
        {{"a.h", NULL}, {NULL, NULL}}, {{"", ""}, {NULL, NULL}}, {{"%s%n", "\xff"}, {NULL, NULL}}};
    static struct cushim_cache_counts counts[] = {{.size = 0}, {.size = 8}, {.size = SIZE_MAX}};
    static struct cushim_cache_state states[] = {{.size = 0}, {.size = 8}, {.size = SIZE_MAX}};
    static struct cushim_graph_counts stats[] = {{.size = 0}, {.size = 8}, {.size = SIZE_MAX}};
    static struct cushim_node_info info[] = {{.size = 0}, {.size = 8}, {.size = SIZE_MAX}};
    static const double doubles[] = {-1, 1.5, 1e300, -0.0, __builtin_nan(""), __builtin_inf()};

    switch (f->kind) {
    case KIND_WRONG_RESULT:
        add_bits(f, true, "-1", UINT32_MAX);
        add_bits(f, true, "10000", 10000);
        return;
    case KIND_PROBABILITY:
    case KIND_RATIO:
        for (size_t i = 0; i < ARRAY_SIZE(doubles); i++) {
            struct bad *bad = add(f, doubles[i] != 0, "no share");

            if (f->kind == KIND_RATIO)
                bad->value.RATIO = (float) doubles[i];
            else
                bad->value.PROBABILITY = doubles[i];
        }
        return;
    case KIND_INTS:
        for (size_t i = 0; i < ARRAY_SIZE(ints); i++)
            add_pointer(f, false, "a wrong number", &ints[i]);
        return;
    case KIND_TEXTS:
        for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
            add_pointer(f, false, "wrong texts", texts[i]);
        return;
    case KIND_CACHE_FOLDER:
        add_pointer(f, false, "\"\"", "");
        add_pointer(f, true, "a file", "/dev/null");
        add_pointer(f, true, "a folder of all users", "/tmp");
        return;
    case KIND_CACHE_COUNTS:
        add_pointer(f, true, "NULL", NULL);
        for (size_t i = 0; i < ARRAY_SIZE(counts); i++)
            add_pointer(f, true, "counts without a size", &counts[i]);
        return;
    case KIND_CACHE_STATE:
        add_pointer(f, true, "NULL", NULL);
        for (size_t i = 0; i < ARRAY_SIZE(states); i++)
            add_pointer(f, true, "a state without a size", &states[i]);
        return;
    case KIND_GRAPH_STATS:
        add_pointer(f, true, "NULL", NULL);
        for (size_t i = 0; i < ARRAY_SIZE(stats); i++)
            add_pointer(f, true, "numbers without a size", &stats[i]);
        return;
    case KIND_NODE_INFO:
        add_pointer(f, true, "NULL", NULL);
        for (size_t i = 0; i < ARRAY_SIZE(info); i++)
            add_pointer(f, true, "a node without a size", &info[i]);
        return;
    default:
        for (size_t i = 0; i < ARRAY_SIZE(headers); i++)
            add_pointer(f, false, "wrong headers", headers[i]);
    }
}

/* --- structures --- */

/* A copy of the good structure, at the end of its memory, so that the sanitizers see reads behind.
 */
static void *copy(const struct finder *f, size_t more)
{
    const size_t bytes = fields_of(f->kind)->bytes;
    char *all = calloc(1, bytes + more);

    memcpy(all, f->w->good[f->kind].pointer, bytes);
    return all;
}

static void add_size(const struct finder *f, bool refused, const char *what, size_t size,
                     size_t more, char filler)
{
    const size_t bytes = fields_of(f->kind)->bytes;
    char *params = copy(f, more);

    memcpy(params, &size, sizeof(size));
    memset(params + bytes, filler, more);
    add_pointer(f, refused, what, params);
}

static void find_sizes(const struct finder *f)
{
    const size_t bytes = fields_of(f->kind)->bytes;

    add_size(f, true, "size 0", 0, 0, 0);
    add_size(f, true, "size 1", 1, 0, 0);
    add_size(f, true, "size SIZE_MAX", SIZE_MAX, 0, 0);
    add_size(f, true, "size INT_MAX", INT_MAX, 0, 0);
    add_size(f, false, "a later version", bytes + 8, 8, 0);
    add_size(f, true, "a later version with another field", bytes + 8, 8, 1);
}

/* Adds a good value with one field that is bad. */
static void add_field(const struct finder *f, const struct field *field, const struct bad *bad)
{
    const enum class class = kind_info[f->kind].class;
    const char *what = words(field->name, " is ", bad->what);
    struct bad *added = add(f, bad->refused && class != STRUCTS_FOR_LATER, what);
    char *bytes;

    added->always = bad->always && class == BY_VALUE;
    added->is_foreign = bad->is_foreign && class != STRUCTS_FOR_LATER;
    if (class == BY_VALUE) {
        added->value = f->w->good[f->kind];
        bytes = (char *) &added->value;
    } else {
        added->value.pointer = bytes = copy(f, 0);
    }
    memcpy(bytes + field->offset, &bad->value, field->bytes);
}

static void find_fields(const struct finder *f)
{
    const struct fields *fields = fields_of(f->kind);

    for (size_t i = 0; i < fields->n; i++) {
        const struct field *field = &fields->list[i];
        const struct bad_values *of_field = bad_values(f->w, field->kind);

        assert(field->bytes == kind_info[field->kind].bytes);
        for (size_t k = 0; k < of_field->n; k++)
            add_field(f, field, &of_field->list[k]);
    }
}

static void find_structs(const struct finder *f)
{
    const enum class class = kind_info[f->kind].class;

    if (class != BY_VALUE)
        add_pointer(f, class != PARAMS_OR_NULL && class != STRUCTS_OR_NULL, "NULL", NULL);
    if (class == PARAMS || class == PARAMS_OR_NULL)
        find_sizes(f);
    find_fields(f);
}

static void find(const struct finder *f)
{
    static cushim_event event;

    switch (kind_info[f->kind].class) {
    case PLAIN:
        break;
    case HANDLE:
    case HANDLE_OR_NONE:
    case HANDLE_OR_ANY:
    case ANY_ID:
    case MEMORY_ID:
    case FRESH:
    case TAKEN:
        find_handles(f);
        break;
    case VIEW_OF:
    case WRITABLE:
        find_views(f);
        break;
    case OUTPUT:
    case HANDLES:
    case ADDRESS:
        add_pointer(f, true, "NULL", NULL);
        break;
    case OUTPUT_OR_NULL:
    case HANDLES_OR_NULL:
        add_pointer(f, false, "NULL", NULL);
        break;
    case NAME:
    case STRING:
    case STRING_OR_NULL:
        find_texts(f);
        break;
    case LENGTH:
    case ARRAY:
    case EXACT:
        find_lengths(f);
        break;
    case CHOICE:
    case HINT:
    case ORDINAL:
    case NUMBER:
    case BLOCKS:
        find_numbers(f);
        break;
    case PARAMS:
    case PARAMS_OR_NULL:
    case STRUCTS:
    case STRUCTS_OR_NULL:
    case STRUCTS_FOR_LATER:
    case BY_VALUE:
        find_structs(f);
        break;
    case NOT_ALONE:
        add_pointer(f, true, "without the other one", &event);
        break;
    case LISTED:
        find_listed(f);
    }
}

const struct bad_values *bad_values(const struct world *w, enum kind kind)
{
    static struct bad_values all[KINDS];
    static bool is_known[KINDS];

    if (!is_known[kind]) {
        is_known[kind] = true;
        find(&(struct finder){w, kind, &all[kind]});
    }
    return &all[kind];
}

#define INFO(name, type, class, number, good) [KIND_##name] = {#name, class, number, sizeof(type)},
const struct kind_info kind_info[KINDS] = {ARGUMENT_KINDS(INFO)};
