/* SPDX-License-Identifier: MIT */
#include "core/code/module_registry.h"

#include <stdlib.h>
#include <string.h>

#include "base/fork.h"

struct entry {
    struct entry *next;
    struct cushim__module *module;
    char name[];
};

/* One list for all contexts, because programs register few modules. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct entry *entries;

CUSHIM__OPEN_IN_CHILD(mutex);

/*
 * Returns the link to the entry with this name, or with any name if name is NULL. Under the mutex.
 */
static struct entry **find(const struct cushim__context *context, const char *name)
{
    struct entry **entry = &entries;

    while (*entry &&
           ((*entry)->module->object.context != context || (name && strcmp((*entry)->name, name))))
        entry = &(*entry)->next;
    return entry;
}

/* The module is released without the mutex, because this may unload it. */
static bool take_out(struct cushim__context *context, const char *name)
{
    struct entry **place, *entry;

    pthread_mutex_lock(&mutex);
    place = find(context, name);
    entry = *place;
    if (entry)
        *place = entry->next;
    pthread_mutex_unlock(&mutex);
    if (!entry)
        return false;
    cushim__module_unuse(entry->module);
    free(entry);
    return true;
}

/* Called when a context loses its last handle: no caller can look up its modules any more. */
static void forget_modules(struct cushim__context *context)
{
    while (take_out(context, NULL))
        ;
}

cushim_status cushim__registry_add(struct cushim__module *module, const char *name,
                                   const char *call)
{
    struct entry *entry = malloc(sizeof(*entry) + strlen(name) + 1);
    struct cushim__context *context = module->object.context;
    bool taken, alive;

    if (!entry)
        return cushim__fail_at(CUSHIM_ERROR_NO_MEMORY, call, name, "no memory for a name");
    entry->module = module;
    strcpy(entry->name, name);
    /*
     * Under the context lock, which also protects context->handles: a context without handles
     * clears its registry once, so no module may be added after that.
     */
    cushim__lock(context);
    pthread_mutex_lock(&mutex);
    alive = context->handles > 0;
    taken = *find(context, name);
    if (!taken && alive) {
        cushim__module_use(module);
        context->forget_modules = forget_modules;
        entry->next = entries;
        entries = entry;
    }
    pthread_mutex_unlock(&mutex);
    cushim__unlock(context);
    if (!taken && alive)
        return CUSHIM_OK;
    free(entry);
    if (!alive)
        return cushim__fail_at(CUSHIM_ERROR_STALE_HANDLE, call, name,
                               "%s: the context of module '%s' was freed", call, name);
    return cushim__fail_at(CUSHIM_ERROR_BUSY, call, name,
                           "%s: this context has a module '%s' already", call, name);
}

struct cushim__module *cushim__registry_find(struct cushim__context *context, const char *name,
                                             const char *call)
{
    struct cushim__module *module = NULL;
    struct entry *entry;

    pthread_mutex_lock(&mutex);
    entry = *find(context, name);
    if (entry) {
        /*
         * The use is counted under the mutex: otherwise another thread could remove the entry and
         * unload the module first.
         */
        module = entry->module;
        cushim__module_use(module);
    }
    pthread_mutex_unlock(&mutex);
    if (!module)
        cushim__fail_at(CUDA_ERROR_NOT_FOUND, call, name,
                        "%s: no module is registered as '%s' in this context", call, name);
    return module;
}

cushim_status cushim__registry_remove(struct cushim__context *context, const char *name,
                                      const char *call)
{
    if (take_out(context, name))
        return CUSHIM_OK;
    return cushim__fail_at(CUDA_ERROR_NOT_FOUND, call, name,
                           "%s: no module is registered as '%s' in this context", call, name);
}
