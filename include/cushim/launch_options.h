/* SPDX-License-Identifier: MIT */
/*
 * Options of a launch (launch.h): cooperative launches, timing, clusters, and the other attributes
 * of cuLaunchKernelEx(). Most launches have none.
 *
 *     CUSHIM_TRY(cushim_launch(stream, saxpy,
 *                              cushim_launch_config(.elements = n, .options =
 * cushim_launch_options( .ret_start = &start, .ret_end = &end)), CUSHIM_VALUE(a), CUSHIM_IN(x),
 * CUSHIM_INOUT(y), CUSHIM_VALUE(n)));
 *
 * A launch reads the options before it returns; nothing of them needs to live longer. In C++, what
 * cushim_launch_options() writes ends with the full expression, so it is written within the call.
 */
#ifndef CUSHIM_LAUNCH_OPTIONS_H
#define CUSHIM_LAUNCH_OPTIONS_H

#include <cushim/event.h>
#include <cushim/view.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * A window of memory that the L2 cache treats in a special way while the kernel runs. Data that a
 * kernel reads often can stay in the cache, which leaves less of the cache for other data. It has
 * an effect only after CUSHIM_LIMIT_PERSISTING_L2_CACHE_SIZE was set (cushim_context_set_limit()).
 */
struct cushim_access_window {
    cushim_view view;
    float hit_ratio; /* from 0 to 1: the share of accesses that are treated as hit; the others as
                        miss */
    enum {
        CUSHIM_ACCESS_NORMAL = 0,
        CUSHIM_ACCESS_STREAMING = 1,  /* leaves the cache first */
        CUSHIM_ACCESS_PERSISTING = 2, /* stays in the cache; not allowed for miss */
    } hit,
        miss;
};

/**
 * An event that the launch records. It must have been made without timing. The event is complete
 * before the kernel has ended, so it does not guarantee that the kernel has written its memory.
 * cushim treats that memory as in use until the kernel has ended. A program that reads it earlier
 * by other means must know what the kernel guarantees.
 */
struct cushim_launch_event {
    cushim_event event;
    int flags; /* always 0: the only other flag of cuEventRecordWithFlags() is not allowed */
    bool at_block_start; /* for programmatic_event: each block triggers it when it begins */
};

/** How clusters are spread over the device, with the driver's numbers. */
enum cushim_cluster_scheduling {
    CUSHIM_CLUSTER_DEFAULT = 0,
    CUSHIM_CLUSTER_SPREAD = 1,
    CUSHIM_CLUSTER_LOAD_BALANCING = 2,
};

/**
 * The memory synchronisation domain of a kernel: its fences wait only for the memory operations of
 * kernels in the same domain.
 */
enum cushim_sync_domain {
    CUSHIM_SYNC_DOMAIN_UNSET = 0,
    CUSHIM_SYNC_DOMAIN_DEFAULT = 1,
    CUSHIM_SYNC_DOMAIN_REMOTE = 2,
};

/** Maps the two logical synchronisation domains to physical ones. */
struct cushim_sync_domain_map {
    unsigned char local, remote;
};

/**
 * A launch attribute without a field in struct cushim_launch_options: a CUlaunchAttributeID, and
 * its value of up to 64 bytes.
 */
struct cushim_launch_attribute {
    int id;
    const void *value;
    size_t bytes;
};

/**
 * Options of a launch. A field that is zero or NULL has no effect. Most of them are attributes of
 * cuLaunchKernelEx(), which cushim calls only for a launch with such options. Drivers have it from
 * CUDA 11.6 on, and CUDA's headers from 11.8 on. Attributes that came later name their version.
 * With a driver that is too old, the launch returns 302 CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND
 * or 1 CUDA_ERROR_INVALID_VALUE, and the error text names the version that it needs. A value that
 * no driver accepts is CUSHIM_ERROR_INVALID_ARGUMENT, and the error text names the field and the
 * value.
 */
struct cushim_launch_options {
    size_t size; /* sizeof the structure; the macro cushim_launch_options() sets it */

    /**
     * If true, all blocks run at the same time, so they may wait for each other. Works with any
     * driver.
     */
    bool cooperative;

    /**
     * Measures the time of the kernel. Both pointers must be given, or both must be NULL; one alone
     * is CUSHIM_ERROR_INVALID_ARGUMENT. The launch makes two events, records one before and one
     * after the kernel, and returns both; the caller frees them with cushim_event_free().
     * cushim_event_elapsed() returns the time between them. Works with any driver.
     */
    cushim_event *ret_start, *ret_end;

    const struct cushim_access_window *access_window;

    /**
     * The size of a cluster in blocks, in x, y and z. If all three are 0, there are no clusters but
     * those that the kernel was compiled for; otherwise x must not be 0, and a 0 in y or z means 1.
     * A grid that is given must be a multiple of it; one that cushim chooses for elements is.
     * Clusters of more than 8 blocks need
     * CUSHIM_FUNCTION_NON_PORTABLE_CLUSTER_ALLOWED (function.h).
     */
    unsigned cluster[3];
    enum cushim_cluster_scheduling cluster_scheduling;
    /**
     * A larger size that the driver should use for clusters where it fits. It must be a multiple of
     * cluster, which must be given. CUDA 12.8.
     */
    unsigned preferred_cluster[3];

    /**
     * If true, the kernel may begin before the previous kernel of the stream has ended, if the
     * previous kernel allows it. The kernel must then itself wait, with griddepcontrol, before it
     * uses results of the previous kernel.
     */
    bool programmatic_serialization;
    /** An event that is recorded when all blocks have triggered it. */
    const struct cushim_launch_event *programmatic_event;
    /** An event that is recorded when all blocks have begun. CUDA 12.3. */
    const struct cushim_launch_event *completion_event;

    const int *priority; /* as in struct cushim_stream_params */
    enum cushim_sync_domain sync_domain;
    const struct cushim_sync_domain_map *sync_domain_map;

    /**
     * For a launch that is recorded into a graph: kernels can then change the node.
     * *ret_device_node gets its CUgraphDeviceNode. CUDA 12.4.
     */
    void **ret_device_node;

    /**
     * How much of the L1 cache should be shared memory, from 0 to 100 percent; -1 leaves the choice
     * to the driver. CUDA 12.5.
     */
    const int *shared_carveout;
    bool nvlink_centric; /* spread blocks for the use of NVLink. CUDA 13.0 */

    const struct cushim_launch_attribute *attributes; /* other attributes */
    size_t n_attributes;
};

/**
 * Writes options in place: cushim_launch_config(.elements = n, .options =
 * cushim_launch_options(.cooperative = true)). In C++ they end with the full expression, so this
 * stands within the call of cushim_launch().
 */
#define cushim_launch_options(...) CUSHIM__IN_PLACE(cushim_launch_options, __VA_ARGS__)

#ifdef __cplusplus
}
#endif

#endif
