/* SPDX-License-Identifier: MIT */
/* The kernel of a question: it fills shared memory, runs the instruction, and copies it out. */
#include <string.h>

#include "tensors.h"

struct writer {
    char *at;
    size_t size;
};

static void put(struct writer *to, const char *text)
{
    const size_t n = strlen(text);

    if (n < to->size) {
        memcpy(to->at, text, n + 1);
        to->at += n;
        to->size -= n;
    }
}

#define PUT(to, ...)                                                                               \
    do {                                                                                           \
        char put_text[512];                                                                        \
        snprintf(put_text, sizeof(put_text), __VA_ARGS__);                                         \
        put(to, put_text);                                                                         \
    } while (0)

static const char head[] =
    ".version 8.8\n"
    ".target sm_90a\n"
    ".address_size 64\n"
    ".extern .shared .align 1024 .b8 near[];\n"
    ".const .align 128 .b8 fixed[384];\n"
    ".visible .entry k(.param .align 128 .b8 map[384], .param .u64 out, .param .u64 in,\n"
    "    .param .u64 elsewhere, .param .u32 shift, .param .u32 to, .param .u32 expect,\n"
    "    .param .u32 bytes, .param .u32 mask, .param .align 4 .b8 c[20], .param .align 4 .b8 "
    "o[12])\n"
    "{\n"
    "    .shared .align 8 .b64 bar;\n"
    "    .reg .b32 %t, %i, %n, %v, %a, %bar, %rank, %round, %x<5>;\n"
    "    .reg .b64 %map, %in, %out, %w, %y;\n"
    "    .reg .b16 %o<3>, %mask;\n"
    "    .reg .pred %p, %q, %first;\n"
    "    mov.u32 %t, %tid.x;\n"
    "    setp.eq.u32 %first, %t, 0;\n"
    "    mov.u32 %rank, %cluster_ctarank;\n"
    "    ld.param.u32 %n, [bytes];\n"
    "    ld.param.u64 %in, [in];\n"
    "    ld.param.u64 %out, [out];\n"
    "    add.u32 %v, %n, 16;\n"
    "    mul.wide.u32 %w, %v, %rank;\n"
    "    add.u64 %out, %out, %w;\n"
    "    mov.u32 %bar, bar;\n";

static const char fill[] = "    shl.b32 %i, %t, 2;\n"
                           "FILL:\n"
                           "    setp.ge.u32 %p, %i, %n;\n"
                           "    @%p bra FILLED;\n"
                           "    cvt.u64.u32 %w, %i;\n"
                           "    add.u64 %w, %w, %in;\n"
                           "    ld.global.u32 %v, [%w];\n"
                           "    mov.u32 %a, near;\n"
                           "    add.u32 %a, %a, %i;\n"
                           "    st.shared.u32 [%a], %v;\n"
                           "    add.u32 %i, %i, 512;\n"
                           "    bra FILL;\n"
                           "FILLED:\n"
                           "    fence.proxy.async;\n"
                           "    ld.param.u32 %v, [expect];\n"
                           "    @%first mbarrier.init.shared::cta.b64 [%bar], 1;\n"
                           "    fence.mbarrier_init.release.cluster;\n"
                           "    @%first mbarrier.arrive.expect_tx.shared::cta.b64 _, [%bar], %v;\n"
                           "    barrier.cluster.arrive.aligned;\n"
                           "    barrier.cluster.wait.aligned;\n"
                           "    mov.u32 %a, near;\n"
                           "    ld.param.u32 %v, [to];\n"
                           "    add.u32 %a, %a, %v;\n";

/* The barrier's bytes are there soon or never. */
static const char wait[] =
    "    mov.u32 %round, 0;\n"
    "WAIT:\n"
    "    mbarrier.test_wait.parity.acquire.cta.shared::cta.b64 %q, [%bar], 0;\n"
    "    @%q bra DONE;\n"
    "    add.u32 %round, %round, 1;\n"
    "    setp.lt.u32 %p, %round, 1000;\n"
    "    @%p bra WAIT;\n"
    "DONE:\n";

static const char copy_out[] = "    bar.sync 0;\n"
                               "    shl.b32 %i, %t, 2;\n"
                               "COPY:\n"
                               "    setp.ge.u32 %p, %i, %n;\n"
                               "    @%p bra COPIED;\n"
                               "    cvt.u64.u32 %w, %i;\n"
                               "    add.u64 %w, %w, %out;\n"
                               "    mov.u32 %a, near;\n"
                               "    add.u32 %a, %a, %i;\n"
                               "    ld.shared.u32 %v, [%a];\n"
                               "    st.global.u32 [%w], %v;\n"
                               "    add.u32 %i, %i, 512;\n"
                               "    bra COPY;\n"
                               "COPIED:\n"
                               "    cvt.u64.u32 %w, %n;\n"
                               "    add.u64 %w, %w, %out;\n"
                               "    selp.u32 %v, 1, 2, %q;\n"
                               "    @%first st.global.u32 [%w], %v;\n"
                               "    barrier.cluster.arrive.aligned;\n"
                               "    barrier.cluster.wait.aligned;\n"
                               "    ret;\n"
                               "}\n";

static void put_place(struct writer *to, const struct tensors_question *question)
{
    const char *place = question->place;

    if (!strcmp(place, "const"))
        put(to, "    mov.u64 %map, fixed;\n    cvta.const.u64 %map, %map;\n");
    else if (!strcmp(place, "shared"))
        put(to, "    mov.u32 %v, near;\n    cvt.u64.u32 %map, %v;\n"
                "    cvta.shared.u64 %map, %map;\n");
    else if (*place && strcmp(place, "param"))
        put(to, "    ld.param.u64 %map, [elsewhere];\n");
    else
        put(to, "    mov.u64 %map, map;\n    cvta.param.u64 %map, %map;\n");
    put(to, "    ld.param.u32 %v, [shift];\n    cvt.u64.u32 %w, %v;\n"
            "    add.u64 %map, %map, %w;\n");
}

static uint32_t rank_of(const struct tensors_question *question)
{
    return question->n_coordinates ? question->n_coordinates : question->rank;
}

static void put_brackets(struct writer *to, const struct tensors_question *question)
{
    put(to, "[%map, {");
    for (uint32_t i = 0; i < rank_of(question); i++)
        PUT(to, "%s%%x%u", i ? ", " : "", i);
    put(to, "}]");
}

static void put_offsets(struct writer *to, const struct tensors_question *question)
{
    if (strncmp(question->form, "im2col", 6) || !strcmp(question->form, "im2col_no_offs"))
        return;
    put(to, ", {");
    for (uint32_t i = 0; i + 2 < rank_of(question) && i < 3; i++)
        PUT(to, "%s%%o%u", i ? ", " : "", i);
    put(to, "}");
}

static void put_load(struct writer *to, const struct tensors_question *question)
{
    PUT(to, "cp.async.bulk.tensor.%ud.shared::%s.global.%s.mbarrier::complete_tx::bytes%s [%%a], ",
        rank_of(question), question->to, question->form,
        question->mask ? ".multicast::cluster" : "");
    put_brackets(to, question);
    put(to, ", [%bar]");
    put_offsets(to, question);
    put(to, question->mask ? ", %mask;\n" : ";\n");
}

static void put_store(struct writer *to, const struct tensors_question *question)
{
    const bool reduces = strcmp(question->what, "store");

    PUT(to, "cp.%sasync.bulk.tensor.%ud.global.shared::cta%s%s.%s.bulk_group ",
        reduces ? "reduce." : "", rank_of(question), reduces ? "." : "",
        reduces ? question->what : "", question->form);
    put_brackets(to, question);
    put(to, ", [%a];\n"
            "    cp.async.bulk.commit_group;\n"
            "    cp.async.bulk.wait_group 0;\n");
}

static void put_prefetch(struct writer *to, const struct tensors_question *question)
{
    PUT(to, "cp.async.bulk.prefetch.tensor.%ud.L2.global.%s ", rank_of(question), question->form);
    put_brackets(to, question);
    put_offsets(to, question);
    put(to, ";\n");
}

static void put_instruction(struct writer *to, const struct tensors_question *question)
{
    put_place(to, question);
    for (uint32_t i = 0; i < 5; i++)
        PUT(to, "    ld.param.u32 %%x%u, [c+%u];\n", i, 4 * i);
    for (uint32_t i = 0; i < 3; i++)
        PUT(to, "    ld.param.u16 %%o%u, [o+%u];\n", i, 4 * i);
    put(to, "    ld.param.u16 %mask, [mask];\n    setp.ne.u32 %p, %t, 0;\n");
    if (question->mask)
        put(to, "    setp.ne.or.u32 %p, %rank, 0, %p;\n");
    put(to, "    setp.eq.u32 %q, %t, %t;\n    @%p bra PASSED;\n    ");
    if (!strcmp(question->what, "load"))
        put_load(to, question);
    else if (!strcmp(question->what, "prefetch"))
        put_prefetch(to, question);
    else
        put_store(to, question);
    put(to, "PASSED:\n");
    if (!strcmp(question->what, "load"))
        put(to, wait);
}

/* "box_dim.2:16" is tensormap.replace.tile.box_dim.global.b1024.b32 [map], 2, 16 */
static void put_edit(struct writer *to, const struct tensors_question *question)
{
    char field[TENSORS_WORD];
    const char *value = strchr(question->edit, ':');
    const bool immediate =
        !strncmp(question->edit, "elemtype", 8) || !strncmp(question->edit, "interleave", 10) ||
        !strncmp(question->edit, "swizzle", 7) || !strncmp(question->edit, "fill_mode", 9);
    const bool wide = !strncmp(question->edit, "global_address", 14) ||
                      !strncmp(question->edit, "global_stride", 13);
    char *ordinal;

    snprintf(field, sizeof(field), "%.*s", (int) (value - question->edit), question->edit);
    ordinal = strchr(field, '.');
    if (ordinal)
        *ordinal++ = 0;
    put(to, "    ld.param.u64 %map, [elsewhere];\n    mov.u32 %a, near;\n    setp.eq.u32 %q, %t, "
            "%t;\n");
    PUT(to, "    mov.b64 %%w, %s;\n    cvt.u32.u64 %%v, %%w;\n", value + 1);
    PUT(to, "    @%%first tensormap.replace.tile.%s.%s.b1024.b%u [%s]%s%s, %s;\n", field,
        strcmp(question->place, "shared") ? "global" : "shared::cta", wide ? 64 : 32,
        strcmp(question->place, "shared") ? "%map" : "%a", ordinal ? ", " : "",
        ordinal ? ordinal : "",
        immediate ? value + 1
        : wide    ? "%w"
                  : "%v");
}

void tensors_text(const struct tensors_question *question, char *text, size_t size)
{
    struct writer to = {text, size};

    put(&to, head);
    put(&to, fill);
    if (*question->edit)
        put_edit(&to, question);
    else
        put_instruction(&to, question);
    put(&to, copy_out);
}
