/* SPDX-License-Identifier: MIT */
#include <cushim/launch.h>

#include "core/launch/launcher.h"

HOT cushim_status cushim_launch_arguments(cushim_stream stream, cushim_function function,
                                          const struct cushim_launch_config *config,
                                          const struct cushim_argument *arguments, size_t n)
{
    if (__builtin_expect(!config || (n && !arguments), 0))
        return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, "cushim_launch", NULL,
                               "cushim_launch: %s is NULL", config ? "arguments" : "config");
    return cushim__launch(stream.id, function.id, config, arguments, n, "cushim_launch");
}

cushim_status cushim_launcher_create(cushim_function handle, cushim_launcher *ret_launcher)
{
    struct cushim__function *function;
    struct cushim__scope scope;
    cushim_status status;

    CHECK_OUTPUT(ret_launcher);
    CUSHIM_TRY(
        cushim__object_enter(handle.id, CUSHIM__HANDLE_FUNCTION, __func__, &scope, &function));
    status = cushim__launcher_new(&scope, handle.id, &ret_launcher->id);
    return cushim__scope_leave(&scope, status);
}

void cushim_launcher_free(cushim_launcher *launcher)
{
    cushim__object_close(launcher ? &launcher->id : NULL, CUSHIM__HANDLE_LAUNCHER, __func__);
}

static struct cushim__launcher *pin(cushim_launcher handle, const char *call)
{
    return cushim__handle_pin(handle.id, CUSHIM__HANDLE_LAUNCHER, call);
}

cushim_status cushim_launcher_push_arguments(cushim_launcher handle,
                                             const struct cushim_argument *arguments, size_t n)
{
    static const char call[] = "cushim_launcher_push";
    struct cushim__launcher *launcher;
    cushim_status status;

    if (n && !arguments)
        return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, call, NULL, "%s: arguments is NULL",
                               call);
    launcher = pin(handle, call);
    if (!launcher)
        return cushim__error()->status;
    status = cushim__launcher_push(launcher, arguments, n, call);
    cushim__handle_unpin(handle.id);
    return status;
}

cushim_status cushim_launcher_set(cushim_launcher handle, size_t index,
                                  struct cushim_argument argument)
{
    struct cushim__launcher *launcher = pin(handle, __func__);
    cushim_status status;

    if (!launcher)
        return cushim__error()->status;
    status = cushim__launcher_set(launcher, index, &argument, __func__);
    cushim__handle_unpin(handle.id);
    return status;
}

cushim_status cushim_launcher_clear(cushim_launcher handle)
{
    struct cushim__launcher *launcher = pin(handle, __func__);

    if (!launcher)
        return cushim__error()->status;
    cushim__launcher_clear(launcher);
    cushim__handle_unpin(handle.id);
    return CUSHIM_OK;
}

cushim_status cushim_launcher_launch_config(cushim_launcher handle, cushim_stream stream,
                                            const struct cushim_launch_config *config)
{
    static const char call[] = "cushim_launcher_launch";
    struct cushim__launcher *launcher;
    struct cushim__argument_list *list;
    cushim_status status;

    if (!config)
        return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, call, NULL, "%s: config is NULL",
                               call);
    launcher = pin(handle, call);
    if (!launcher)
        return cushim__error()->status;
    list = cushim__launcher_take(launcher);
    status = cushim__launch(stream.id, launcher->function, config, list ? list->arguments : NULL,
                            list ? list->n : 0, call);
    cushim__launcher_give(launcher, list);
    cushim__handle_unpin(handle.id);
    return status;
}
