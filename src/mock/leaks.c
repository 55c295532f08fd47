/* SPDX-License-Identifier: MIT */
/* What the program made and did not give back. */
#include "mock/event.h"
#include "mock/finding.h"
#include "mock/memory.h"
#include "mock/module.h"
#include "mock/state.h"
#include "mock/stream.h"

static void find_memory(void)
{
    const struct mock__memory *memory;

    for (size_t i = 0; (memory = mock__memory_number(i)); i++)
        if (!memory->in_module && !memory->being_freed)
            mock__finding(CUSHIM_MOCK_LEAK, "allocation %llu, %zu bytes at 0x%llx, made by %s",
                          (unsigned long long) memory->id, memory->bytes,
                          (unsigned long long) memory->address, memory->made_by);
}

static void find_streams(void)
{
    const struct mock__stream *stream;

    for (size_t cursor = 0; (stream = mock__object_next(MOCK__STREAM, &cursor));)
        if (stream != stream->context->legacy && stream != stream->context->per_thread)
            mock__finding(CUSHIM_MOCK_LEAK, "stream %llu, made by cuStreamCreate",
                          (unsigned long long) stream->id);
}

static void find_others(void)
{
    const struct mock__module *module;
    const struct mock__object *object;

    for (size_t cursor = 0; (object = mock__object_next(MOCK__EVENT, &cursor));)
        mock__finding(CUSHIM_MOCK_LEAK, "event 0x%llx, made by cuEventCreate",
                      (unsigned long long) object->handle);
    for (size_t cursor = 0; (object = mock__object_next(MOCK__LIBRARY, &cursor));)
        mock__finding(CUSHIM_MOCK_LEAK, "library 0x%llx, made by cuLibraryLoad",
                      (unsigned long long) object->handle);
    for (size_t cursor = 0; (module = mock__object_next(MOCK__MODULE, &cursor));)
        if (!module->library)
            mock__finding(CUSHIM_MOCK_LEAK, "module 0x%llx, made by cuModuleLoad",
                          (unsigned long long) module->object.handle);
}

static void find_contexts(void)
{
    const struct mock__context *context;

    for (size_t cursor = 0; (context = mock__object_next(MOCK__CONTEXT, &cursor));)
        if (context->alive && !context->primary)
            mock__finding(CUSHIM_MOCK_LEAK, "context 0x%llx, made by cuCtxCreate",
                          (unsigned long long) context->object.handle);
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
    find_streams();
    find_others();
    find_contexts();
}
