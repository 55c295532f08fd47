/* SPDX-License-Identifier: MIT */
/* The kinds of parameters, as a row of the table names them. */
#ifndef CUSHIM_TESTS_DRIVER_SWEEP_KINDS_H
#define CUSHIM_TESTS_DRIVER_SWEEP_KINDS_H

#include "sweep.h"

extern const struct kind kind_stream, kind_event, kind_recorded_event, kind_context,
    kind_fresh_context, kind_attached_context, kind_memory, kind_managed, kind_pool_memory,
    kind_reserved, kind_mapped, kind_memory_low, kind_host, kind_pinned, kind_page, kind_registered,
    kind_array, kind_mipmap, kind_module, kind_function, kind_kernel, kind_library, kind_link,
    kind_texref, kind_module_texref, kind_surfref, kind_texture, kind_surface, kind_pool,
    kind_memory_handle, kind_user_object, kind_graph, kind_empty_graph, kind_clone, kind_exec,
    kind_kernel_node, kind_copy_node, kind_set_node, kind_host_node, kind_empty_node,
    kind_second_node, kind_child_node, kind_record_node, kind_wait_node, kind_batch_node,
    kind_alloc_node, kind_free_node, kind_child_graph, kind_image, kind_text, kind_callback,
    kind_block_callback, kind_nothing, kind_pointer, kind_condition, kind_condition_node,
    kind_stranger, kind_zeroed, kind_filled_link, kind_pci_id, kind_peer_context,
    kind_shaped_function, kind_image_bytes, kind_shared_memory, kind_texref_address,
    kind_texref_array, kind_texref_mipmap, kind_surfref_array, kind_viewed_texture,
    kind_alloc_graph, kind_alloc_address, kind_owned_object, kind_ipc_event, kind_unfreed_node,
    kind_stream_callback, kind_green, kind_sm_desc, kind_sm_resource, kind_capturing_stream;

extern const struct kind kind_size, kind_small_size, kind_number, kind_word, kind_choice,
    kind_flags, kind_device, kind_fixed, kind_count, kind_large_flags, kind_index, kind_extent;
extern const struct kind kind_float, kind_output, kind_structure, kind_in_out, kind_by_value;

#define OF(name)                                                                                   \
    {                                                                                              \
        .kind = &kind_##name                                                                       \
    }

#define STREAM           OF(stream)
#define CAPTURING        OF(capturing_stream)
#define EVENT            OF(event)
#define RECORDED         OF(recorded_event)
#define CONTEXT          OF(context)
#define FRESH_CONTEXT    OF(fresh_context)
#define ATTACHED_CONTEXT OF(attached_context)
#define MEMORY           OF(memory)
#define MANAGED          OF(managed)
#define POOL_MEMORY      OF(pool_memory)
#define RESERVED         OF(reserved)
#define MAPPED           OF(mapped)
#define MEMORY_LOW       OF(memory_low)
#define HOST             OF(host)
#define PINNED           OF(pinned)
#define PAGES            OF(page)
#define REGISTERED       OF(registered)
#define ARRAY            OF(array)
#define MIPMAP           OF(mipmap)
#define MODULE           OF(module)
#define FUNCTION         OF(function)
#define STORE                                                                                      \
    {                                                                                              \
        .kind = &kind_function, .text = "store"                                                    \
    }
#define KERNEL        OF(kernel)
#define LIBRARY       OF(library)
#define LINK          OF(link)
#define TEXREF        OF(texref)
#define MODULE_TEXREF OF(module_texref)
#define SURFREF       OF(surfref)
#define TEXTURE       OF(texture)
#define SURFACE       OF(surface)
#define POOL          OF(pool)
#define MEMORY_HANDLE OF(memory_handle)
#define USER_OBJECT   OF(user_object)
#define GRAPH         OF(graph)
#define EMPTY_GRAPH   OF(empty_graph)
#define CLONE         OF(clone)
#define CHILD_GRAPH   OF(child_graph)
#define EXEC          OF(exec)
#define CONDITION     OF(condition)
#define NODE(type)    OF(type##_node)
#define IMAGE         OF(image)
#define TEXT(good)                                                                                 \
    {                                                                                              \
        .kind = &kind_text, .text = good                                                           \
    }
#define CALLBACK        OF(callback)
#define BLOCK_CALLBACK  OF(block_callback)
#define NOTHING         OF(nothing) /* NULL is the good value */
#define ZEROED          OF(zeroed)
#define STREAM_CALLBACK OF(stream_callback)
#define GREEN           OF(green)
#define SM_DESC         OF(sm_desc)
#define FIXED(number)                                                                              \
    {                                                                                              \
        .kind = &kind_fixed, .good = number                                                        \
    }
#define FILLED_LINK    OF(filled_link)
#define PCI_ID         OF(pci_id)
#define PEER           OF(peer_context)
#define SHAPED         OF(shaped_function)
#define IMAGE_BYTES    OF(image_bytes)
#define SHARED_MEMORY  OF(shared_memory)
#define WITH_ADDRESS   OF(texref_address)
#define WITH_ARRAY     OF(texref_array)
#define WITH_MIPMAP    OF(texref_mipmap)
#define SURFREF_ARRAY  OF(surfref_array)
#define VIEWED_TEXTURE OF(viewed_texture)
#define ALLOC_GRAPH    OF(alloc_graph)
#define ALLOC_ADDRESS  OF(alloc_address)
#define OWNED_OBJECT   OF(owned_object)
#define IPC_EVENT      OF(ipc_event)
#define DEVICE_1                                                                                   \
    {                                                                                              \
        .kind = &kind_device, .good = 1                                                            \
    }
#define POINTER  OF(pointer)  /* for the program's own use */
#define STRANGER OF(stranger) /* a handle of what no function here makes */

#define SIZE(number)                                                                               \
    {                                                                                              \
        .kind = &kind_size, .good = number                                                         \
    } /* of memory */
#define SMALL_SIZE(number)                                                                         \
    {                                                                                              \
        .kind = &kind_small_size, .good = number                                                   \
    } /* the same, and no large one is asked */
#define NUMBER(number)                                                                             \
    {                                                                                              \
        .kind = &kind_number, .good = number                                                       \
    } /* of 32 bits */
#define WORD(number)                                                                               \
    {                                                                                              \
        .kind = &kind_word, .good = number                                                         \
    } /* every one is good */
#define COUNT(number)                                                                              \
    {                                                                                              \
        .kind = &kind_count, .good = number                                                        \
    } /* of what an array has */
#define INDEX(number)                                                                              \
    {                                                                                              \
        .kind = &kind_index, .good = number                                                        \
    }
#define EXTENT(number)                                                                             \
    {                                                                                              \
        .kind = &kind_extent, .good = number                                                       \
    } /* of a grid, or a block */
#define CHOICE(number, from, to)                                                                   \
    {                                                                                              \
        .kind = &kind_choice, .good = number, .first = from, .last = to                            \
    }
#define FLAGS(number, bits)                                                                        \
    {                                                                                              \
        .kind = &kind_flags, .good = number, .last = bits                                          \
    }
#define FLAGS64(number, bits)                                                                      \
    {                                                                                              \
        .kind = &kind_large_flags, .good = number, .last = bits                                    \
    }
#define DEVICE OF(device)
#define FLOAT  OF(float)

/* Results: so many bytes, or a handle, and what destroys it. */
#define OUT(n)                                                                                     \
    {                                                                                              \
        .kind = &kind_output, .last = n                                                            \
    }
#define NEW_KNOWN                                                                                  \
    {                                                                                              \
        .kind = &kind_output, .last = 8, .first = 1                                                \
    } /* a handle, or an address */
#define NEW(destroyer)                                                                             \
    {                                                                                              \
        .kind = &kind_output, .last = 8, .first = 1, .destroy = destroyer                          \
    }
/* The same at the address of what is given, and the first 8 bytes are a result. */
#define IN_OUT(of)                                                                                 \
    {                                                                                              \
        .kind = &kind_in_out, .shape = &of                                                         \
    }
#define IN(of)                                                                                     \
    {                                                                                              \
        .kind = &kind_structure, .shape = &of                                                      \
    }
#define BY_VALUE(of)                                                                               \
    {                                                                                              \
        .kind = &kind_by_value, .shape = &of                                                       \
    }

#endif
