/* SPDX-License-Identifier: MIT */
/* cuCtxEnablePeerAccess, cuCtxDisablePeerAccess */
#include "mock/base/state.h"
#include "mock/stream/capture.h"

/* Peers are stored for each device: if one context of a device may be used, all of them may. */
static uint32_t peer_bit(const struct mock__context *peer)
{
    return (uint32_t) 1 << peer->device->ordinal;
}

static CUresult find_peer(CUcontext handle, struct mock__context **ret_peer)
{
    struct mock__context *peer = mock__context_find(handle);

    MOCK__REQUIRE(peer, mock__stranger(handle, CUDA_ERROR_INVALID_CONTEXT));
    MOCK__TRY(mock__context_usable(peer));
    *ret_peer = peer;
    return CUDA_SUCCESS;
}

CUresult mock_cuCtxEnablePeerAccess(CUcontext peerContext, unsigned int Flags)
{
    struct mock__context *peer = NULL;

    MOCK__ENTER_CONTEXT(context);
    MOCK__TRY(find_peer(peerContext, &peer));
    MOCK__REQUIRE(Flags == 0, CUDA_ERROR_INVALID_VALUE);
    MOCK__REQUIRE(mock__config_peers(context->device->profile, peer->device->profile),
                  CUDA_ERROR_PEER_ACCESS_UNSUPPORTED);
    MOCK__REQUIRE(!(context->peers & peer_bit(peer)), CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
    context->peers |= peer_bit(peer);
    return CUDA_SUCCESS;
}

CUresult mock_cuCtxDisablePeerAccess(CUcontext peerContext)
{
    struct mock__context *peer = NULL;

    MOCK__ENTER_CONTEXT(context);
    MOCK__TRY(mock__capture_unsafe());
    MOCK__TRY(find_peer(peerContext, &peer));
    MOCK__REQUIRE(context->peers & peer_bit(peer), CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
    context->peers &= ~peer_bit(peer);
    return CUDA_SUCCESS;
}
