/* SPDX-License-Identifier: MIT */
/* What is known of recorded works, and what they keep. */
#include "core/order/recording_works.h"

#include <cushim/launch.h>

#include <stdlib.h>
#include <string.h>

#include "core/object/host_call.h"

static struct cushim__recorded *last_work(const struct cushim__recording *recording)
{
    return &recording->works[cushim__recording_last(recording)];
}

/* --- what it keeps --- */

void cushim__recording_call(struct cushim__recording *recording,
                            struct cushim__host_call *host_call)
{
    last_work(recording)->host_call = host_call;
}

void cushim__recording_keep(struct cushim__recording *recording, struct cushim__object *object)
{
    struct cushim__object **kept = last_work(recording)->kept;

    cushim__object_ref(object);
    if (*kept)
        kept++;
    *kept = object;
}

bool cushim__recording_has_calls(const struct cushim__recording *recording)
{
    for (size_t i = 0; i < recording->n_works; i++)
        if (recording->works[i].host_call)
            return true;
    return false;
}

void cushim__recording_leave_calls(struct cushim__recording *recording)
{
    for (size_t i = 0; i < recording->n_works; i++)
        recording->works[i].host_call = NULL;
}

static void free_work(struct cushim__recorded *work)
{
    if (work->host_call)
        cushim__host_call_drop(work->host_call);
    if (work->let_go)
        work->let_go(work->kept[0]);
    for (size_t k = 0; k < ARRAY_SIZE(work->kept); k++)
        if (work->kept[k])
            cushim__object_unref(work->kept[k]);
    free(work->about.name);
    free(work->about.in_memory);
}

void cushim__recorded_works_free(struct cushim__recording *recording)
{
    for (size_t i = 0; i < recording->n_works; i++)
        free_work(&recording->works[i]);
    free(recording->works);
    free(recording->accesses);
    free(recording->nodes);
    free(recording->before.items);
}

/* --- what it is --- */

static bool copy_arguments(const struct cushim__about *about, struct cushim__recorded_about *copy)
{
    if (!about->n_arguments)
        return true;
    copy->in_memory = calloc(about->n_arguments, sizeof(*copy->in_memory));
    if (!copy->in_memory)
        return false;
    copy->n_arguments = about->n_arguments;
    for (size_t i = 0; i < about->n_arguments; i++)
        copy->in_memory[i] = about->arguments[i].intent != CUSHIM_INTENT_VALUE;
    return true;
}

static bool copy_about(const struct cushim__about *about, struct cushim__recorded_about *copy)
{
    if (!about)
        return true;
    copy->options = about->options;
    copy->several = about->several;
    copy->filled = about->filled;
    copy->name = about->name ? strdup(about->name) : NULL;
    return (copy->name || !about->name) && copy_arguments(about, copy);
}

/* Also the code that a use of a variable stands for. */
static size_t count_accesses(const struct cushim__submission *s)
{
    size_t n = s->n;

    for (size_t i = 0; i < s->n; i++)
        n += s->accesses[i].buffer->code != NULL;
    return n;
}

static void add_accesses(struct cushim__recording *recording, const struct cushim__submission *s)
{
    for (size_t i = 0; i < s->n; i++) {
        struct cushim__buffer *code = s->accesses[i].buffer->code;

        recording->accesses[recording->n_accesses++] = s->accesses[i];
        if (code)
            recording->accesses[recording->n_accesses++] =
                (struct cushim__access){code, 0, 1, true};
    }
}

bool cushim__recorded_work_describe(struct cushim__recording *recording,
                                    const struct cushim__submission *s)
{
    struct cushim__recorded *work = last_work(recording);
    const size_t n = count_accesses(s);

    if (!copy_about(s->about, &work->about) ||
        !cushim__grow(&recording->accesses, &recording->max_accesses, recording->n_accesses + n,
                      sizeof(*recording->accesses)))
        return false;
    work->first_access = recording->n_accesses;
    work->n_accesses = n;
    add_accesses(recording, s);
    for (size_t i = work->first_access; i < recording->n_accesses; i++)
        cushim__recorded_memory_note(recording, &recording->accesses[i]);
    return true;
}
