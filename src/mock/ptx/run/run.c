/* SPDX-License-Identifier: MIT */
/* Running a launch: its clusters are distributed over workers, each of which has a thread. */
#include "mock/ptx/run/run.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mock/ptx/jit/tier.h"
#include "mock/ptx/machine/zeros.h"
#include "mock/ptx/racecheck/racecheck.h"
#include "mock/ptx/racecheck/shadow_record.h"
#include "mock/ptx/run/workers.h"
#include "mock/ptx/texture/texture.h"
#include "mock/ptx/warps/cluster.h"
#include "mock/ptx/warps/grid.h"

/*
 * The number of blocks that a worker begins while others yield, unless the launch is cooperative
 * and all its blocks must run together. It begins a part more each time when all of these have
 * yielded and none has ended, as they may wait for one that has not begun: up to the blocks of a
 * full device, on which they would run side by side. Beside other workers it begins with few, and
 * a smaller part more, as they rather wait for a block of these, and then all of them are in its
 * way.
 */
enum { SOME_BLOCKS = 64, FEW_BLOCKS = 4, BLOCKS_OF_MULTIPROCESSOR = 32 };
enum { PART_ALONE = 4, PART_BESIDE_OTHERS = 16 };

/* A launch with fewer threads than this is not worth a second worker. */
enum { SMALL_LAUNCH = 4096 };

struct queue {
    struct ptx__block *first, *last;
    unsigned n;
    unsigned turns;  /* since a block has begun or ended */
    unsigned wanted; /* more blocks, for which these may wait */
};

static void push(struct queue *queue, struct ptx__block *block)
{
    block->next = NULL;
    if (queue->first)
        queue->last->next = block;
    else
        queue->first = block;
    queue->last = block;
    queue->n++;
}

static struct ptx__block *pop(struct queue *queue)
{
    struct ptx__block *block = queue->first;

    if (block) {
        queue->first = block->next;
        queue->n--;
    }
    return block;
}

static void cluster_free(struct ptx__cluster *cluster)
{
    for (unsigned i = 0; cluster->blocks && i < cluster->n_blocks; i++) {
        if (cluster->blocks[i])
            ptx__block_free(cluster->blocks[i]);
    }
    free(cluster->blocks);
    free(cluster);
}

static struct ptx__cluster *cluster_new(struct ptx__worker *worker)
{
    struct ptx__cluster *cluster = calloc(1, sizeof(*cluster));

    if (!cluster)
        return NULL;
    cluster->n_blocks = worker->grid->cluster_blocks;
    cluster->blocks = calloc(cluster->n_blocks, sizeof(struct ptx__block *));
    for (unsigned i = 0; cluster->blocks && i < cluster->n_blocks; i++) {
        cluster->blocks[i] = ptx__block_new(worker);
        if (!cluster->blocks[i])
            break;
        cluster->blocks[i]->cluster = cluster;
        cluster->blocks[i]->rank = i;
    }
    if (cluster->blocks && cluster->blocks[cluster->n_blocks - 1])
        return cluster;
    cluster_free(cluster);
    return NULL;
}

/* Appends the blocks of the next cluster to the queue. False if there is no cluster left. */
static bool begin_cluster(struct ptx__worker *worker, struct queue *queue)
{
    struct ptx__grid *grid = worker->grid;
    struct ptx__cluster *cluster = worker->free_clusters;
    uint64_t number;

    if (!ptx__cluster_next(worker, &number))
        return false;
    if (cluster)
        worker->free_clusters = cluster->next;
    else
        cluster = cluster_new(worker);
    if (!cluster) {
        ptx__grid_stop(grid, PTX__ERROR_OUT_OF_MEMORY);
        return false;
    }
    cluster->n_running = cluster->n_blocks;
    ptx__cluster_start(cluster, number);
    for (unsigned i = 0; i < cluster->n_blocks; i++)
        push(queue, cluster->blocks[i]);
    queue->turns = 0;
    return true;
}

/*
 * Returns a cluster for another use when its last block has ended: until then the other blocks may
 * use the shared memory of this one.
 */
static void give_back(struct ptx__worker *worker, const struct ptx__block *block)
{
    struct ptx__cluster *cluster = block->cluster;

    if (--cluster->n_running)
        return;
    cluster->next = worker->free_clusters;
    worker->free_clusters = cluster;
}

/* Tells whether all blocks have yielded, and none has begun or ended meanwhile. */
static bool all_yielded(const struct queue *queue)
{
    return queue->turns >= queue->n;
}

/* How many blocks a worker begins without need. */
static unsigned some_blocks(const struct ptx__grid *grid)
{
    return grid->alone ? SOME_BLOCKS : FEW_BLOCKS;
}

/* Returns how many more are needed, as those that have begun may wait for them. */
static unsigned more_blocks(const struct ptx__grid *grid, const struct queue *queue)
{
    const unsigned most = grid->launch->n_multiprocessors * BLOCKS_OF_MULTIPROCESSOR;
    const unsigned part = queue->n / (grid->alone ? PART_ALONE : PART_BESIDE_OTHERS);
    const unsigned more = part ? part : 1;

    return queue->n + more < most ? more : most > queue->n ? most - queue->n : 0;
}

/* Tells whether another cluster is to begin. waits: the last block has yielded. */
static bool wants_more(const struct ptx__grid *grid, struct queue *queue, bool waits)
{
    if (!queue->n || !waits || grid->launch->cooperative)
        return !queue->n || waits;
    if (!queue->wanted && all_yielded(queue))
        queue->wanted = more_blocks(grid, queue);
    if (queue->n < some_blocks(grid))
        return true;
    return queue->wanted && queue->wanted--;
}

/*
 * Runs blocks until none is left. A block that yields goes to the end of the queue, because it may
 * wait for a block behind it, or for one that has not begun. One that waits at the barrier of its
 * cluster goes there, too; all blocks of the cluster are in the queue.
 */
static void run_blocks(struct ptx__worker *worker)
{
    struct ptx__grid *grid = worker->grid;
    struct queue queue = {.first = NULL};
    bool more = true, waits = false;

    while (!atomic_load_explicit(&grid->stop, memory_order_relaxed)) {
        enum ptx__block_state state;
        struct ptx__block *block;

        if (more && wants_more(grid, &queue, waits))
            more = begin_cluster(worker, &queue);
        block = pop(&queue);
        if (!block)
            break;
        worker->by_itself = more && !queue.n && grid->cluster_blocks == 1;
        state = ptx__block_run(block);
        ptx__jit_count(block);
        ptx__gathered_add_old(&worker->gathered);
        waits = state == PTX__BLOCK_YIELDED;
        queue.turns++;
        if (waits || state == PTX__BLOCK_WAITS) {
            push(&queue, block);
        } else {
            give_back(worker, block);
            queue.turns = queue.wanted = 0;
        }
        /* Once a turn: it gives others a whole slice of time. */
        if (waits && queue.turns % queue.n == 0)
            sched_yield();
    }
    while (queue.n)
        give_back(worker, pop(&queue));
}

/* Something for each operation of the program, of which a kernel may be a small part. */
static size_t per_operation(const struct ptx__grid *grid, size_t size)
{
    return (grid->launch->program->n_sites + 1) * size;
}

static bool worker_start(struct ptx__worker *worker, struct ptx__grid *grid)
{
    worker->grid = grid;
    worker->hits = ptx__zeros_new(per_operation(grid, sizeof(*worker->hits)));
    return worker->hits;
}

static void worker_finish(struct ptx__worker *worker)
{
    ptx__gathered_finish(&worker->gathered);
    while (worker->free_clusters) {
        struct ptx__cluster *cluster = worker->free_clusters;

        worker->free_clusters = cluster->next;
        cluster_free(cluster);
    }
    ptx__zeros_free(worker->hits, per_operation(worker->grid, sizeof(*worker->hits)));
    ptx__shadow_record_keep(worker);
}

static void work(void *data)
{
    struct ptx__worker worker = {.grid = data};

    if (worker_start(&worker, data))
        run_blocks(&worker);
    worker_finish(&worker);
}

static void work_along(void *data)
{
    const struct ptx__launch *launch = ((const struct ptx__grid *) data)->launch;

    if (launch->join)
        launch->join(launch->user);
    work(data);
}

/* Those that this thread may run on: a container often has a few of many. */
static unsigned count_processors(void)
{
    cpu_set_t processors;
    long n;

    if (!sched_getaffinity(0, sizeof(processors), &processors))
        return (unsigned) CPU_COUNT(&processors);
    n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (unsigned) n : 1;
}

static unsigned count_workers(const struct ptx__grid *grid)
{
    const struct ptx__launch *launch = grid->launch;
    uint64_t n;

    if (launch->seed || grid->n_blocks * grid->n_threads < SMALL_LAUNCH)
        return 1;
    n = launch->n_workers ? launch->n_workers : count_processors();
    n = n < 256 ? n : 256;
    return (unsigned) (n < grid->n_clusters ? n : grid->n_clusters);
}

/*
 * The calling thread is a worker as well, so the launch ends even if no other thread can be
 * started.
 */
static void run_workers(struct ptx__grid *grid)
{
    const unsigned n = count_workers(grid) - 1;

    grid->alone = !n;
    grid->clusters_at_once = ptx__clusters_at_once(grid->n_clusters, n + 1);
    ptx__workers_run(&(const struct ptx__work){work, work_along, grid}, n);
    if (!grid->result && atomic_load(&grid->next_cluster) < grid->n_clusters)
        grid->result = PTX__ERROR_OUT_OF_MEMORY;
}

enum ptx__result ptx__run(struct ptx__launch *launch)
{
    struct ptx__grid grid = {.launch = launch, .code = launch->code};

    grid.noted = ptx__zeros_new(per_operation(&grid, sizeof(*grid.noted)));
    if (!grid.noted)
        return PTX__ERROR_OUT_OF_MEMORY;
    pthread_mutex_init(&grid.lock, NULL);
    ptx__grid_shape(&grid);
    ptx__jit_begin_launch(launch);
    run_workers(&grid);
    pthread_mutex_destroy(&grid.lock);
    ptx__zeros_free((void *) grid.noted, per_operation(&grid, sizeof(*grid.noted)));
    ptx__images_free(&grid);
    ptx__shadow_record_free(&grid);
    return grid.result;
}
