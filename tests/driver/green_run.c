/* SPDX-License-Identifier: MIT */
/* On which multiprocessors the blocks of green contexts run. */
#include <stdbool.h>
#include <string.h>

#include "resources.h"

#define BLOCKS 528
#define MOST   256

/* Each block tells its multiprocessor, and how many there are; its first thread takes 20 µs. */
/* clang-format off */
static const char where_ptx[] =
    ".version 6.4\n.target sm_52\n.address_size 64\n"
    ".visible .entry where(.param .u64 p){\n"
    "  .reg .pred %p<2>; .reg .b32 %r<4>; .reg .b64 %rd<6>;\n"
    "  mov.u32 %r1,%tid.x; setp.ne.u32 %p1,%r1,0; @%p1 ret;\n"
    "  ld.param.u64 %rd1,[p]; mov.u32 %r1,%ctaid.x; mul.wide.u32 %rd2,%r1,8; add.s64 %rd1,%rd1,%rd2;\n"
    "  mov.u32 %r2,%smid; mov.u32 %r3,%nsmid; st.global.u32 [%rd1],%r2; st.global.u32 [%rd1+4],%r3;\n"
    "  mov.u64 %rd3,%globaltimer;\n"
    "L: mov.u64 %rd4,%globaltimer; sub.u64 %rd5,%rd4,%rd3; setp.lt.u64 %p1,%rd5,20000; @%p1 bra L;\n"
    "  ret;\n}\n";
/* clang-format on */

struct places {
    bool used[MOST];
    unsigned n_used, n_said;
};

static struct places places_of(CUfunction where, CUstream stream)
{
    CUdeviceptr p = new_memory(BLOCKS * 8);
    struct places places;
    int answers[BLOCKS][2];

    memset(&places, 0, sizeof(places));
    launch(where, BLOCKS, 1024, stream, (void *[]){&p});
    wait_for(stream);
    read_ints(answers[0], p, sizeof(answers));
    for (int i = 0; i < BLOCKS; i++) {
        const unsigned at = (unsigned) answers[i][0] % MOST;

        places.n_used += !places.used[at];
        places.used[at] = true;
    }
    places.n_said = (unsigned) answers[0][1];
    return places;
}

static unsigned n_common(const struct places *a, const struct places *b)
{
    unsigned n = 0;

    for (int i = 0; i < MOST; i++)
        n += a->used[i] && b->used[i];
    return n;
}

static struct places ask_places(const char *key, CUdevResource *resource, CUfunction where)
{
    struct places places;
    CUgreenCtx green = NULL;
    CUstream stream = NULL;

    CALL(cuGreenCtxCreate, (&green, describe(resource), 0, CU_GREEN_CTX_DEFAULT_STREAM));
    CALL(cuGreenCtxStreamCreate, (&stream, green, CU_STREAM_NON_BLOCKING, 0));
    places = places_of(where, stream);
    report_numbered(places.n_used, "%s_used", key);
    report_numbered(places.n_said, "%s_said", key);
    CALL(cuStreamDestroy_v2, (stream));
    CALL(cuGreenCtxDestroy, (green));
    return places;
}

void ask_green_run(void)
{
    CUdevResource whole, parts[3], rest = {.type = CU_DEV_RESOURCE_TYPE_INVALID};
    struct places first, second, others, all;
    CUmodule module = NULL;
    CUfunction where;
    unsigned n = 2;

    begin();
    whole = whole_device();
    CALL(cuModuleLoadData, (&module, where_ptx));
    where = get_kernel(module, "where");
    all = places_of(where, new_stream());
    report("all_used", all.n_used);
    report("all_said", all.n_said);
    CALL(cuDevSmResourceSplitByCount, (parts, &n, &whole, &rest, 0, 24));
    first = ask_places("first", &parts[0], where);
    second = ask_places("second", &parts[1], where);
    others = ask_places("rest", &rest, where);
    report("common_12", n_common(&first, &second));
    report("common_1r", n_common(&first, &others));
    report("common_2r", n_common(&second, &others));
    ask_places("whole", &whole, where);
}
