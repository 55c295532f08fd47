/* SPDX-License-Identifier: MIT */
#include "mock/ptx/jit/tier.h"

#include <stdlib.h>
#include <string.h>

#include "base/cache_folder.h"
#include "base/thread.h"
#include "base/util.h"
#include "mock/ptx/jit/block.h"
#include "mock/ptx/jit/emit.h"
#include "mock/ptx/jit/llvm.h"
#include "mock/ptx/jit/setting.h"
#include "mock/ptx/jit/unit.h"
#include "mock/ptx/warps/step.h"

/*
 * Work is counted in operations of warps: a hundred million take the interpreter a second or so. A
 * kernel is compiled when it has done about as much as compiling takes: LLVM has to be loaded, and
 * takes a millisecond or two for each operation of the code. So a program that ends then has lost
 * no more than it has taken. What an earlier process has kept is looked for much sooner.
 */
#define ENOUGH_WORK    (UINT64_C(1) << 22)
#define ENOUGH_FOR_OP  (UINT64_C(1) << 17)
#define ENOUGH_TO_LOOK (UINT64_C(1) << 16)

/*
 * A function is compiled for the rows in which a block has its lanes, and twice: for warps whose 32
 * lanes are together, and for the others.
 */
enum { FULL_0, FULL_8, FULL_16, FULL_32, SOME_0, SOME_32, VARIANTS };

typedef const struct ptx__op *(*compiled)(struct ptx__warp *warp, const struct ptx__op *op,
                                          uint64_t entry, const struct ptx__op *ops);

struct ptx__tier {
    compiled _Atomic functions[VARIANTS];
    struct ptx__machine_code *code[VARIANTS];
    struct cushim__arena arenas[VARIANTS]; /* what the machine code refers to */
    atomic_uchar wanted[VARIANTS];         /* enum effort */
    unsigned n_slots[VARIANTS];
    bool gathers[VARIANTS];
    ptx__handler runs[]; /* the operations' own handlers */
};

/* What is done for a function: what is kept on disk is looked for, or it is compiled, too. */
enum effort { NOTHING, LOOK, COMPILE };

struct job {
    struct job *next;
    struct ptx__code *code; /* NULL: the program is freed */
    unsigned variant;
    enum effort effort;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct job *first_job, *last_job, *running;
static bool started;     /* the thread, which goes on until the process ends */
static bool loading;     /* it loads LLVM */
static bool closed;      /* the process ends, or there can be no thread */
static unsigned n_forks; /* that wait for LLVM to be at rest */

/* --- compiled code --- */

static unsigned variant_of(unsigned row, bool full)
{
    if (!full)
        return row == PTX__LANES ? SOME_32 : SOME_0;
    return row == 32 ? FULL_32 : row == 16 ? FULL_16 : row == 8 ? FULL_8 : FULL_0;
}

static bool is_full(unsigned variant)
{
    return variant < SOME_0;
}

static struct ptx__jit_shape shape_of(unsigned variant)
{
    static const uint8_t rows[VARIANTS] = {0, 8, 16, 32, 0, 32};

    return (struct ptx__jit_shape){
        .row = rows[variant], .full = is_full(variant), .kept = variant + 1};
}

static bool has_area(const struct ptx__frame *frame, unsigned n_slots)
{
    return frame->area && frame->area_slots >= n_slots;
}

/* It has two words for each slot, see spread.h. What it has is needed by the same variant only. */
bool ptx__jit_make_area(struct ptx__frame *frame, unsigned variant)
{
    const struct ptx__tier *tier = atomic_load_explicit(&frame->code->tier, memory_order_relaxed);
    const unsigned n = tier->n_slots[variant];

    if (has_area(frame, n))
        return true;
    free(frame->area);
    frame->area = calloc(2 * ((size_t) n + 1), sizeof(*frame->area));
    frame->area_slots = n;
    return frame->area;
}

static uint64_t enough_work(const struct ptx__code *code)
{
    return ENOUGH_WORK + ENOUGH_FOR_OP * code->n_ops;
}

/* A function that is called has no account of its own. */
static enum effort effort_of(const struct ptx__code *code)
{
    const uint64_t work = atomic_load_explicit(&code->work, memory_order_relaxed);

    return code->is_kernel && work < enough_work(code) ? LOOK : COMPILE;
}

static void want_function(const struct ptx__code *code, unsigned variant);

static bool make_areas(const struct ptx__block *block, const struct ptx__code *code,
                       unsigned variant)
{
    const struct ptx__tier *tier = atomic_load_explicit(&code->tier, memory_order_relaxed);
    const unsigned n = tier->n_slots[variant];

    for (const struct ptx__warp *warp = block->warps; warp <= block->last; warp++) {
        if (!has_area(warp->base, n) && !ptx__jit_make_area(warp->base, variant))
            return false;
    }
    return true;
}

/* Tells whether a function that begins with a warp may go on with those behind it, in step. */
static bool runs_in_step(struct ptx__warp *warp, const struct ptx__op *op, unsigned variant)
{
    const struct ptx__frame *frame = warp->frame;

    if (!frame->code->is_kernel || !is_full(variant) || !ptx__jit_keep_step(warp, op, frame->kept))
        return false;
    return make_areas(warp->block, frame->code, variant);
}

static const struct ptx__op *enter(struct ptx__warp *warp, const struct ptx__op *op)
{
    const struct ptx__code *code = warp->frame->code;
    struct ptx__tier *tier = atomic_load_explicit(&code->tier, memory_order_acquire);
    const unsigned kept = warp->frame->kept;
    const unsigned variant =
        kept ? kept - 1 : variant_of(warp->block->grid->row, warp->mask == PTX__ALL);
    const compiled function = atomic_load_explicit(&tier->functions[variant], memory_order_acquire);
    const size_t number = (size_t) (op - code->ops);
    struct ptx__gathered *gathered = &warp->worker->gathered;
    bool runs;

    if (!function &&
        atomic_load_explicit(&tier->wanted[variant], memory_order_relaxed) < effort_of(code))
        want_function(code, variant);
    runs = function && ptx__jit_make_area(warp->frame, variant);
    if (gathered->memory && !(runs && tier->gathers[variant]))
        ptx__gathered_add(gathered);
    if (!runs || !runs_in_step(warp, op, variant))
        ptx__step_end(warp);
    if (!runs)
        return tier->runs[number](warp, op);
    gathered->entry = enter;
    warp->frame->kept = 0;
    return function(warp, op, kept ? code->n_ops + number : number, code->ops);
}

/*
 * Makes the operations enter compiled code where it has an entry. The lock is held. The function
 * comes last: who sees it sees all entries, so that a warp behind a barrier goes on in compiled
 * code.
 */
static void install(struct ptx__code *code, const struct ptx__jit_flow *flow, unsigned variant,
                    compiled function)
{
    struct ptx__tier *tier = atomic_load_explicit(&code->tier, memory_order_relaxed);

    tier->n_slots[variant] = flow->n_slots;
    tier->gathers[variant] = ptx__jit_gathers(flow);
    for (size_t i = 0; i < code->n_ops; i++) {
        if (flow->ops[i].entry)
            __atomic_store_n(&code->ops[i].run, enter, __ATOMIC_RELEASE);
    }
    atomic_store_explicit(&tier->functions[variant], function, memory_order_release);
    if (code->is_kernel && is_full(variant))
        atomic_store_explicit(&code->steps, true, memory_order_release);
}

static struct ptx__tier *tier_of(struct ptx__code *code)
{
    struct ptx__tier *tier = atomic_load_explicit(&code->tier, memory_order_relaxed);

    if (tier)
        return tier;
    tier = calloc(1, sizeof(*tier) + code->n_ops * sizeof(tier->runs[0]));
    for (size_t i = 0; tier && i < code->n_ops; i++)
        tier->runs[i] = code->ops[i].run;
    atomic_store_explicit(&code->tier, tier, memory_order_release);
    return tier;
}

/* --- compiling --- */

/* The lock is held. */
static void use(struct job *job, struct ptx__jit_unit *unit, struct ptx__machine_code *machine)
{
    struct ptx__tier *tier = atomic_load_explicit(&job->code->tier, memory_order_relaxed);
    void *address = ptx__object_function(machine);
    compiled function;

    memcpy(&function, &address, sizeof(function));
    tier->code[job->variant] = machine;
    tier->arenas[job->variant] = unit->arena;
    unit->arena = (struct cushim__arena){0};
    install(job->code, &unit->flow, job->variant, function);
}

/* The lock is held, but not while LLVM works: then the program may be freed, with the job's code.
 */
static void compile_typed(struct job *job, bool typed)
{
    const struct ptx__tier *tier = atomic_load_explicit(&job->code->tier, memory_order_relaxed);
    struct ptx__jit_unit unit = {.flow = {.code = NULL}};
    struct ptx__machine_code *machine = NULL;

    if (ptx__jit_unit_write(&unit, job->code, tier->runs, shape_of(job->variant), typed)) {
        pthread_mutex_unlock(&lock);
        machine = ptx__jit_unit_make(&unit, job->effort == LOOK);
        pthread_mutex_lock(&lock);
    }
    if (machine && job->code)
        use(job, &unit, TAKE_PTR(machine));
    ptx__object_free(machine);
    ptx__jit_unit_finish(&unit);
}

static bool is_there(const struct job *job)
{
    return atomic_load(&atomic_load(&job->code->tier)->functions[job->variant]);
}

/* Does what the running job says. Which LLVM there is may turn out meanwhile. */
static void compile(struct job *job)
{
    const bool typed = ptx__llvm_is_typed();

    if (job->code && !is_there(job))
        compile_typed(job, typed);
    if (job->code && !is_there(job) && typed != ptx__llvm_is_typed())
        compile_typed(job, !typed);
}

static void run_first(void)
{
    running = first_job;
    first_job = running->next;
    if (!first_job)
        last_job = NULL;
    compile(running);
    free(TAKE_PTR(running));
    pthread_cond_broadcast(&changed);
}

/* LLVM's own end comes later, and must not come while it works. */
static void at_exit(void)
{
    pthread_mutex_lock(&lock);
    closed = true;
    while (running || loading)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
}

static void *work(void *user)
{
    (void) user;
    pthread_mutex_lock(&lock);
    while (!closed) {
        if (first_job && !n_forks)
            run_first();
        else
            pthread_cond_wait(&changed, &lock);
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

/* The lock is held. */
static void start(void)
{
    pthread_attr_t attributes;
    pthread_t thread;

    if (started || closed)
        return;
    atexit(at_exit);
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, (size_t) 16 << 20);
    started = !cushim__thread_create(&thread, &attributes, work, NULL);
    closed = !started;
    pthread_attr_destroy(&attributes);
}

/* --- asking for it --- */

/* The lock is held. */
static void want_variant(struct ptx__code *code, unsigned variant, enum effort effort)
{
    struct ptx__tier *tier = code->ops && !code->builtin ? tier_of(code) : NULL;
    struct job *job = tier && tier->wanted[variant] < effort ? calloc(1, sizeof(*job)) : NULL;

    if (!job)
        return;
    *job = (struct job){.code = code, .variant = variant, .effort = effort};
    tier->wanted[variant] = effort;
    if (last_job)
        last_job->next = job;
    else
        first_job = job;
    last_job = job;
    start();
    pthread_cond_broadcast(&changed);
}

/* The kernel, and the functions that it may call. The lock is held. */
static void want(const struct ptx__code *kernel, unsigned variant, enum effort effort)
{
    struct ptx__program *program = kernel->program;

    for (size_t i = 0; i < program->n_codes; i++) {
        if (&program->codes[i] == kernel || !program->codes[i].is_kernel)
            want_variant(&program->codes[i], variant, effort);
    }
}

/* A warp would use it now. Most kernels need only one of the two functions for a shape of block. */
static void want_function(const struct ptx__code *code, unsigned variant)
{
    pthread_mutex_lock(&lock);
    want_variant((struct ptx__code *) (uintptr_t) code, variant, effort_of(code));
    pthread_mutex_unlock(&lock);
}

void ptx__jit_begin_launch(const struct ptx__launch *launch)
{
    const unsigned row = ptx__row_of_block(launch->block);

    if (ptx__jit_mode() != PTX__JIT_ALWAYS) {
        ptx__jit_tell_mode();
        return;
    }
    pthread_mutex_lock(&lock);
    want(launch->code, variant_of(row, true), COMPILE);
    want(launch->code, variant_of(row, false), COMPILE);
    while ((first_job || running) && !closed)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
}

/* Jumps backwards are budgets and what is used of them; each is taken for half of the code. */
static uint64_t work_of(const struct ptx__block *block)
{
    const uint64_t n_ops = block->grid->code->n_ops;
    uint64_t jumps = 0;

    for (unsigned i = 0; i < block->n_warps; i++)
        jumps += block->warps[i].jumps + (uint64_t) (PTX__BUDGET - block->warps[i].budget);
    return (block->n_warps + jumps / 2) * n_ops;
}

/* What the work that has just been done is enough for, and was not before. */
static enum effort effort_for(uint64_t before, uint64_t now, uint64_t enough)
{
    if (before < enough && now >= enough)
        return COMPILE;
    return before < ENOUGH_TO_LOOK && now >= ENOUGH_TO_LOOK && cushim__cache_path(NULL) ? LOOK
                                                                                        : NOTHING;
}

void ptx__jit_count(const struct ptx__block *block)
{
    struct ptx__code *code = (struct ptx__code *) (uintptr_t) block->grid->code;
    const uint64_t enough = enough_work(code);
    uint64_t before = atomic_load_explicit(&code->work, memory_order_relaxed), now;
    enum effort effort;

    if (before >= enough)
        return;
    now = work_of(block);
    before = atomic_fetch_add_explicit(&code->work, now, memory_order_relaxed);
    effort = effort_for(before, before + now, enough);
    if (effort == NOTHING || ptx__jit_mode() == PTX__JIT_OFF)
        return;
    pthread_mutex_lock(&lock);
    want(code, variant_of(block->grid->row, block->grid->n_threads >= PTX__LANES), effort);
    pthread_mutex_unlock(&lock);
}

const char *ptx__jit_text(void)
{
    const char *text;

    pthread_mutex_lock(&lock);
    while (loading || n_forks)
        pthread_cond_wait(&changed, &lock);
    loading = true;
    pthread_mutex_unlock(&lock);
    text = ptx__jit_mode_text();
    pthread_mutex_lock(&lock);
    loading = false;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    return text;
}

/* --- forgetting it --- */

static void forget_code(struct ptx__code *code)
{
    struct ptx__tier *tier = atomic_load_explicit(&code->tier, memory_order_relaxed);

    if (!tier)
        return;
    if (running && running->code == code)
        running->code = NULL;
    for (struct job *job = first_job; job; job = job->next) {
        if (job->code == code)
            job->code = NULL;
    }
    for (unsigned i = 0; i < VARIANTS; i++) {
        ptx__object_free(tier->code[i]);
        cushim__arena_finish(&tier->arenas[i]);
    }
    free(tier);
}

void ptx__jit_forget(struct ptx__program *program)
{
    pthread_mutex_lock(&lock);
    for (size_t i = 0; program->codes && i < program->n_codes; i++)
        forget_code(&program->codes[i]);
    pthread_mutex_unlock(&lock);
}

/* --- fork --- */

/*
 * LLVM must be at rest: it cannot go on in the child, and has an end there, too. A fork waits for
 * what LLVM is doing, but not for all that is wanted. The lock is not held meanwhile, because the
 * fork takes others then, under which threads take this one.
 */
static void before_fork(void)
{
    pthread_mutex_lock(&lock);
    n_forks++;
    while (running || loading)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
}

static void in_parent(void)
{
    pthread_mutex_lock(&lock);
    n_forks--;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

/*
 * The thread is not in the child; one is made there when more is wanted. What was wanted is
 * forgotten: another thread may have been changing the list.
 */
static void in_child(void)
{
    pthread_mutex_init(&lock, NULL);
    pthread_cond_init(&changed, NULL);
    first_job = last_job = running = NULL;
    started = loading = false;
    n_forks = 0;
}

__attribute__((constructor)) static void at_fork(void)
{
    pthread_atfork(before_fork, in_parent, in_child);
}
