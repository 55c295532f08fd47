/* SPDX-License-Identifier: MIT */
#include "mock/launch/children.h"

#include <stdlib.h>
#include <string.h>

#include "mock/allocation/memory.h"
#include "mock/base/state.h"
#include "mock/module/occupancy.h"
#include "mock/module/program.h"
#include "mock/ptx/exec/builtin.h"
#include "mock/ptx/machine/heap.h"
#include "mock/ptx/syntax/ast.h"

/* Results of the device's runtime. */
enum {
    INVALID_VALUE = 1,
    INVALID_CONFIGURATION = 9,
    INVALID_FUNCTION = 98,
    OUT_OF_RESOURCES = 701,
};

/* Streams that are always there: up to the last. */
enum { TAIL_LAUNCH = 3, FIRE_AND_FORGET = 4 };

/* What a kernel asks of handles, and what a handle is. */
enum { MAKE_STREAM = 0, MAKE_EVENT = 1, IS_STREAM = 2, IS_EVENT = 3, DESTROY = 4 };
enum { NONE = 0, STREAM = 1, EVENT = 2 };
enum { FIRST_HANDLE = 0x10000, HANDLE_STEP = 16 };

/* What it asks of the device. */
enum {
    ASK_DEVICE = 0,
    ASK_DEVICES = 1,
    ASK_ATTRIBUTE = 2,
    ASK_LIMIT = 3,
    ASK_OCCUPANCY = 4,  /* of the kernel at an address; more: threads, and above them bytes */
    ASK_FUNCTION = 0x10 /* plus the number of an attribute, of the kernel at an address */
};

#define KNOWN ((uint64_t) 1 << 32) /* beside a value of 32 bits: there is one */

enum { ROOM_BYTES = 16 << 20 };

/* --- rooms --- */

bool mock__children_prepare(const struct mock__module *module)
{
    struct mock__program *program = module->program;

    if (program->launch_heap || program->no_launches)
        return true;
    program->no_launches = !ptx__uses_children(program->code);
    if (program->no_launches)
        return true;
    if (!program->launch_memory &&
        mock__memory_alloc(module->context, ROOM_BYTES, &program->launch_memory) != CUDA_SUCCESS)
        return false;
    program->launch_memory->in_module = true;
    program->launch_memory->made.function = "the launch of a kernel by a kernel";
    program->launch_heap = ptx__heap_new(program->launch_memory->address, ROOM_BYTES);
    return program->launch_heap;
}

/* The kernel of a number among the functions of the module, or NULL. */
static const struct mock__function *function_of(const struct mock__module *module, size_t number)
{
    for (size_t i = 0; i < module->ptx.n_entries; i++)
        if (module->ptx.entries[i].function == number)
            return module->functions[i];
    return NULL;
}

static bool within(const struct mock__device *device, const unsigned size[3], int first_attribute)
{
    for (int i = 0; i < 3; i++)
        if (!size[i] || size[i] > (unsigned) mock__attribute(
                                      device, (CUdevice_attribute) (first_attribute + i)))
            return false;
    return true;
}

/* Tells whether a grid can be divided into the clusters that a kernel was compiled for. */
static bool fits_clusters(const struct mock__entry *entry, const unsigned grid[3])
{
    for (unsigned i = 0; i < 3; i++)
        if (entry->cluster[i] && grid[i] % entry->cluster[i])
            return false;
    return !entry->must_cluster || entry->cluster[0];
}

/* To a device, what the kernel has itself is no part of the limit of shared memory. */
static bool can_run(const struct mock__function *function, const struct mock__child *wanted)
{
    const struct mock__entry *entry = function->entry;
    const struct mock__device *device = function->module->context->device;
    const uint64_t threads = (uint64_t) wanted->block[0] * wanted->block[1] * wanted->block[2];

    return within(device, wanted->grid, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X) &&
           within(device, wanted->block, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X) &&
           threads <= (uint64_t) function->attributes[CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK] &&
           wanted->shared_bytes <=
               (uint64_t) function->attributes[CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES] +
                   entry->shared_bytes &&
           fits_clusters(entry, wanted->grid);
}

static struct mock__child *make_child(struct mock__program *program,
                                      const struct mock__entry *entry,
                                      const struct ptx__child *wanted)
{
    struct mock__child *child = calloc(1, sizeof(*child));

    if (!child)
        return NULL;
    child->room = ptx__heap_take(program->launch_heap, entry->parameter_bytes);
    if (!child->room) {
        free(child);
        return NULL;
    }
    child->entry = entry;
    memcpy(child->grid, wanted->grid, sizeof(child->grid));
    memcpy(child->block, wanted->block, sizeof(child->block));
    child->shared_bytes = wanted->shared_bytes;
    return child;
}

uint64_t mock__children_room(struct mock__children *children, const struct ptx__child *wanted,
                             unsigned *ret_error)
{
    const struct mock__module *module = children->module;
    const struct ptx__code *code = wanted->code;
    const struct mock__function *function =
        code ? function_of(module, (size_t) (code - module->program->code->codes)) : NULL;
    struct mock__child *child = NULL;

    if (function)
        child = make_child(module->program, function->entry, wanted);
    if (!child) {
        *ret_error = function ? OUT_OF_RESOURCES : INVALID_FUNCTION;
        return 0;
    }
    child->function = function;
    cushim__tree_add(&children->rooms, &child->node, child->room, 0);
    return child->room;
}

/* --- lists --- */

static void append(struct mock__child_list *list, struct mock__child *child)
{
    child->next = NULL;
    if (list->last)
        list->last->next = child;
    else
        list->first = child;
    list->last = child;
}

/* Puts a list before another one, and empties it. */
static void put_before(struct mock__child_list *from, struct mock__child_list *list)
{
    if (!from->first)
        return;
    from->last->next = list->first;
    if (!list->first)
        list->last = from->last;
    list->first = from->first;
    *from = (struct mock__child_list){NULL, NULL};
}

static struct mock__child *pop(struct mock__child_list *list)
{
    struct mock__child *child = list->first;

    if (child && !(list->first = child->next))
        list->last = NULL;
    return child;
}

static void forget(struct mock__children *children, struct mock__child *child)
{
    ptx__heap_give(children->module->program->launch_heap, child->room);
    free(child);
}

/* Those of the family come first, then those for its end, then what is behind the family. */
struct mock__child *mock__children_next(struct mock__children *children,
                                        struct mock__child **family)
{
    struct mock__child *next;

    put_before(&children->launched, &(*family)->launched);
    put_before(&children->tail, &(*family)->tail);
    while (!(next = pop(&(*family)->launched)) && !(next = pop(&(*family)->tail))) {
        struct mock__child *done = *family;

        if (!done->outer)
            return NULL;
        *family = done->outer;
        forget(children, done);
    }
    next->outer = *family;
    *family = next;
    return next;
}

/* Returns the child that a node is of, and NULL for NULL. It is none of those that wait for a
 * launch. */
static struct mock__child *take_room(struct mock__children *children,
                                     struct cushim__tree_node *node)
{
    if (node)
        cushim__tree_remove(&children->rooms, node);
    return CUSHIM__TREE_MEMBER(node, struct mock__child, node);
}

static void forget_all(struct mock__children *children, struct mock__child_list *list)
{
    struct mock__child *child;

    while ((child = pop(list)))
        forget(children, child);
}

void mock__children_finish(struct mock__children *children, struct mock__child *family)
{
    struct mock__child *child;

    while (family) {
        struct mock__child *done = family;

        forget_all(children, &done->launched);
        forget_all(children, &done->tail);
        family = done->outer;
        if (family)
            forget(children, done);
    }
    while ((child = take_room(children, cushim__tree_first(&children->rooms))))
        forget(children, child);
    forget_all(children, &children->launched);
    forget_all(children, &children->tail);
    free(children->handles);
}

/* --- launches --- */

static unsigned kind_of(const struct mock__children *children, uint64_t handle)
{
    const uint64_t number = (handle - FIRST_HANDLE) / HANDLE_STEP;

    return handle >= FIRST_HANDLE && handle % HANDLE_STEP == 0 && number < children->n_handles
               ? children->handles[number]
               : NONE;
}

static bool is_stream(const struct mock__children *children, uint64_t stream)
{
    return stream <= FIRE_AND_FORGET || kind_of(children, stream) == STREAM;
}

unsigned mock__children_launch(struct mock__children *children, uint64_t room, uint64_t stream)
{
    struct mock__child *child = take_room(children, cushim__tree_find(&children->rooms, room, 0));
    const unsigned error = !child || !is_stream(children, stream) ? INVALID_VALUE
                           : !can_run(child->function, child)     ? INVALID_CONFIGURATION
                                                                  : 0;

    if (error) {
        if (child)
            forget(children, child);
        return error;
    }
    child->parent = children->name;
    child->generation = children->generation + 1;
    append(stream == TAIL_LAUNCH ? &children->tail : &children->launched, child);
    return 0;
}

/* --- streams and events, and what the device is --- */

static uint64_t make(struct mock__children *children, unsigned char kind)
{
    unsigned char *larger = realloc(children->handles, children->n_handles + 1);

    if (!larger)
        return 0;
    children->handles = larger;
    larger[children->n_handles] = kind;
    return FIRST_HANDLE + HANDLE_STEP * (uint64_t) children->n_handles++;
}

uint64_t mock__children_handle(struct mock__children *children, unsigned what, uint64_t handle)
{
    switch (what) {
    case MAKE_STREAM:
    case MAKE_EVENT:
        return make(children, what == MAKE_STREAM ? STREAM : EVENT);
    case IS_STREAM:
        return is_stream(children, handle);
    case IS_EVENT:
        return kind_of(children, handle) == EVENT;
    case DESTROY:
        return kind_of(children, handle) != NONE; /* and can be used all the same, as on a device */
    default:
        return 0;
    }
}

static uint64_t ask_function(const struct mock__module *module, unsigned what, uint64_t address,
                             uint64_t more)
{
    const struct mock__function *function =
        address % PTX_CODE_STEP ? NULL : function_of(module, (address - PTX_CODE) / PTX_CODE_STEP);
    const unsigned number = what - ASK_FUNCTION;

    if (!function)
        return 0;
    if (what == ASK_OCCUPANCY)
        return KNOWN | (uint32_t) mock__occupancy(function, (uint32_t) more, more >> 32);
    return number < MOCK__N_FUNCTION_ATTRIBUTES ? KNOWN | (uint32_t) function->attributes[number]
                                                : 0;
}

uint64_t mock__children_ask(const struct mock__children *children, unsigned what, uint64_t number,
                            uint64_t more)
{
    const struct mock__context *context = children->module->context;

    switch (what) {
    case ASK_DEVICE:
        return (uint64_t) context->device->ordinal;
    case ASK_DEVICES:
        return (uint64_t) mock__device_count();
    case ASK_ATTRIBUTE:
        return number && number < MOCK__N_ATTRIBUTES
                   ? KNOWN |
                         (uint32_t) mock__attribute(context->device, (CUdevice_attribute) number)
                   : 0;
    case ASK_LIMIT:
        return number < MOCK__N_LIMITS ? context->limits[number] : 0;
    default:
        return ask_function(children->module, what, number, more);
    }
}
