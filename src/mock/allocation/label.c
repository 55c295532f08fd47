/* SPDX-License-Identifier: MIT */
/*
 * Texts that stand for objects in findings: a number, the program's label, and the function that
 * made the object.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "base/util.h"
#include "mock/allocation/label.h"
#include "mock/allocation/memory.h"
#include "mock/base/finding.h"
#include "mock/base/state.h"
#include "mock/queue/work.h"
#include "mock/stream/stream.h"

/* --- texts --- */

static const char *ordinal(uint64_t n)
{
    static const char *const endings[] = {"th", "st", "nd", "rd"};

    return n % 10 <= 3 && n / 10 % 10 != 1 ? endings[n % 10] : endings[0];
}

/* Returns such as "made by cuMemAlloc, the program's 2nd". */
static struct mock__text origin_of(const struct mock__made *made)
{
    struct mock__text text;
    char nth[48] = "";

    if (made->nth)
        snprintf(nth, sizeof(nth), ", the program's %llu%s", (unsigned long long) made->nth,
                 ordinal(made->nth));
    snprintf(text.text, sizeof(text.text), "made by %.60s%s",
             made->function ? made->function : "the driver", nth);
    return text;
}

struct mock__text mock__text_of_freed(const struct mock__freed *freed)
{
    struct mock__text text;

    snprintf(text.text, sizeof(text.text), "allocation %llu%s%.32s%s (%zu bytes, %.110s)",
             (unsigned long long) freed->id, freed->label ? " '" : "",
             freed->label ? freed->label : "", freed->label ? "'" : "", freed->bytes,
             origin_of(&freed->made).text);
    return text;
}

struct mock__text mock__text_of_memory(const struct mock__memory *memory)
{
    return mock__text_of_freed(&(struct mock__freed){memory->address, memory->id, memory->bytes,
                                                     memory->made, memory->label});
}

struct mock__text mock__text_of_object(const char *kind, const struct mock__object *object)
{
    const char *label = object->label ? object->label : "";
    struct mock__text text;

    snprintf(text.text, sizeof(text.text), "%.30s 0x%llx%s%.32s%s, %.110s", kind,
             (unsigned long long) object->handle, *label ? " '" : "", label, *label ? "'" : "",
             origin_of(&object->made).text);
    return text;
}

static void name_stream(const struct mock__queue *queue, struct mock__work_name *ret_name)
{
    ret_name->stream_id = queue->stream_id;
    ret_name->of_graph = queue->of_graph;
    ret_name->legacy = queue->legacy;
    memcpy(ret_name->stream_label, queue->stream_label, sizeof(ret_name->stream_label));
}

void mock__name_work(const struct mock__work *work, struct mock__work_name *ret_name)
{
    const size_t length = work->label ? strnlen(work->label, sizeof(ret_name->label) - 1) : 0;

    ret_name->type = work->type->name;
    if (length)
        memcpy(ret_name->label, work->label, length);
    ret_name->label[length] = '\0';
    name_stream(work->queue, ret_name);
}

static struct mock__text text_of_stream(const struct mock__work_name *name)
{
    const char *label = name->stream_label;
    struct mock__text text;

    if (name->legacy)
        return (struct mock__text){"the legacy stream"};
    snprintf(text.text, sizeof(text.text), "%s %llu%s%s%s", name->of_graph ? "graph" : "stream",
             (unsigned long long) name->stream_id, *label ? " '" : "", label, *label ? "'" : "");
    return text;
}

struct mock__text mock__text_of_stream(const struct mock__queue *queue)
{
    struct mock__work_name name;

    name_stream(queue, &name);
    return text_of_stream(&name);
}

struct mock__text mock__text_of_name(const struct mock__work_name *name)
{
    const char *label = name->label;
    struct mock__text text;

    snprintf(text.text, sizeof(text.text), "%s%s%s%s in %.90s", name->type, *label ? " '" : "",
             label, *label ? "'" : "", text_of_stream(name).text);
    return text;
}

struct mock__text mock__text_of_work(const struct mock__work *work)
{
    struct mock__work_name name;

    mock__name_work(work, &name);
    return mock__text_of_name(&name);
}

/* --- functions of cushim/mock.h --- */

/*
 * Returns where the label of a handle or an address is stored, or NULL if there is no such thing.
 */
static char **place_of(uint64_t handle)
{
    struct mock__object *object = mock__object_any(handle);
    struct mock__memory *memory = object ? NULL : mock__memory_find(handle);

    if (object)
        return &object->label;
    return memory ? &memory->label : NULL;
}

/* Copies the label to the queue, because work may outlive its stream. */
static void tell_queue(uint64_t handle, const char *label)
{
    struct mock__stream *stream = mock__object_find(MOCK__STREAM, (void *) (uintptr_t) handle);

    if (stream)
        snprintf(stream->queue->stream_label, sizeof(stream->queue->stream_label), "%s",
                 label ? label : "");
}

static cushim_status refuse(uint64_t handle, bool known)
{
    if (known)
        return cushim__fail_at(CUSHIM_ERROR_NO_MEMORY, "cushim_mock_label", NULL,
                               "cushim_mock_label: the host is out of memory");
    return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, "cushim_mock_label", NULL,
                           "cushim_mock_label: 0x%llx is neither an object of the driver nor an "
                           "address in an allocation",
                           (unsigned long long) handle);
}

static cushim_status set_label(uint64_t handle, const char *label)
{
    char **place = place_of(handle), *copy = label ? strdup(label) : NULL;

    if (!place || (label && !copy)) {
        free(copy);
        return refuse(handle, place);
    }
    free(*place);
    *place = copy;
    tell_queue(handle, label);
    return CUSHIM_OK;
}

cushim_status cushim_mock_label(uint64_t handle_or_address, const char *label)
{
    cushim_status status;

    mock__control_lock();
    status = set_label(handle_or_address, label);
    mock__control_unlock();
    return status;
}
