/* SPDX-License-Identifier: MIT */
#include <cushim/embedded.h>

#include <pthread.h>
#include <stdatomic.h>

#include "base/fork.h"
#include "base/params.h"
#include "core/code/module_registry.h"
#include "core/launch/launch.h"
#include "core/object/slot.h"

/*
 * Which code is being loaded. Loading takes long, so no lock is held meanwhile; a thread that needs
 * the same code in the same context waits for the end.
 */
struct loading {
    struct loading *next;
    const struct cushim__context *context;
    const char *name;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ended = PTHREAD_COND_INITIALIZER;
static struct loading *all;

/* In a child no thread loads anything that another thread of the parent was loading. */
static void in_child(void)
{
    pthread_mutex_init(&mutex, NULL);
    pthread_cond_init(&ended, NULL);
    all = NULL;
}

__attribute__((constructor)) static void at_fork(void)
{
    pthread_atfork(NULL, NULL, in_child);
}

static bool is_loading(const struct loading *mine)
{
    const struct loading *one = all;

    while (one && (one->context != mine->context || strcmp(one->name, mine->name)))
        one = one->next;
    return one;
}

static void begin(struct loading *mine)
{
    pthread_mutex_lock(&mutex);
    while (is_loading(mine))
        pthread_cond_wait(&ended, &mutex);
    mine->next = all;
    all = mine;
    pthread_mutex_unlock(&mutex);
}

static void end(const struct loading *mine)
{
    struct loading **place = &all;

    pthread_mutex_lock(&mutex);
    while (*place && *place != mine)
        place = &(*place)->next;
    if (*place)
        *place = mine->next;
    pthread_cond_broadcast(&ended);
    pthread_mutex_unlock(&mutex);
}

/* Loads code, and registers its module in the context. */
static cushim_status load(const struct cushim__scope *scope, const struct cushim_embedded *code)
{
    const struct cushim_module_params params = {.size = sizeof(params), .name = code->name};
    struct cushim__scope named = *scope;
    struct cushim__code copy;
    uint64_t module = 0;
    cushim_status status;

    CUSHIM_TRY(cushim__code_copy(code->data, code->bytes, code->name, scope->call, &copy));
    named.label = code->name;
    status = cushim__module_load(&named, &copy, NULL, &params, &module);
    cushim__code_finish(&copy);
    if (!status) /* the context keeps it by its name */
        cushim__object_close(&module, CUSHIM__HANDLE_MODULE, scope->call);
    return status;
}

/* Returns the module of code, with one more user for the caller. Loads it if it is not loaded. */
static cushim_status module_of(const struct cushim__scope *scope,
                               const struct cushim_embedded *code,
                               struct cushim__module **ret_module)
{
    struct loading mine = {.context = scope->context, .name = code->name};
    struct cushim__module *module;
    struct cushim__error before;
    cushim_status status = CUSHIM_OK;

    cushim__error_keep(&before);
    begin(&mine);
    module = cushim__registry_find(scope->context, code->name, scope->call);
    if (!module) {
        cushim__error_restore(&before); /* that it is not loaded yet is no error */
        status = load(scope, code);
        if (!status)
            module = cushim__registry_find(scope->context, code->name, scope->call);
    }
    end(&mine);
    if (status)
        return status;
    if (!module) /* another thread has unloaded it since */
        return cushim__error()->status;
    *ret_module = module;
    return CUSHIM_OK;
}

static cushim_status function_of(const struct cushim__scope *scope,
                                 const struct cushim_embedded_kernel *kernel, uint64_t *ret_id)
{
    struct cushim__module *module = NULL;
    cushim_status status;

    CUSHIM_TRY(module_of(scope, kernel->code, &module));
    status = cushim__module_function(scope, module, kernel->name, ret_id);
    cushim__module_unuse(module);
    return status;
}

static cushim_status check_code(const struct cushim_embedded *code, const char *call)
{
    struct cushim_embedded given;

    if (!code)
        return cushim__fail(CUSHIM_ERROR_INVALID_ARGUMENT, "%s: code is NULL", call);
    CUSHIM_TRY(PARAMS_READ_FOR(call, cushim_embedded, bytes, code, &given));
    if (!given.name || !given.data)
        return cushim__fail(CUSHIM_ERROR_INVALID_ARGUMENT, "%s: the code has no %s", call,
                            given.name ? "data" : "name");
    return CUSHIM_OK;
}

static cushim_status check_kernel(const struct cushim_embedded_kernel *kernel, const char *call)
{
    struct cushim_embedded_kernel given;

    if (!kernel)
        return cushim__fail(CUSHIM_ERROR_INVALID_ARGUMENT, "%s: kernel is NULL", call);
    CUSHIM_TRY(PARAMS_READ_FOR(call, cushim_embedded_kernel, cache, kernel, &given));
    if (!given.name || (given.parameters && !given.elements))
        return cushim__fail(CUSHIM_ERROR_INVALID_ARGUMENT, "%s: the kernel has no %s", call,
                            given.name ? "elements" : "name");
    return check_code(given.code, call);
}

/* The same for the fast path: false means only that check_kernel() has to look at it. */
static bool is_complete(const struct cushim_embedded_kernel *kernel)
{
    return kernel && kernel->size == sizeof(*kernel) && kernel->name &&
           (kernel->elements || !kernel->parameters) && kernel->code &&
           kernel->code->size == sizeof(*kernel->code) && kernel->code->name && kernel->code->data;
}

cushim_status cushim_embedded_load(cushim_context context, const struct cushim_embedded *code)
{
    struct cushim__module *module = NULL;
    struct cushim__scope scope;
    cushim_status status;

    CUSHIM_TRY(check_code(code, __func__));
    CUSHIM_TRY(cushim__context_enter(context.id, __func__, &scope));
    status = module_of(&scope, code, &module);
    if (!status)
        cushim__module_unuse(module);
    return cushim__scope_leave(&scope, status);
}

cushim_status cushim_embedded_unload(cushim_context context, const struct cushim_embedded *code)
{
    struct cushim__error before;
    struct cushim__scope scope;

    CUSHIM_TRY(check_code(code, __func__));
    CUSHIM_TRY(cushim__context_enter(context.id, __func__, &scope));
    cushim__error_keep(&before);
    (void) cushim__registry_remove(scope.context, code->name, __func__);
    cushim__error_restore(&before);
    return cushim__scope_leave(&scope, CUSHIM_OK);
}

cushim_status cushim_embedded_function(cushim_context context,
                                       const struct cushim_embedded_kernel *kernel,
                                       cushim_function *ret_function)
{
    struct cushim__scope scope;
    cushim_status status;

    CHECK_OUTPUT(ret_function);
    CUSHIM_TRY(check_kernel(kernel, __func__));
    CUSHIM_TRY(cushim__context_enter(context.id, __func__, &scope));
    status = function_of(&scope, kernel, &ret_function->id);
    return cushim__scope_leave(&scope, status);
}

/*
 * The cache of a kernel has the function that a stream uses, for the streams that launched it last.
 * Each place is three words: a number that is odd while the others change, the stream and the
 * function. A function that is stale by now is not taken from it; one that another thread unloads
 * meanwhile is found by the launch, which then looks for the kernel anew.
 */
enum { PLACE_WORDS = 3, PLACES = CUSHIM_EMBEDDED_CACHE / PLACE_WORDS };

static uint64_t *place_of(const struct cushim_embedded_kernel *kernel, uint64_t stream)
{
    return kernel->cache + PLACE_WORDS * (cushim__handle_index(stream) % PLACES);
}

static bool is_open(uint64_t function)
{
    struct cushim__handle_slot *slot =
        function ? cushim__slot_at(cushim__handle_index(function)) : NULL;

    return slot && atomic_load_explicit(&slot->open, memory_order_acquire) == function;
}

static uint64_t recall(const struct cushim_embedded_kernel *kernel, uint64_t stream)
{
    const uint64_t *place;
    uint64_t before, key, function;

    if (!kernel->cache)
        return 0;
    place = place_of(kernel, stream);
    before = __atomic_load_n(&place[0], __ATOMIC_ACQUIRE);
    key = __atomic_load_n(&place[1], __ATOMIC_ACQUIRE);
    function = __atomic_load_n(&place[2], __ATOMIC_ACQUIRE);
    if (before & 1 || key != stream || __atomic_load_n(&place[0], __ATOMIC_RELAXED) != before)
        return 0;
    return is_open(function) ? function : 0;
}

static void remember(const struct cushim_embedded_kernel *kernel, uint64_t stream,
                     uint64_t function)
{
    uint64_t *place, before;

    if (!kernel->cache)
        return;
    place = place_of(kernel, stream);
    before = __atomic_load_n(&place[0], __ATOMIC_RELAXED);
    /* If another thread is writing, its function may stay. */
    if (before & 1 || !__atomic_compare_exchange_n(&place[0], &before, before + 1, false,
                                                   __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
        return;
    __atomic_store_n(&place[1], stream, __ATOMIC_RELEASE);
    __atomic_store_n(&place[2], function, __ATOMIC_RELEASE);
    __atomic_store_n(&place[0], before + 2, __ATOMIC_RELEASE);
}

/* Tells whether memory may be an argument for a pointer to such elements. Both are sizes with types
 * (CUSHIM_ELEMENT()). */
static bool goes_with(size_t memory, size_t wanted)
{
    const size_t bytes = memory & SIZE_MAX >> 8, type = memory >> 56;

    if (bytes <= 1 || !wanted)
        return true;
    return bytes == (wanted & SIZE_MAX >> 8) && (!type || !(wanted >> 56) || type == wanted >> 56);
}

static cushim_status fail_elements(const struct cushim_embedded_kernel *kernel,
                                   const struct cushim_argument *argument, size_t index,
                                   size_t memory)
{
    static const char *const types[] = {"", ", integers", ", floating-point numbers"};
    const size_t wanted = kernel->elements[index];

    return cushim__fail_at(
        CUSHIM_ERROR_INVALID_ARGUMENT, "cushim_launch", kernel->name,
        "%s: argument %zu (%s) has elements of %zu bytes%s, the kernel's have %zu bytes%s: "
        "CUSHIM_VIEW_AS() views memory as other elements",
        kernel->name, index, argument->name ? argument->name : "", memory & SIZE_MAX >> 8,
        types[(memory >> 56) % 3], wanted & SIZE_MAX >> 8, types[(wanted >> 56) % 3]);
}

/* Returns the elements of an argument's memory, or 0 if they are not known. */
static size_t elements_of(const cushim_view *view)
{
    struct cushim__handle_slot *slot;
    size_t element = 0, length;

    if (view->element)
        return view->element | (size_t) view->type << 56;
    slot = view->object ? cushim__slot_at(cushim__handle_index(view->object)) : NULL;
    return slot && cushim__slot_elements(slot, view->object, &element, &length) ? element : 0;
}

static cushim_status check_elements(const struct cushim_embedded_kernel *kernel,
                                    const struct cushim_argument *arguments, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        size_t memory;

        if (!kernel->elements[i] || arguments[i].intent == CUSHIM_INTENT_VALUE)
            continue;
        memory = elements_of(&arguments[i].view);
        if (__builtin_expect(!goes_with(memory, kernel->elements[i]), 0))
            return fail_elements(kernel, &arguments[i], i, memory);
    }
    return CUSHIM_OK;
}

static cushim_status look_up(cushim_stream handle, const struct cushim_embedded_kernel *kernel,
                             uint64_t *ret_id)
{
    struct cushim__stream *stream;
    struct cushim__scope scope;
    cushim_status status;

    CUSHIM_TRY(cushim__stream_enter(handle.id, "cushim_launch", &scope, &stream));
    status = function_of(&scope, kernel, ret_id);
    return cushim__scope_leave(&scope, status);
}

cushim_status cushim_embedded_launch(cushim_stream stream,
                                     const struct cushim_embedded_kernel *kernel,
                                     const struct cushim_launch_config *config,
                                     const struct cushim_argument *arguments, size_t n)
{
    static const char call[] = "cushim_launch";
    cushim_status status = CUSHIM_ERROR_STALE_HANDLE;
    uint64_t function, found = 0;

    if (__builtin_expect(!is_complete(kernel), 0))
        CUSHIM_TRY(check_kernel(kernel, call));
    if (__builtin_expect(!config || (n && !arguments), 0))
        return cushim__fail(CUSHIM_ERROR_INVALID_ARGUMENT, "%s: %s is NULL", call,
                            config ? "arguments" : "config");
    if (__builtin_expect(n != kernel->parameters, 0))
        return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, call, kernel->name,
                               "%s: %s has %zu parameters, and got %zu arguments", call,
                               kernel->name, kernel->parameters, n);
    CUSHIM_TRY(check_elements(kernel, arguments, n));
    function = recall(kernel, stream.id);
    if (function)
        status = cushim__launch(stream.id, function, config, arguments, n, call);
    /* The function, or something else of the launch. */
    if (status != CUSHIM_ERROR_STALE_HANDLE)
        return status;
    CUSHIM_TRY(look_up(stream, kernel, &found));
    if (found == function)
        return cushim__launch(stream.id, found, config, arguments, n, call);
    remember(kernel, stream.id, found);
    return cushim__launch(stream.id, found, config, arguments, n, call);
}
