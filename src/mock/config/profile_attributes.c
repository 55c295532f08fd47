/* SPDX-License-Identifier: MIT */
/*
 * The attributes of all models, side by side: H200, A100, T4, RTX 4090.
 *
 * Those of the H200 were read from one, with a driver of CUDA 13.0. The others come from public
 * outputs of deviceQuery (clocks, caches, buses, engines, multiprocessors) and from the table of
 * compute capabilities in NVIDIA's programming guide (threads, blocks, shared memory, textures,
 * surfaces, clusters). Most attributes from 110 on are in neither source. There a model has the
 * value of the H200, unless the feature is documented to need a later capability or, as GPUDirect
 * does, a board that is not a GeForce.
 */
#include "mock/config/profile.h"

#include <limits.h>
#include <string.h>

#include "base/util.h"

/*
 * The name in CUdevice_attribute in small letters; the first CUDA version whose driver has it, if
 * that is after 11.0; the values.
 */
static const struct {
    const char *name;
    int since;
    int values[MOCK__N_MODELS];
} attributes[MOCK__N_ATTRIBUTES] = {
    /* clang-format off */
    [1] = {"max_threads_per_block", 0, {1024, 1024, 1024, 1024}},
    [2] = {"max_block_dim_x", 0, {1024, 1024, 1024, 1024}},
    [3] = {"max_block_dim_y", 0, {1024, 1024, 1024, 1024}},
    [4] = {"max_block_dim_z", 0, {64, 64, 64, 64}},
    [5] = {"max_grid_dim_x", 0, {2147483647, 2147483647, 2147483647, 2147483647}},
    [6] = {"max_grid_dim_y", 0, {65535, 65535, 65535, 65535}},
    [7] = {"max_grid_dim_z", 0, {65535, 65535, 65535, 65535}},
    [8] = {"max_shared_memory_per_block", 0, {49152, 49152, 49152, 49152}},
    [9] = {"total_constant_memory", 0, {65536, 65536, 65536, 65536}},
    [10] = {"warp_size", 0, {32, 32, 32, 32}},
    [11] = {"max_pitch", 0, {2147483647, 2147483647, 2147483647, 2147483647}},
    [12] = {"max_registers_per_block", 0, {65536, 65536, 65536, 65536}},
    [13] = {"clock_rate", 0, {1980000, 1410000, 1590000, 2520000}},
    [14] = {"texture_alignment", 0, {512, 512, 512, 512}},
    [15] = {"gpu_overlap", 0, {1, 1, 1, 1}},
    [16] = {"multiprocessor_count", 0, {132, 108, 40, 128}},
    [17] = {"kernel_exec_timeout", 0, {0, 0, 0, 0}},
    [18] = {"integrated", 0, {0, 0, 0, 0}},
    [19] = {"can_map_host_memory", 0, {1, 1, 1, 1}},
    [20] = {"compute_mode", 0, {0, 0, 0, 0}},
    [21] = {"maximum_texture1d_width", 0, {131072, 131072, 131072, 131072}},
    [22] = {"maximum_texture2d_width", 0, {131072, 131072, 131072, 131072}},
    [23] = {"maximum_texture2d_height", 0, {65536, 65536, 65536, 65536}},
    [24] = {"maximum_texture3d_width", 0, {16384, 16384, 16384, 16384}},
    [25] = {"maximum_texture3d_height", 0, {16384, 16384, 16384, 16384}},
    [26] = {"maximum_texture3d_depth", 0, {16384, 16384, 16384, 16384}},
    [27] = {"maximum_texture2d_layered_width", 0, {32768, 32768, 32768, 32768}},
    [28] = {"maximum_texture2d_layered_height", 0, {32768, 32768, 32768, 32768}},
    [29] = {"maximum_texture2d_layered_layers", 0, {2048, 2048, 2048, 2048}},
    [30] = {"surface_alignment", 0, {512, 512, 512, 512}},
    [31] = {"concurrent_kernels", 0, {1, 1, 1, 1}},
    [32] = {"ecc_enabled", 0, {1, 1, 1, 0}},
    /* the bus numbers are the same in all: device 0 is at this place, each further one at the next */
    [33] = {"pci_bus_id", 0, {0, 0, 0, 0}},
    [34] = {"pci_device_id", 0, {6, 6, 6, 6}},
    [35] = {"tcc_driver", 0, {0, 0, 0, 0}},
    [36] = {"memory_clock_rate", 0, {3201000, 1215000, 5001000, 10501000}},
    [37] = {"global_memory_bus_width", 0, {6016, 5120, 256, 384}},
    [38] = {"l2_cache_size", 0, {62914560, 41943040, 4194304, 75497472}},
    [39] = {"max_threads_per_multiprocessor", 0, {2048, 2048, 1024, 1536}},
    [40] = {"async_engine_count", 0, {3, 3, 3, 2}},
    [41] = {"unified_addressing", 0, {1, 1, 1, 1}},
    [42] = {"maximum_texture1d_layered_width", 0, {32768, 32768, 32768, 32768}},
    [43] = {"maximum_texture1d_layered_layers", 0, {2048, 2048, 2048, 2048}},
    [44] = {"can_tex2d_gather", 0, {1, 1, 1, 1}},
    [45] = {"maximum_texture2d_gather_width", 0, {32768, 32768, 32768, 32768}},
    [46] = {"maximum_texture2d_gather_height", 0, {32768, 32768, 32768, 32768}},
    [47] = {"maximum_texture3d_width_alternate", 0, {8192, 8192, 8192, 8192}},
    [48] = {"maximum_texture3d_height_alternate", 0, {8192, 8192, 8192, 8192}},
    [49] = {"maximum_texture3d_depth_alternate", 0, {32768, 32768, 32768, 32768}},
    [50] = {"pci_domain_id", 0, {0, 0, 0, 0}},
    [51] = {"texture_pitch_alignment", 0, {32, 32, 32, 32}},
    [52] = {"maximum_texturecubemap_width", 0, {32768, 32768, 32768, 32768}},
    [53] = {"maximum_texturecubemap_layered_width", 0, {32768, 32768, 32768, 32768}},
    [54] = {"maximum_texturecubemap_layered_layers", 0, {2046, 2046, 2046, 2046}},
    [55] = {"maximum_surface1d_width", 0, {32768, 32768, 32768, 32768}},
    [56] = {"maximum_surface2d_width", 0, {131072, 131072, 131072, 131072}},
    [57] = {"maximum_surface2d_height", 0, {65536, 65536, 65536, 65536}},
    [58] = {"maximum_surface3d_width", 0, {16384, 16384, 16384, 16384}},
    [59] = {"maximum_surface3d_height", 0, {16384, 16384, 16384, 16384}},
    [60] = {"maximum_surface3d_depth", 0, {16384, 16384, 16384, 16384}},
    [61] = {"maximum_surface1d_layered_width", 0, {32768, 32768, 32768, 32768}},
    [62] = {"maximum_surface1d_layered_layers", 0, {2048, 2048, 2048, 2048}},
    [63] = {"maximum_surface2d_layered_width", 0, {32768, 32768, 32768, 32768}},
    [64] = {"maximum_surface2d_layered_height", 0, {32768, 32768, 32768, 32768}},
    [65] = {"maximum_surface2d_layered_layers", 0, {2048, 2048, 2048, 2048}},
    [66] = {"maximum_surfacecubemap_width", 0, {32768, 32768, 32768, 32768}},
    [67] = {"maximum_surfacecubemap_layered_width", 0, {32768, 32768, 32768, 32768}},
    [68] = {"maximum_surfacecubemap_layered_layers", 0, {2046, 2046, 2046, 2046}},
    [69] = {"maximum_texture1d_linear_width", 0, {268435456, 268435456, 268435456, 268435456}},
    [70] = {"maximum_texture2d_linear_width", 0, {131072, 131072, 131072, 131072}},
    [71] = {"maximum_texture2d_linear_height", 0, {65000, 65000, 65000, 65000}},
    [72] = {"maximum_texture2d_linear_pitch", 0, {2097120, 2097120, 2097120, 2097120}},
    [73] = {"maximum_texture2d_mipmapped_width", 0, {32768, 32768, 32768, 32768}},
    [74] = {"maximum_texture2d_mipmapped_height", 0, {32768, 32768, 32768, 32768}},
    [75] = {"compute_capability_major", 0, {9, 8, 7, 8}},
    [76] = {"compute_capability_minor", 0, {0, 0, 5, 9}},
    [77] = {"maximum_texture1d_mipmapped_width", 0, {32768, 32768, 32768, 32768}},
    [78] = {"stream_priorities_supported", 0, {1, 1, 1, 1}},
    [79] = {"global_l1_cache_supported", 0, {1, 1, 1, 1}},
    [80] = {"local_l1_cache_supported", 0, {1, 1, 1, 1}},
    [81] = {"max_shared_memory_per_multiprocessor", 0, {233472, 167936, 65536, 102400}},
    [82] = {"max_registers_per_multiprocessor", 0, {65536, 65536, 65536, 65536}},
    [83] = {"managed_memory", 0, {1, 1, 1, 1}},
    [84] = {"multi_gpu_board", 0, {0, 0, 0, 0}},
    [85] = {"multi_gpu_board_group_id", 0, {0, 0, 0, 0}},
    [86] = {"host_native_atomic_supported", 0, {0, 0, 0, 0}},
    [87] = {"single_to_double_precision_perf_ratio", 0, {2, 2, 32, 64}},
    [88] = {"pageable_memory_access", 0, {0, 0, 0, 0}},
    [89] = {"concurrent_managed_access", 0, {1, 1, 1, 1}},
    [90] = {"compute_preemption_supported", 0, {1, 1, 1, 1}},
    [91] = {"can_use_host_pointer_for_registered_mem", 0, {1, 1, 1, 1}},
    [92] = {"can_use_stream_mem_ops_v1", 0, {0, 0, 0, 0}},
    [93] = {"can_use_64_bit_stream_mem_ops_v1", 0, {0, 0, 0, 0}},
    [94] = {"can_use_stream_wait_value_nor_v1", 0, {0, 0, 0, 0}},
    [95] = {"cooperative_launch", 0, {1, 1, 1, 1}},
    [96] = {"cooperative_multi_device_launch", 0, {1, 1, 1, 1}},
    [97] = {"max_shared_memory_per_block_optin", 0, {232448, 166912, 65536, 101376}},
    [98] = {"can_flush_remote_writes", 0, {0, 0, 0, 0}},
    [99] = {"host_register_supported", 0, {1, 1, 1, 1}},
    [100] = {"pageable_memory_access_uses_host_page_tables", 0, {0, 0, 0, 0}},
    [101] = {"direct_managed_mem_access_from_host", 0, {0, 0, 0, 0}},
    [102] = {"virtual_memory_management_supported", 0, {1, 1, 1, 1}},
    [103] = {"handle_type_posix_file_descriptor_supported", 0, {1, 1, 1, 1}},
    [104] = {"handle_type_win32_handle_supported", 0, {0, 0, 0, 0}},
    [105] = {"handle_type_win32_kmt_handle_supported", 0, {0, 0, 0, 0}},
    [106] = {"max_blocks_per_multiprocessor", 0, {32, 32, 16, 24}},
    /* compute data compression came with cc 8.0; the 4090 is taken to be as its family */
    [107] = {"generic_compression_supported", 0, {1, 1, 0, 1}},
    [108] = {"max_persisting_l2_cache_size", 0, {39321600, 31457280, 0, 51904512}},
    [109] = {"max_access_policy_window_size", 0, {134217728, 134217728, 0, 134213632}},
    [110] = {"gpu_direct_rdma_with_cuda_vmm_supported", 0, {1, 1, 1, 0}},
    [111] = {"reserved_shared_memory_per_block", 0, {1024, 1024, 0, 1024}},
    [112] = {"sparse_cuda_array_supported", 11010, {1, 1, 1, 1}},
    [113] = {"read_only_host_register_supported", 11010, {1, 1, 1, 1}},
    [114] = {"timeline_semaphore_interop_supported", 11020, {1, 1, 1, 1}},
    [115] = {"memory_pools_supported", 11020, {1, 1, 1, 1}},
    [116] = {"gpu_direct_rdma_supported", 11030, {1, 1, 1, 0}},
    [117] = {"gpu_direct_rdma_flush_writes_options", 11030, {1, 1, 1, 1}},
    /* 100: the device keeps remote writes in order, which came with cc 9.0; NCCL flushes on all before */
    [118] = {"gpu_direct_rdma_writes_ordering", 11030, {100, 0, 0, 0}},
    [119] = {"mempool_supported_handle_types", 11030, {9, 1, 1, 1}},
    [120] = {"cluster_launch", 11080, {1, 0, 0, 0}},
    [121] = {"deferred_mapping_cuda_array_supported", 11060, {1, 1, 1, 1}},
    [122] = {"can_use_64_bit_stream_mem_ops", 11070, {1, 1, 1, 1}},
    [123] = {"can_use_stream_wait_value_nor", 11070, {1, 1, 1, 1}},
    [124] = {"dma_buf_supported", 11070, {1, 1, 1, 0}},
    [125] = {"ipc_event_supported", 12000, {1, 1, 1, 1}},
    [126] = {"mem_sync_domain_count", 12000, {4, 1, 1, 1}},
    [127] = {"tensor_map_access_supported", 12000, {1, 0, 0, 0}},
    [128] = {"handle_type_fabric_supported", 12030, {1, 0, 0, 0}},
    [129] = {"unified_function_pointers", 12000, {1, 1, 1, 1}},
    [130] = {"numa_config", 12020, {0, 0, 0, 0}},
    [131] = {"numa_id", 12020, {-1, -1, -1, -1}},
    [132] = {"multicast_supported", 12010, {0, 0, 0, 0}},
    [133] = {"mps_enabled", 12030, {0, 0, 0, 0}},
    [134] = {"host_numa_id", 12020, {0, 0, 0, 0}},
    [135] = {"d3d12_cig_supported", 12050, {0, 0, 0, 0}},
    [136] = {"mem_decompress_algorithm_mask", 12080, {0, 0, 0, 0}},
    [137] = {"mem_decompress_maximum_length", 12080, {0, 0, 0, 0}},
    [138] = {"vulkan_cig_supported", 12090, {0, 0, 0, 0}},
    [139] = {"gpu_pci_device_id", 12080, {0x233510de, 0x20b010de, 0x1eb810de, 0x268410de}},
    /* the H200's is recorded; boards of one model differ */
    [140] = {"gpu_pci_subsystem_id", 12080, {0x18bf10de, 0x134f10de, 0x12a210de, 0x16f310de}},
    [141] = {"host_numa_virtual_memory_management_supported", 12090, {1, 1, 1, 1}},
    [142] = {"host_numa_memory_pools_supported", 12090, {1, 1, 1, 1}},
    [143] = {"host_numa_multinode_ipc_supported", 12080, {0, 0, 0, 0}},
    [144] = {"host_memory_pools_supported", 13000, {1, 1, 1, 1}},
    [145] = {"host_virtual_memory_management_supported", 13000, {1, 1, 1, 1}},
    [146] = {"host_alloc_dma_buf_supported", 13000, {0, 0, 0, 0}},
    [147] = {"only_partial_host_native_atomic_supported", 13000, {0, 0, 0, 0}},
    /* clang-format on */
};

/* Other attributes may have any value that is not negative. */
static const struct {
    int first, last; /* by number */
    struct mock__attribute_range range;
} ranges[] = {
    {1, 4, {1, 1024, false}},              /* threads of a block, and its sizes */
    {5, 5, {1, INT_MAX, false}},           /* a grid's width */
    {6, 7, {1, 65535, false}},             /* its other sizes */
    {8, 8, {0, 1 << 20, false}},           /* shared memory */
    {10, 10, {32, 32, false}},             /* a warp */
    {14, 14, {1, 1 << 20, true}},          /* texture_alignment */
    {16, 16, {1, 1 << 16, false}},         /* multiprocessors */
    {20, 20, {0, 3, false}},               /* compute_mode */
    {21, 29, {0, 1 << 17, false}},         /* sizes of textures */
    {30, 30, {1, 1 << 20, true}},          /* surface_alignment */
    {33, 34, {0, 255, false}},             /* pci_bus_id, pci_device_id */
    {39, 39, {32, 1 << 16, false}},        /* threads of a multiprocessor */
    {42, 43, {0, 1 << 17, false}},         /* sizes of textures */
    {45, 49, {0, 1 << 17, false}},         /* sizes of textures */
    {50, 50, {0, 65535, false}},           /* pci_domain_id */
    {51, 51, {1, 1 << 20, true}},          /* texture_pitch_alignment */
    {52, 68, {0, 1 << 17, false}},         /* sizes of textures and surfaces */
    {69, 69, {0, 1 << 28, false}},         /* of a texture in plain memory */
    {70, 71, {0, 1 << 17, false}},         /* of one with rows */
    {73, 74, {0, 1 << 17, false}},         /* of one with levels */
    {75, 75, {1, 99, false}},              /* compute_capability_major */
    {76, 76, {0, 9, false}},               /* compute_capability_minor */
    {77, 77, {0, 1 << 17, false}},         /* sizes of textures */
    {81, 81, {0, 1 << 24, false}},         /* shared memory of a multiprocessor */
    {97, 97, {0, 1 << 20, false}},         /* shared memory */
    {106, 106, {1, 1024, false}},          /* blocks of a multiprocessor */
    {111, 111, {0, 1 << 20, false}},       /* shared memory */
    {131, 131, {-1, INT_MAX, false}},      /* numa_id */
    {134, 134, {-1, INT_MAX, false}},      /* host_numa_id */
    {139, 140, {INT_MIN, INT_MAX, false}}, /* bits */
};

struct mock__attribute_range mock__attribute_range(int number)
{
    for (size_t i = 0; i < ARRAY_SIZE(ranges); i++) {
        if (number >= ranges[i].first && number <= ranges[i].last)
            return ranges[i].range;
    }
    return (struct mock__attribute_range){0, INT_MAX, false};
}

int mock__attribute_value(int number, enum mock__model model)
{
    return attributes[number].values[model];
}

int mock__attribute_since(int number)
{
    return attributes[number].since;
}

int mock__attribute_find(const char *name)
{
    for (int i = 1; i < MOCK__N_ATTRIBUTES; i++) {
        if (!strcmp(attributes[i].name, name))
            return i;
    }
    return 0;
}
