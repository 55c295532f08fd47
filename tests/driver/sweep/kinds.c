/* SPDX-License-Identifier: MIT */
#include "kinds.h"

#include "graphs.h"
#include "objects.h"

/* What every handle is asked with: nothing, what was destroyed, memory that is no object, an object
 * of another kind. */
#define HANDLE(make, another)                                                                      \
    {"good", AS_IT_IS, make}, {"null", AS_IT_IS, make_null}, {"freed", FREED, make},               \
    {                                                                                              \
        "another_kind", AS_IT_IS, another                                                          \
    }

/* And one that lives in a context. */
#define LOCAL(make, another)                                                                       \
    HANDLE(make, another), {"other_context", IN_OTHER_CONTEXT, make},                              \
    {                                                                                              \
        "other_device", ON_OTHER_DEVICE, make                                                      \
    }

#define KIND(label, ...)                                                                           \
    const struct kind kind_##label = {                                                             \
        .name = #label, .kind_class = OBJECTS, .values = (const struct value[]){__VA_ARGS__, {0}}}

KIND(stream, LOCAL(make_stream, make_event), {"legacy", AS_IT_IS, make_one},
     {"per_thread", AS_IT_IS, make_two}, {"capturing", AS_IT_IS, make_capturing_stream});
KIND(capturing_stream, LOCAL(make_capturing_stream, make_event), {"legacy", AS_IT_IS, make_one},
     {"per_thread", AS_IT_IS, make_two}, {"not_capturing", AS_IT_IS, make_stream});
KIND(event, LOCAL(make_event, make_stream), {"untimed", AS_IT_IS, make_untimed_event},
     {"recorded", AS_IT_IS, make_recorded_event});
KIND(recorded_event, LOCAL(make_recorded_event, make_stream),
     {"untimed", AS_IT_IS, make_untimed_event}, {"unrecorded", AS_IT_IS, make_event});
KIND(context, LOCAL(make_context, make_stream));
KIND(fresh_context, HANDLE(make_fresh_context, make_stream));
KIND(attached_context, LOCAL(make_attached_context, make_stream));
KIND(array, LOCAL(make_array, make_event));
KIND(mipmap, LOCAL(make_mipmap, make_array));
KIND(module, LOCAL(make_module, make_event));
KIND(function, LOCAL(make_function, make_event), {"kernel", AS_IT_IS, make_kernel});
KIND(kernel, HANDLE(make_kernel, make_event), {"function", AS_IT_IS, make_function});
KIND(library, HANDLE(make_library, make_event), {"module", AS_IT_IS, make_module});
KIND(link, LOCAL(make_link, make_event));
KIND(filled_link, LOCAL(make_filled_link, make_event), {"empty", AS_IT_IS, make_link});
KIND(texref, LOCAL(make_texref, make_event), {"of_module", AS_IT_IS, make_module_texref});
KIND(module_texref, LOCAL(make_module_texref, make_event), {"own", AS_IT_IS, make_texref});
KIND(surfref, LOCAL(make_surfref, make_event));
KIND(texture, LOCAL(make_texture, make_surface), {"minus_one", AS_IT_IS, make_minus_one});
KIND(surface, LOCAL(make_surface, make_texture), {"minus_one", AS_IT_IS, make_minus_one});
KIND(pool, LOCAL(make_pool, make_event));
KIND(memory_handle, LOCAL(make_memory_handle, make_memory),
     {"minus_one", AS_IT_IS, make_minus_one});
KIND(user_object, HANDLE(make_user_object, make_event));
KIND(graph, HANDLE(make_graph, make_event), {"empty", AS_IT_IS, make_empty_graph},
     {"other_graph", AS_IT_IS, make_other_graph}, {"with_memory", AS_IT_IS, make_memory_graph},
     {"exec", AS_IT_IS, make_exec});
KIND(empty_graph, HANDLE(make_empty_graph, make_event),
     {"with_memory", AS_IT_IS, make_memory_graph}, {"exec", AS_IT_IS, make_exec});
KIND(child_graph, HANDLE(make_child_graph, make_event), {"empty", AS_IT_IS, make_empty_graph},
     {"other_graph", AS_IT_IS, make_other_graph}, {"with_memory", AS_IT_IS, make_memory_graph},
     {"same_graph", AS_IT_IS, make_graph}, {"exec", AS_IT_IS, make_exec});
KIND(clone, HANDLE(make_clone, make_event), {"no_clone", AS_IT_IS, make_other_graph},
     {"original", AS_IT_IS, make_graph});
KIND(exec, HANDLE(make_exec, make_event), {"other_exec", AS_IT_IS, make_other_exec},
     {"graph", AS_IT_IS, make_graph});
KIND(condition, {"good", AS_IT_IS, make_condition}, {"null", AS_IT_IS, make_null},
     {"freed", FREED, make_condition}, {"minus_one", AS_IT_IS, make_minus_one});

#define NODE_KIND(label)                                                                           \
    KIND(label, HANDLE(make_##label, make_event),                                                  \
         {"other_graph", AS_IT_IS, make_node_of_other_graph},                                      \
         {"empty_node", AS_IT_IS, make_empty_node}, {"kernel_node", AS_IT_IS, make_kernel_node},   \
         {"alloc_node", AS_IT_IS, make_alloc_node})

NODE_KIND(kernel_node);
NODE_KIND(copy_node);
NODE_KIND(set_node);
NODE_KIND(host_node);
NODE_KIND(child_node);
NODE_KIND(record_node);
NODE_KIND(wait_node);
NODE_KIND(batch_node);
NODE_KIND(free_node);
NODE_KIND(empty_node);
NODE_KIND(condition_node);
NODE_KIND(alloc_node);
const struct kind kind_second_node = {
    .name = "second_node",
    .kind_class = OBJECTS,
    .values = (const struct value[]){HANDLE(make_second_empty_node, make_event),
                                     {"other_graph", AS_IT_IS, make_node_of_other_graph},
                                     {"kernel_node", AS_IT_IS, make_kernel_node},
                                     {"first", AS_IT_IS, make_empty_node},
                                     {0}}};

/* Addresses of a device. */
#define ADDRESS(make)                                                                              \
    {"good", AS_IT_IS, make}, {"null", AS_IT_IS, make_null}, {"freed", FREED, make},               \
        {"other_context", IN_OTHER_CONTEXT, make}, {"other_device", ON_OTHER_DEVICE, make},        \
        {"minus_one", AS_IT_IS, make_minus_one}, {"one", AS_IT_IS, make_one},                      \
        {"event", AS_IT_IS, make_event}, {"reserved", AS_IT_IS, make_reserved},                    \
    {                                                                                              \
        "host", AS_IT_IS, make_host                                                                \
    }

KIND(memory, ADDRESS(make_memory), {"odd", AS_IT_IS, make_odd_memory},
     {"near_end", AS_IT_IS, make_near_memory_end}, {"managed", AS_IT_IS, make_managed},
     {"pool", AS_IT_IS, make_pool_memory}, {"mapped", AS_IT_IS, make_mapped},
     {"pinned", AS_IT_IS, make_pinned}, {"registered", AS_IT_IS, make_registered});
KIND(zeroed, ADDRESS(make_zeroed), {"odd", AS_IT_IS, make_odd_memory},
     {"pinned", AS_IT_IS, make_pinned});
KIND(managed, ADDRESS(make_managed), {"device", AS_IT_IS, make_memory},
     {"pinned", AS_IT_IS, make_pinned});
KIND(pool_memory, ADDRESS(make_pool_memory), {"device", AS_IT_IS, make_memory},
     {"pinned", AS_IT_IS, make_pinned}, {"managed", AS_IT_IS, make_managed});
KIND(reserved, ADDRESS(make_reserved), {"device", AS_IT_IS, make_memory},
     {"mapped", AS_IT_IS, make_mapped});
KIND(mapped, ADDRESS(make_mapped), {"device", AS_IT_IS, make_memory});
KIND(memory_low, {"good", AS_IT_IS, make_memory_low}, {"null", AS_IT_IS, make_null});

/* Addresses of the host. */
KIND(host, {"good", AS_IT_IS, make_host}, {"null", AS_IT_IS, make_null},
     {"nowhere", AS_IT_IS, make_nowhere}, {"pinned", AS_IT_IS, make_pinned},
     {"registered", AS_IT_IS, make_registered}, {"device", AS_IT_IS, make_memory},
     {"managed", AS_IT_IS, make_managed});
KIND(pinned, {"good", AS_IT_IS, make_pinned}, {"null", AS_IT_IS, make_null},
     {"freed", FREED, make_pinned}, {"nowhere", AS_IT_IS, make_nowhere},
     {"pageable", AS_IT_IS, make_host}, {"registered", AS_IT_IS, make_registered},
     {"device", AS_IT_IS, make_memory}, {"managed", AS_IT_IS, make_managed},
     {"other_context", IN_OTHER_CONTEXT, make_pinned}, {"minus_one", AS_IT_IS, make_minus_one});
KIND(page, {"good", AS_IT_IS, make_page}, {"null", AS_IT_IS, make_null},
     {"nowhere", AS_IT_IS, make_nowhere}, {"pinned", AS_IT_IS, make_pinned},
     {"registered", AS_IT_IS, make_registered}, {"device", AS_IT_IS, make_memory},
     {"managed", AS_IT_IS, make_managed});
KIND(registered, {"good", AS_IT_IS, make_registered}, {"null", AS_IT_IS, make_null},
     {"freed", FREED, make_registered}, {"pageable", AS_IT_IS, make_host},
     {"pinned", AS_IT_IS, make_pinned}, {"device", AS_IT_IS, make_memory},
     {"managed", AS_IT_IS, make_managed}, {"other_context", IN_OTHER_CONTEXT, make_registered});

KIND(image, {"good", AS_IT_IS, make_image}, {"null", AS_IT_IS, make_null},
     {"empty", AS_IT_IS, make_empty_text}, {"garbage", AS_IT_IS, make_garbage},
     {"zeros", AS_IT_IS, make_zeros}, {"other_target", AS_IT_IS, make_other_image},
     {"newer", AS_IT_IS, make_newer_image});
KIND(text, {"good", AS_IT_IS, make_text}, {"null", AS_IT_IS, make_null},
     {"empty", AS_IT_IS, make_empty_text}, {"absent", AS_IT_IS, make_absent});
KIND(callback, {"good", AS_IT_IS, make_callback}, {"null", AS_IT_IS, make_null});
KIND(stream_callback, {"good", AS_IT_IS, make_stream_callback}, {"null", AS_IT_IS, make_null});
KIND(green, HANDLE(make_green, make_event));
KIND(sm_desc, HANDLE(make_sm_desc, make_event));
KIND(block_callback, {"good", AS_IT_IS, make_block_callback}, {"null", AS_IT_IS, make_null});
KIND(nothing, {"good", AS_IT_IS, make_null}, {"zeros", AS_IT_IS, make_zeros});
KIND(pointer, {"good", AS_IT_IS, make_zeros}, {"null", AS_IT_IS, make_null});
KIND(pci_id, {"good", AS_IT_IS, make_pci_id}, {"null", AS_IT_IS, make_null},
     {"empty", AS_IT_IS, make_empty_text}, {"absent", AS_IT_IS, make_absent});
KIND(peer_context, LOCAL(make_peer, make_stream), {"current", AS_IT_IS, make_context});
KIND(shaped_function, LOCAL(make_shaped, make_event), {"without_shape", AS_IT_IS, make_function});
KIND(image_bytes, {"good", AS_IT_IS, make_image_bytes}, {"0", AS_IT_IS, make_null},
     {"1", AS_IT_IS, make_one}, {"half", AS_IT_IS, make_half_image_bytes});
KIND(shared_memory, ADDRESS(make_shared_memory), {"device", AS_IT_IS, make_memory},
     {"pool", AS_IT_IS, make_pool_memory});
KIND(texref_address, LOCAL(make_texref_address, make_event), {"unbound", AS_IT_IS, make_texref},
     {"with_array", AS_IT_IS, make_texref_array});
KIND(texref_array, LOCAL(make_texref_array, make_event), {"unbound", AS_IT_IS, make_texref},
     {"with_address", AS_IT_IS, make_texref_address});
KIND(texref_mipmap, LOCAL(make_texref_mipmap, make_event), {"unbound", AS_IT_IS, make_texref},
     {"with_array", AS_IT_IS, make_texref_array});
KIND(surfref_array, LOCAL(make_surfref_array, make_event), {"unbound", AS_IT_IS, make_surfref});
KIND(viewed_texture, LOCAL(make_viewed_texture, make_surface),
     {"without_view", AS_IT_IS, make_texture});
KIND(alloc_graph, HANDLE(make_alloc_graph, make_event), {"other_graph", AS_IT_IS, make_graph});
KIND(alloc_address, {"good", AS_IT_IS, make_alloc_address}, {"null", AS_IT_IS, make_null},
     {"device", AS_IT_IS, make_memory}, {"pool", AS_IT_IS, make_pool_memory},
     {"one", AS_IT_IS, make_one});
KIND(unfreed_node, HANDLE(make_unfreed_node, make_event),
     {"other_graph", AS_IT_IS, make_node_of_other_graph});
KIND(owned_object, HANDLE(make_owned_object, make_event),
     {"not_owned", AS_IT_IS, make_user_object});
KIND(ipc_event, LOCAL(make_ipc_event, make_stream), {"ordinary", AS_IT_IS, make_event});
KIND(stranger, {"good", AS_IT_IS, make_null}, {"zeros", AS_IT_IS, make_zeros},
     {"event", AS_IT_IS, make_event});
