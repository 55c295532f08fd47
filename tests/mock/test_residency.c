/* SPDX-License-Identifier: MIT */
/*
 * How many blocks fit on a multiprocessor: against what an H200 answered, and for all devices
 * against the toolkit's own calculator, if its header is there.
 */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "mock/config/profile_tables.h"
#include "mock/module/residency.h"

#include "support.h"

#if CUDA_VERSION >= 13000 && __has_include(<cuda_occupancy.h>)
#define HAVE_CALCULATOR
#include <cuda_occupancy.h>
#endif

TestSuite(residency);

static struct mock__residency_room room_of(const struct mock__model *model)
{
    const int *a = model->attributes;

    return (struct mock__residency_room){
        .capability = a[75] * 10 + a[76],
        .warp = (size_t) a[10],
        .threads = (size_t) a[39],
        .blocks = (size_t) a[106],
        .registers = (size_t) a[82],
        .shared = (size_t) a[81],
        .reserved_shared = (size_t) a[111],
    };
}

/* A line of occupancy-h200.tsv. */
struct answer {
    char what[16];
    long registers, shared, barriers, most_dynamic, carveout, cache, a, b, value;
};

static bool parse(const char *line, struct answer *answer)
{
    return sscanf(line, "%15s %ld %ld %ld %ld %ld %ld %ld %ld %ld", answer->what,
                  &answer->registers, &answer->shared, &answer->barriers, &answer->most_dynamic,
                  &answer->carveout, &answer->cache, &answer->a, &answer->b, &answer->value) == 10;
}

/* As cuOccupancyMaxPotentialBlockSize() looks for it. */
static long best_block(const struct mock__residency_room *room,
                       const struct mock__residency_use *use, size_t largest, size_t dynamic)
{
    size_t most = 0, best = 0;

    for (size_t warps = (largest + 31) / 32; warps; warps--) {
        const size_t threads = warps * 32 < largest ? warps * 32 : largest;
        const size_t blocks = mock__residency_blocks(room, use, threads, dynamic);

        if (blocks * threads > most) {
            most = blocks * threads;
            best = threads;
        }
    }
    return (long) best;
}

static long computed(const struct mock__residency_room *room, const struct answer *answer)
{
    const struct mock__residency_use use = {
        .registers = (size_t) answer->registers,
        .barriers = (size_t) answer->barriers,
        .static_shared = (size_t) answer->shared,
        .most_dynamic = (size_t) answer->most_dynamic,
        .carveout = (int) answer->carveout,
        .cache = (int) answer->cache,
    };
    const size_t a = (size_t) answer->a, b = (size_t) answer->b;
    size_t bytes = 0;

    if (!strcmp(answer->what, "blocks"))
        return (long) mock__residency_blocks(room, &use, a, b);
    if (!strcmp(answer->what, "potential"))
        return best_block(room, &use, a ? a : 1024, b);
    return mock__residency_dynamic(room, &use, a, b, &bytes) ? (long) bytes : -1;
}

Test(residency, as_an_h200_answered)
{
    const struct mock__residency_room room = room_of(&mock__models[0]);
    FILE *file = fopen(OCCUPANCY, "re");
    char line[256];
    int n = 0;

    cr_assert(ne(ptr, file, NULL));
    while (fgets(line, sizeof(line), file)) {
        struct answer answer;

        if (*line == '#')
            continue;
        cr_assert(parse(line, &answer), "%s", line);
        cr_expect(eq(long, computed(&room, &answer), answer.value), "%s", line);
        n++;
    }
    fclose(file);
    cr_expect(eq(int, n, 1050));
}

#ifdef HAVE_CALCULATOR

static uint64_t state = 1;

static unsigned draw(unsigned n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned) (state >> 33) % n;
}

static cudaOccDeviceProp properties_of(const struct mock__model *model)
{
    const int *a = model->attributes;
    cudaOccDeviceProp p;

    memset((void *) &p, 0, sizeof(p));
    p.computeMajor = a[75];
    p.computeMinor = a[76];
    p.maxThreadsPerBlock = a[1];
    p.maxThreadsPerMultiprocessor = a[39];
    p.regsPerBlock = a[12];
    p.regsPerMultiprocessor = a[82];
    p.warpSize = a[10];
    p.sharedMemPerBlock = (size_t) a[8];
    p.sharedMemPerMultiprocessor = (size_t) a[81];
    p.numSms = a[16];
    p.sharedMemPerBlockOptin = (size_t) a[97];
    p.reservedSharedMemPerBlock = (size_t) a[111];
    return p;
}

/* The calculator's answer; -1 where it has none. */
static long calculated(const cudaOccDeviceProp *p, const struct mock__residency_use *use,
                       size_t threads, size_t dynamic)
{
    cudaOccFuncAttributes f;
    cudaOccDeviceState s;
    cudaOccResult r;

    memset((void *) &f, 0, sizeof(f));
    memset((void *) &s, 0, sizeof(s));
    f.maxThreadsPerBlock = INT_MAX;
    f.numRegs = (int) use->registers;
    f.sharedSizeBytes = use->static_shared;
    f.partitionedGCConfig = PARTITIONED_GC_OFF;
    f.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
    f.maxDynamicSharedSizeBytes = use->most_dynamic;
    f.numBlockBarriers = (int) use->barriers;
    s.carveoutConfig = use->carveout;
    s.cacheConfig = (cudaOccCacheConfig) use->cache;
    if (cudaOccMaxActiveBlocksPerMultiprocessor(&r, p, &f, &s, (int) threads, dynamic))
        return -1;
    return r.activeBlocksPerMultiprocessor;
}

/*
 * Kernels at random. The calculator takes the most dynamic memory for a limit where the driver
 * gives what any kernel may have, so it is at least that.
 */
static struct mock__residency_use any_use(const struct mock__model *model)
{
    const unsigned optin = (unsigned) model->attributes[97];
    struct mock__residency_use use = {
        .registers = 1 + draw(255),
        .static_shared = draw(3) ? 0 : draw(49153),
        .carveout = draw(2) ? -1 : (int) draw(101),
        .cache = (int) draw(4),
    };

    use.most_dynamic = optin - use.static_shared;
    return use;
}

Test(residency, as_the_toolkit_calculates_for_all_devices)
{
    for (int i = 0; i < mock__n_models; i++) {
        const struct mock__residency_room room = room_of(&mock__models[i]);
        const cudaOccDeviceProp properties = properties_of(&mock__models[i]);
        int different = 0;

        for (int k = 0; k < 20000; k++) {
            const struct mock__residency_use use = any_use(&mock__models[i]);
            const size_t threads = 1 + draw(1024);
            const size_t dynamic = draw((unsigned) use.most_dynamic + 1) >> draw(12);
            const long theirs = calculated(&properties, &use, threads, dynamic);
            const long ours = (long) mock__residency_blocks(&room, &use, threads, dynamic);

            if (theirs != ours && !different++)
                cr_expect(eq(long, ours, theirs),
                          "%s: %zu registers, shared %zu + %zu, carveout %d, cache %d, %zu threads",
                          mock__models[i].key, use.registers, use.static_shared, dynamic,
                          use.carveout, use.cache, threads);
        }
        cr_expect(eq(int, different, 0), "%s", mock__models[i].key);
    }
}

#endif
