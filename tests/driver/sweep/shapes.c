/* SPDX-License-Identifier: MIT */
#include "shapes.h"

#include "objects.h"

#define COPY_SIDE_2D(type, side, memory)                                                           \
    FIELD(type, side##XInBytes, SIZE(0)), FIELD(type, side##Y, SIZE(0)),                           \
        FIELD(type, side##MemoryType, CHOICE(CU_MEMORYTYPE_DEVICE, 1, 4)),                         \
        FIELD(type, side##Host, HOST), FIELD(type, side##Device, memory),                          \
        FIELD(type, side##Array, ARRAY), FIELD(type, side##Pitch, SIZE(64))

SHAPE(copy_2d, CUDA_MEMCPY2D, COPY_SIDE_2D(CUDA_MEMCPY2D, src, MEMORY),
      COPY_SIDE_2D(CUDA_MEMCPY2D, dst, MEMORY), FIELD(CUDA_MEMCPY2D, WidthInBytes, SIZE(16)),
      FIELD(CUDA_MEMCPY2D, Height, SIZE(2)));
SHAPE(copy_2d_v1, CUDA_MEMCPY2D_v1,
      FIELD(CUDA_MEMCPY2D_v1, srcMemoryType, CHOICE(CU_MEMORYTYPE_HOST, 1, 4)),
      FIELD(CUDA_MEMCPY2D_v1, srcHost, HOST), FIELD(CUDA_MEMCPY2D_v1, srcDevice, MEMORY_LOW),
      FIELD(CUDA_MEMCPY2D_v1, srcPitch, NUMBER(64)),
      FIELD(CUDA_MEMCPY2D_v1, dstMemoryType, CHOICE(CU_MEMORYTYPE_HOST, 1, 4)),
      FIELD(CUDA_MEMCPY2D_v1, dstHost, HOST), FIELD(CUDA_MEMCPY2D_v1, dstDevice, MEMORY_LOW),
      FIELD(CUDA_MEMCPY2D_v1, dstPitch, NUMBER(64)),
      FIELD(CUDA_MEMCPY2D_v1, WidthInBytes, NUMBER(16)), FIELD(CUDA_MEMCPY2D_v1, Height, COUNT(2)));

#define COPY_SIDE_3D(type, side)                                                                   \
    COPY_SIDE_2D(type, side, MEMORY), FIELD(type, side##Z, SIZE(0)),                               \
        FIELD(type, side##LOD, COUNT(0)), FIELD(type, side##Height, SIZE(2))

SHAPE(copy_3d, CUDA_MEMCPY3D, COPY_SIDE_3D(CUDA_MEMCPY3D, src),
      FIELD(CUDA_MEMCPY3D, reserved0, NOTHING), COPY_SIDE_3D(CUDA_MEMCPY3D, dst),
      FIELD(CUDA_MEMCPY3D, reserved1, NOTHING), FIELD(CUDA_MEMCPY3D, WidthInBytes, SIZE(16)),
      FIELD(CUDA_MEMCPY3D, Height, SIZE(2)), FIELD(CUDA_MEMCPY3D, Depth, SIZE(2)));
SHAPE(copy_3d_v1, CUDA_MEMCPY3D_v1,
      FIELD(CUDA_MEMCPY3D_v1, srcMemoryType, CHOICE(CU_MEMORYTYPE_HOST, 1, 4)),
      FIELD(CUDA_MEMCPY3D_v1, srcHost, HOST), FIELD(CUDA_MEMCPY3D_v1, srcDevice, MEMORY_LOW),
      FIELD(CUDA_MEMCPY3D_v1, srcPitch, NUMBER(64)), FIELD(CUDA_MEMCPY3D_v1, srcHeight, NUMBER(2)),
      FIELD(CUDA_MEMCPY3D_v1, dstMemoryType, CHOICE(CU_MEMORYTYPE_HOST, 1, 4)),
      FIELD(CUDA_MEMCPY3D_v1, dstHost, HOST), FIELD(CUDA_MEMCPY3D_v1, dstDevice, MEMORY_LOW),
      FIELD(CUDA_MEMCPY3D_v1, dstPitch, NUMBER(64)), FIELD(CUDA_MEMCPY3D_v1, dstHeight, NUMBER(2)),
      FIELD(CUDA_MEMCPY3D_v1, WidthInBytes, NUMBER(16)), FIELD(CUDA_MEMCPY3D_v1, Height, COUNT(2)),
      FIELD(CUDA_MEMCPY3D_v1, Depth, COUNT(2)));
SHAPE(copy_3d_peer, CUDA_MEMCPY3D_PEER, COPY_SIDE_3D(CUDA_MEMCPY3D_PEER, src),
      FIELD(CUDA_MEMCPY3D_PEER, srcContext, CONTEXT), COPY_SIDE_3D(CUDA_MEMCPY3D_PEER, dst),
      FIELD(CUDA_MEMCPY3D_PEER, dstContext, CONTEXT),
      FIELD(CUDA_MEMCPY3D_PEER, WidthInBytes, SIZE(16)), FIELD(CUDA_MEMCPY3D_PEER, Height, SIZE(2)),
      FIELD(CUDA_MEMCPY3D_PEER, Depth, SIZE(2)));

/* The copy of the graph's node is of 64 bytes. */
#define COPY_NODE_SIDE(type, side)                                                                 \
    FIELD(type, side##XInBytes, SIZE(0)),                                                          \
        FIELD(type, side##MemoryType, CHOICE(CU_MEMORYTYPE_DEVICE, 1, 4)),                         \
        FIELD(type, side##Host, HOST), FIELD(type, side##Device, MEMORY),                          \
        FIELD(type, side##Array, ARRAY), FIELD(type, side##Pitch, SIZE(64)),                       \
        FIELD(type, side##Height, SIZE(1))
SHAPE(copy_node, CUDA_MEMCPY3D, COPY_NODE_SIDE(CUDA_MEMCPY3D, src),
      COPY_NODE_SIDE(CUDA_MEMCPY3D, dst), FIELD(CUDA_MEMCPY3D, WidthInBytes, SIZE(64)),
      FIELD(CUDA_MEMCPY3D, Height, SIZE(1)), FIELD(CUDA_MEMCPY3D, Depth, SIZE(1)));

/* From the host, and to an array. */
#define FROM_HOST(type)                                                                            \
    FIELD(type, srcXInBytes, SIZE(0)), FIELD(type, srcY, SIZE(0)),                                 \
        FIELD(type, srcMemoryType, CHOICE(CU_MEMORYTYPE_HOST, 1, 1)), FIELD(type, srcHost, HOST),  \
        FIELD(type, srcPitch, SIZE(64))
#define TO_ARRAY(type)                                                                             \
    FIELD(type, dstXInBytes, SIZE(0)), FIELD(type, dstY, SIZE(0)),                                 \
        FIELD(type, dstMemoryType, CHOICE(CU_MEMORYTYPE_ARRAY, 3, 3)),                             \
        FIELD(type, dstArray, ARRAY)

SHAPE(copy_2d_from_host, CUDA_MEMCPY2D, FROM_HOST(CUDA_MEMCPY2D),
      COPY_SIDE_2D(CUDA_MEMCPY2D, dst, MEMORY), FIELD(CUDA_MEMCPY2D, WidthInBytes, SMALL_SIZE(16)),
      FIELD(CUDA_MEMCPY2D, Height, SMALL_SIZE(2)));
SHAPE(copy_3d_to_array, CUDA_MEMCPY3D, FROM_HOST(CUDA_MEMCPY3D),
      FIELD(CUDA_MEMCPY3D, srcHeight, SIZE(2)), TO_ARRAY(CUDA_MEMCPY3D),
      FIELD(CUDA_MEMCPY3D, dstZ, SIZE(0)), FIELD(CUDA_MEMCPY3D, dstLOD, COUNT(0)),
      FIELD(CUDA_MEMCPY3D, WidthInBytes, SMALL_SIZE(16)),
      FIELD(CUDA_MEMCPY3D, Height, SMALL_SIZE(2)), FIELD(CUDA_MEMCPY3D, Depth, SMALL_SIZE(1)));

#define ARRAY_FIELDS(type)                                                                         \
    FIELD(type, Width, SIZE(16)), FIELD(type, Height, SIZE(16)),                                   \
        FIELD(type, Format, CHOICE(CU_AD_FORMAT_UNSIGNED_INT8, 1, 0x40)),                          \
        FIELD(type, NumChannels, CHOICE(4, 1, 8))
SHAPE(array_desc, CUDA_ARRAY_DESCRIPTOR, ARRAY_FIELDS(CUDA_ARRAY_DESCRIPTOR));
SHAPE(array_3d_desc, CUDA_ARRAY3D_DESCRIPTOR, ARRAY_FIELDS(CUDA_ARRAY3D_DESCRIPTOR),
      FIELD(CUDA_ARRAY3D_DESCRIPTOR, Depth, SIZE(0)),
      FIELD(CUDA_ARRAY3D_DESCRIPTOR, Flags, FLAGS(0, 9)));
SHAPE(mipmap_desc, CUDA_ARRAY3D_DESCRIPTOR, ARRAY_FIELDS(CUDA_ARRAY3D_DESCRIPTOR),
      FIELD(CUDA_ARRAY3D_DESCRIPTOR, Depth, SIZE(0)),
      FIELD(CUDA_ARRAY3D_DESCRIPTOR, Flags, FLAGS(0, 9)));

#define ARRAY_FIELDS_V1(type)                                                                      \
    FIELD(type, Width, NUMBER(16)), FIELD(type, Height, COUNT(16)),                                \
        FIELD(type, Format, CHOICE(CU_AD_FORMAT_UNSIGNED_INT8, 1, 3)),                             \
        FIELD(type, NumChannels, CHOICE(4, 1, 4))
SHAPE(array_desc_v1, CUDA_ARRAY_DESCRIPTOR_v1, ARRAY_FIELDS_V1(CUDA_ARRAY_DESCRIPTOR_v1));
SHAPE(array_3d_desc_v1, CUDA_ARRAY3D_DESCRIPTOR_v1, ARRAY_FIELDS_V1(CUDA_ARRAY3D_DESCRIPTOR_v1),
      FIELD(CUDA_ARRAY3D_DESCRIPTOR_v1, Depth, COUNT(0)),
      FIELD(CUDA_ARRAY3D_DESCRIPTOR_v1, Flags, FLAGS(0, 9)));

SHAPE(location, CUmemLocation,
      FIELD(CUmemLocation, type, CHOICE(CU_MEM_LOCATION_TYPE_DEVICE, 0, 4)),
      FIELD(CUmemLocation, id, DEVICE));
SHAPE(host_location, CUmemLocation,
      FIELD(CUmemLocation, type, CHOICE(CU_MEM_LOCATION_TYPE_HOST, 0, 4)),
      FIELD(CUmemLocation, id, DEVICE));

#define PROP CUmemAllocationProp
SHAPE(allocation_prop, PROP, FIELD(PROP, type, CHOICE(CU_MEM_ALLOCATION_TYPE_PINNED, 0, 2)),
      FIELD(PROP, requestedHandleTypes, FLAGS(0, 4)),
      FIELD(PROP, location.type, CHOICE(CU_MEM_LOCATION_TYPE_DEVICE, 0, 4)),
      FIELD(PROP, location.id, DEVICE), FIELD(PROP, win32HandleMetaData, NOTHING),
      FIELD(PROP, allocFlags.compressionType, FLAGS(0, 2)),
      FIELD(PROP, allocFlags.gpuDirectRDMACapable, FLAGS(0, 2)),
      FIELD(PROP, allocFlags.usage, FLAGS(0, 3)), FIELD(PROP, allocFlags.reserved[0], FLAGS(0, 1)));
SHAPE(access_desc, CUmemAccessDesc,
      FIELD(CUmemAccessDesc, location.type, CHOICE(CU_MEM_LOCATION_TYPE_DEVICE, 0, 4)),
      FIELD(CUmemAccessDesc, location.id, DEVICE), FIELD(CUmemAccessDesc, flags, CHOICE(3, 0, 3)));
SHAPE(pool_props, CUmemPoolProps,
      FIELD(CUmemPoolProps, allocType, CHOICE(CU_MEM_ALLOCATION_TYPE_PINNED, 0, 2)),
      FIELD(CUmemPoolProps, handleTypes, FLAGS(0, 4)),
      FIELD(CUmemPoolProps, location.type, CHOICE(CU_MEM_LOCATION_TYPE_DEVICE, 0, 4)),
      FIELD(CUmemPoolProps, location.id, DEVICE),
      FIELD(CUmemPoolProps, win32SecurityAttributes, NOTHING),
      FIELD(CUmemPoolProps, maxSize, SIZE(0)), FIELD(CUmemPoolProps, usage, FLAGS(0, 3)),
      FIELD(CUmemPoolProps, reserved[0], FLAGS(0, 1)));

#define DESC CUDA_RESOURCE_DESC
SHAPE(resource_desc, DESC, FIELD(DESC, resType, CHOICE(CU_RESOURCE_TYPE_ARRAY, 0, 3)),
      FIELD(DESC, res.array.hArray, ARRAY), FIELD(DESC, flags, FLAGS(0, 2)));
SHAPE(surface_desc, DESC, FIELD(DESC, resType, CHOICE(CU_RESOURCE_TYPE_ARRAY, 0, 3)),
      FIELD(DESC, res.array.hArray, ARRAY), FIELD(DESC, flags, FLAGS(0, 2)));
SHAPE(linear_desc, DESC, FIELD(DESC, resType, CHOICE(CU_RESOURCE_TYPE_LINEAR, 2, 2)),
      FIELD(DESC, res.linear.devPtr, MEMORY),
      FIELD(DESC, res.linear.format, CHOICE(CU_AD_FORMAT_FLOAT, 1, 0x21)),
      FIELD(DESC, res.linear.numChannels, CHOICE(1, 1, 5)),
      FIELD(DESC, res.linear.sizeInBytes, SIZE(256)));
SHAPE(pitch_desc, DESC, FIELD(DESC, resType, CHOICE(CU_RESOURCE_TYPE_PITCH2D, 3, 3)),
      FIELD(DESC, res.pitch2D.devPtr, MEMORY),
      FIELD(DESC, res.pitch2D.format, CHOICE(CU_AD_FORMAT_FLOAT, 1, 0x21)),
      FIELD(DESC, res.pitch2D.numChannels, CHOICE(1, 1, 5)),
      FIELD(DESC, res.pitch2D.width, SIZE(16)), FIELD(DESC, res.pitch2D.height, SIZE(2)),
      FIELD(DESC, res.pitch2D.pitchInBytes, SIZE(512)));

#define TEXTURE_DESC CUDA_TEXTURE_DESC
SHAPE(texture_desc, TEXTURE_DESC, FIELD(TEXTURE_DESC, addressMode[0], CHOICE(0, 0, 3)),
      FIELD(TEXTURE_DESC, addressMode[1], CHOICE(0, 0, 3)),
      FIELD(TEXTURE_DESC, addressMode[2], CHOICE(0, 0, 3)),
      FIELD(TEXTURE_DESC, filterMode, CHOICE(0, 0, 1)),
      FIELD(TEXTURE_DESC, flags, FLAGS(CU_TRSF_READ_AS_INTEGER, 7)),
      FIELD(TEXTURE_DESC, maxAnisotropy, NUMBER(0)),
      FIELD(TEXTURE_DESC, mipmapFilterMode, CHOICE(0, 0, 1)),
      FIELD(TEXTURE_DESC, mipmapLevelBias, WORD(0)),
      FIELD(TEXTURE_DESC, minMipmapLevelClamp, WORD(0)),
      FIELD(TEXTURE_DESC, maxMipmapLevelClamp, WORD(0)),
      FIELD(TEXTURE_DESC, borderColor[0], WORD(0)), FIELD(TEXTURE_DESC, reserved[0], WORD(0)));

#define VIEW CUDA_RESOURCE_VIEW_DESC
SHAPE(view_desc, VIEW, FIELD(VIEW, format, CHOICE(CU_RES_VIEW_FORMAT_UINT_4X8, 0, 0x22)),
      FIELD(VIEW, width, SIZE(16)), FIELD(VIEW, height, SIZE(16)), FIELD(VIEW, depth, SIZE(0)),
      FIELD(VIEW, firstMipmapLevel, COUNT(0)), FIELD(VIEW, lastMipmapLevel, COUNT(0)),
      FIELD(VIEW, firstLayer, COUNT(0)), FIELD(VIEW, lastLayer, COUNT(0)));

#define MAP            CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC
#define HANDLE_DESC    CUDA_EXTERNAL_MEMORY_HANDLE_DESC
#define SEMAPHORE_DESC CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC
SHAPE(external_memory, HANDLE_DESC, FIELD(HANDLE_DESC, type, CHOICE(1, 1, 8)),
      FIELD(HANDLE_DESC, handle.fd, CHOICE(0xffffffff, 0, 0)),
      FIELD(HANDLE_DESC, size, SMALL_SIZE(4096)), FIELD(HANDLE_DESC, flags, FLAGS(0, 2)));
SHAPE(external_buffer, CUDA_EXTERNAL_MEMORY_BUFFER_DESC,
      FIELD(CUDA_EXTERNAL_MEMORY_BUFFER_DESC, size, SIZE(64)));
SHAPE(external_mipmap, MAP, FIELD(MAP, numLevels, COUNT(1)));
SHAPE(external_semaphore, SEMAPHORE_DESC, FIELD(SEMAPHORE_DESC, type, CHOICE(1, 1, 10)),
      FIELD(SEMAPHORE_DESC, handle.fd, CHOICE(0xffffffff, 0, 0)),
      FIELD(SEMAPHORE_DESC, flags, FLAGS(0, 2)));
SHAPE(external_signal, CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS,
      FIELD(CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS, flags, FLAGS(0, 2)));
SHAPE(external_wait, CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS,
      FIELD(CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS, flags, FLAGS(0, 2)));
SHAPE(multicast_prop, CUmulticastObjectProp,
      FIELD(CUmulticastObjectProp, numDevices, CHOICE(2, 0, 2)),
      FIELD(CUmulticastObjectProp, size, SIZE(2 << 20)),
      FIELD(CUmulticastObjectProp, handleTypes, FLAGS64(0, 4)),
      FIELD(CUmulticastObjectProp, flags, FLAGS64(0, 2)));

SHAPE(ipc_event, CUipcEventHandle, FIELD(CUipcEventHandle, reserved[0], WORD(0)));
SHAPE(ipc_memory, CUipcMemHandle, FIELD(CUipcMemHandle, reserved[0], WORD(0)));
SHAPE(context_params, CUctxCreateParams, FIELD(CUctxCreateParams, execAffinityParams, NOTHING),
      FIELD(CUctxCreateParams, numExecAffinityParams, COUNT(0)),
      FIELD(CUctxCreateParams, cigParams, NOTHING));
SHAPE(affinity_param, CUexecAffinityParam, FIELD(CUexecAffinityParam, type, CHOICE(0, 0, 1)),
      FIELD(CUexecAffinityParam, param.smCount.val, NUMBER(132)));

#define ELEMENT(label, type, ...) LIST(label, sizeof(type), __VA_ARGS__)

ELEMENT(list_node, CUgraphNode, NODE(empty));
ELEMENT(list_second_node, CUgraphNode, NODE(second));
ELEMENT(list_graph_node, CUgraphNode, NODE(kernel));
ELEMENT(list_address, CUdeviceptr, MEMORY);
ELEMENT(list_source, CUdeviceptr, MEMORY);
ELEMENT(list_managed, CUdeviceptr, MANAGED);
ELEMENT(list_size, size_t, SIZE(64));
ELEMENT(list_zero_size, size_t, COUNT(0));
ELEMENT(list_option, CUjit_option, CHOICE(CU_JIT_MAX_REGISTERS, 0, 35));
ELEMENT(list_option_value, void *, WORD(32));
ELEMENT(list_atomic, CUatomicOperation, CHOICE(0, 0, 8));
ELEMENT(list_pointer_attribute, CUpointer_attribute,
        CHOICE(CU_POINTER_ATTRIBUTE_MEMORY_TYPE, 1, 25));
ELEMENT(list_range_attribute, CUmem_range_attribute, CHOICE(1, 1, 8));
ELEMENT(list_data, void *, OUT(8));
ELEMENT(list_stranger, void *, STRANGER);
ELEMENT(list_kernel_parameter, void *, POINTER);
ELEMENT(int_mode, CUstreamCaptureMode, CHOICE(CU_STREAM_CAPTURE_MODE_GLOBAL, 0, 2));
ELEMENT(u64_value, cuuint64_t, WORD(0));
ELEMENT(size_room, size_t, {.kind = &kind_count, .good = 2});
ELEMENT(border_color, float, WORD(0));
ELEMENT(no_value, cuuint64_t, WORD(0));
ELEMENT(list_unfreed_node, CUgraphNode, NODE(unfreed));
ELEMENT(list_size_4, size_t, CHOICE(4, 0, 1));
ELEMENT(groups_wanted, unsigned, COUNT(1));
ELEMENT(log_bytes, size_t, SIZE(1024));

SHAPE(semaphores_node, CUDA_EXT_SEM_SIGNAL_NODE_PARAMS,
      FIELD(CUDA_EXT_SEM_SIGNAL_NODE_PARAMS, extSemArray, IN(list_stranger)),
      FIELD(CUDA_EXT_SEM_SIGNAL_NODE_PARAMS, paramsArray, IN(external_signal)),
      FIELD(CUDA_EXT_SEM_SIGNAL_NODE_PARAMS, numExtSems, COUNT(0)));
SHAPE(sm_resource, CUdevResource, FIELD(CUdevResource, type, CHOICE(1, 0, 2)));

/* A matrix, or an image, of floats: 64 x 32 x 8 x 2. */
#define AT(label, type, index, ...)                                                                \
    {                                                                                              \
#index, index * sizeof(type), sizeof(type), __VA_ARGS__                                    \
    }
const struct shape u64_dims = {.bytes = 40,
                               .fields =
                                   (const struct field[]){AT(u64_dims, cuuint64_t, 0, SIZE(64)),
                                                          AT(u64_dims, cuuint64_t, 1, SIZE(32)),
                                                          AT(u64_dims, cuuint64_t, 2, SIZE(8)),
                                                          AT(u64_dims, cuuint64_t, 3, FIXED(2)),
                                                          AT(u64_dims, cuuint64_t, 4, FIXED(1)),
                                                          {0}}};
const struct shape u64_strides = {
    .bytes = 40,
    .fields = (const struct field[]){AT(u64_strides, cuuint64_t, 0, SIZE(256)),
                                     AT(u64_strides, cuuint64_t, 1, SIZE(8192)),
                                     AT(u64_strides, cuuint64_t, 2, SIZE(65536)),
                                     AT(u64_strides, cuuint64_t, 3, FIXED(131072)),
                                     {0}}};
const struct shape u32_box = {
    .bytes = 20,
    .fields = (const struct field[]){AT(u32_box, cuuint32_t, 0, CHOICE(32, 254, 260)),
                                     AT(u32_box, cuuint32_t, 1, NUMBER(4)),
                                     AT(u32_box, cuuint32_t, 2, FIXED(1)),
                                     AT(u32_box, cuuint32_t, 3, FIXED(1)),
                                     AT(u32_box, cuuint32_t, 4, FIXED(1)),
                                     {0}}};
const struct shape u32_ones = {
    .bytes = 20,
    .fields = (const struct field[]){AT(u32_ones, cuuint32_t, 0, CHOICE(1, 0, 10)),
                                     AT(u32_ones, cuuint32_t, 1, CHOICE(1, 0, 10)),
                                     AT(u32_ones, cuuint32_t, 2, FIXED(1)),
                                     AT(u32_ones, cuuint32_t, 3, FIXED(1)),
                                     AT(u32_ones, cuuint32_t, 4, FIXED(1)),
                                     {0}}};
const struct shape i32_corner = {
    .bytes = 20,
    .fields = (const struct field[]){AT(i32_corner, cuuint32_t, 0, CHOICE(0, 126, 130)),
                                     AT(i32_corner, cuuint32_t, 1, FIXED(0)),
                                     AT(i32_corner, cuuint32_t, 2, FIXED(0)),
                                     {0}}};
/* Aligned to 64 bytes by scratch(). */
const struct shape tensor_map = {
    .bytes = 128, .fields = (const struct field[]){AT(tensor_map, cuuint64_t, 0, FIXED(0)), {0}}};

/* The addresses of the parameters of the kernel "store". */
static const struct shape address_parameter = {
    .bytes = 8, .fields = (const struct field[]){{"p", 0, 8, MEMORY}, {0}}};
static const struct shape word_parameter = {
    .bytes = 4, .fields = (const struct field[]){{"v", 0, 4, FIXED(1)}, {0}}};
const struct shape store_parameters = {
    .bytes = 16,
    .fields = (const struct field[]){
        {"0", 0, 8, IN(address_parameter)}, {"1", 8, 8, IN(word_parameter)}, {0}}};
