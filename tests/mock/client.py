#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A client that knows nothing of cushim: NVIDIA's Python bindings of the driver, which open
libcuda.so.1 themselves and look up every function that they know. Memory, streams and events.

client.py MOCK_FOLDER    status 77: the package cuda-bindings is not installed
"""

import ctypes
import importlib.util
import os
import subprocess
import sys

SIZE = 1 << 20


def check(answer):
    """(result, value...) -> value(s); anything but success is an error."""
    result, *values = answer
    assert int(result) == 0, result
    return values[0] if len(values) == 1 else values


def buffer(data):
    return (ctypes.c_char * len(data)).from_buffer(data)


def copies_in_a_stream(cu, stream):
    begin, end = check(cu.cuEventCreate(0)), check(cu.cuEventCreate(0))
    source, result = bytearray(range(256)) * (SIZE // 256), bytearray(SIZE)
    one, two = check(cu.cuMemAlloc(SIZE)), check(cu.cuMemAllocAsync(SIZE, stream))
    check(cu.cuEventRecord(begin, stream))
    check(cu.cuMemcpyHtoDAsync(one, ctypes.addressof(buffer(source)), SIZE, stream))
    check(cu.cuMemcpyDtoDAsync(two, one, SIZE, stream))
    check(cu.cuMemsetD8Async(two, 7, 16, stream))
    check(cu.cuEventRecord(end, stream))
    check(cu.cuMemcpyDtoHAsync(ctypes.addressof(buffer(result)), two, SIZE, stream))
    check(cu.cuStreamSynchronize(stream))
    assert result[:16] == b"\7" * 16 and result[16:] == source[16:], "the bytes are others"
    assert check(cu.cuEventElapsedTime(begin, end)) >= 0
    check(cu.cuMemFreeAsync(two, stream))
    check(cu.cuMemFree(one))
    check(cu.cuEventDestroy(begin))
    check(cu.cuEventDestroy(end))


def client():
    from cuda.bindings import driver as cu

    check(cu.cuInit(0))
    device = check(cu.cuDeviceGet(0))
    print(check(cu.cuDriverGetVersion()), check(cu.cuDeviceGetName(64, device)).split(b"\0")[0].decode())
    check(cu.cuCtxSetCurrent(check(cu.cuDevicePrimaryCtxRetain(device))))
    stream = check(cu.cuStreamCreate(1))
    copies_in_a_stream(cu, stream)
    check(cu.cuStreamDestroy(stream))
    check(cu.cuDevicePrimaryCtxRelease(device))


def main():
    folder = sys.argv[1]
    if folder == "--client":
        return client()
    try:
        found = importlib.util.find_spec("cuda.bindings.driver")
    except ModuleNotFoundError:
        found = None
    if not found:
        print("skipped: the Python package cuda-bindings is not installed")
        return 77
    # The dynamic linker reads its path when a program starts: so a program is started.
    environment = dict(os.environ, LD_LIBRARY_PATH=folder, CUSHIM_MOCK_CHECK="1")
    done = subprocess.run(
        [sys.executable, __file__, "--client"], env=environment, stderr=subprocess.PIPE, text=True
    )
    print(done.stderr, end="")
    return 1 if done.returncode or "finding" in done.stderr else 0


if __name__ == "__main__":
    sys.exit(main())
