/* SPDX-License-Identifier: MIT */
/* Finds the objects and memory that the program made and did not give back. */
#include "mock/exports/leaks.h"
#include "base/util.h"
#include "mock/allocation/label.h"
#include "mock/allocation/mem_map.h"
#include "mock/allocation/mem_pool.h"
#include "mock/allocation/memory.h"
#include "mock/base/finding.h"
#include "mock/base/state.h"
#include "mock/graph/graph.h"
#include "mock/graph/user_object.h"
#include "mock/module/module.h"
#include "mock/stream/stream.h"
#include "mock/texture/texture.h"

static void find_memory(void)
{
    const struct mock__memory *memory = mock__memory_after(0);

    for (; memory; memory = mock__memory_after(memory->address))
        if (!memory->in_module && !memory->of_driver && !memory->being_freed && !memory->absent)
            mock__finding(CUSHIM_MOCK_LEAK, "%s at 0x%llx", mock__text_of_memory(memory).text,
                          (unsigned long long) memory->address);
}

static void find_mapped(void)
{
    const struct mock__physical *physical;
    const struct mock__range *range;

    for (size_t cursor = 0; (physical = mock__object_next(MOCK__PHYSICAL, &cursor));)
        if (physical->handles)
            mock__finding(CUSHIM_MOCK_LEAK, "%s, which has no address of its own",
                          mock__text_of_memory(&physical->checked).text);
    for (range = mock__map_first(); range; range = range->next)
        if (!range->hidden)
            mock__finding(CUSHIM_MOCK_LEAK,
                          "address range 0x%llx, %zu bytes, made by cuMemAddressReserve",
                          (unsigned long long) range->address, range->bytes);
}

static bool own_stream(const struct mock__object *object)
{
    return !((const struct mock__stream *) object)->is_default;
}

/* Those of libraries go with them. */
static bool own_module(const struct mock__object *object)
{
    return !((const struct mock__module *) object)->library;
}

static bool own_context(const struct mock__object *object)
{
    const struct mock__context *context = (const struct mock__context *) object;

    return context->alive && !context->primary;
}

static bool own_pool(const struct mock__object *object)
{
    const struct mock__pool *pool = (const struct mock__pool *) object;

    return !pool->is_default && !pool->destroyed;
}

/* Tells whether the program made the graph: it is not a node's, and not an instantiated one. */
static bool own_graph(const struct mock__object *object)
{
    const struct mock__graph *graph = (const struct mock__graph *) object;

    return !graph->parent && !graph->instantiated;
}

/* Graphs keep them, too. */
static bool own_user_object(const struct mock__object *object)
{
    return ((const struct mock__user_object *) object)->callers != 0;
}

/* Those that are variables go with their module. */
static bool own_reference(const struct mock__object *object)
{
    return !((const struct mock__texture_reference *) object)->module;
}

/* The kinds of objects that a program makes and gives back. */
static const struct {
    enum mock__kind kind;
    const char *name;
    bool (*own)(const struct mock__object *object); /* the program's; NULL: all are */
} kinds[] = {
    {MOCK__STREAM, "stream", own_stream},
    {MOCK__EVENT, "event", NULL},
    {MOCK__LIBRARY, "library", NULL},
    {MOCK__MODULE, "module", own_module},
    {MOCK__LINK, "linker", NULL},
    {MOCK__POOL, "memory pool", own_pool},
    {MOCK__TEXTURE, "texture", NULL},
    {MOCK__SURFACE, "surface", NULL},
    {MOCK__TEXTURE_REFERENCE, "texture reference", own_reference},
    {MOCK__GRAPH, "graph", own_graph},
    {MOCK__EXEC, "executable graph", NULL},
    {MOCK__USER_OBJECT, "user object", own_user_object},
    {MOCK__GREEN, "green context", NULL},
    {MOCK__CONTEXT, "context", own_context},
};

static void find_objects(size_t i)
{
    const struct mock__object *object;

    for (size_t cursor = 0; (object = mock__object_next(kinds[i].kind, &cursor));)
        if (!kinds[i].own || kinds[i].own(object))
            mock__finding(CUSHIM_MOCK_LEAK, "%s", mock__text_of_object(kinds[i].name, object).text);
}

static void find_primary_contexts(void)
{
    for (int i = 0; i < mock__device_count(); i++)
        if (mock__device_find(i)->primary_count)
            mock__finding(CUSHIM_MOCK_LEAK,
                          "primary context of device %d, retained %u times by "
                          "cuDevicePrimaryCtxRetain",
                          i, mock__device_find(i)->primary_count);
}

void mock__leaks_find(void)
{
    find_memory();
    find_mapped();
    for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
        find_objects(i);
    find_primary_contexts();
}
