# SPDX-License-Identifier: MIT
"""What tinygrad's tests import from test/helpers.py, which its package lacks. Written anew, from how they use it."""
import time
import unittest

import numpy

from tinygrad import Device, Tensor, dtypes
from tinygrad.engine.realize import get_program

REAL_DEV = Device.DEFAULT
slow = unittest.skip("it is a slow one")


def has_second_gpu():
    try:
        (Tensor.ones(1, device=f"{Device.DEFAULT}:1") + 1).realize()
    except Exception:
        return False
    return True


def needs_second_gpu(test):
    return unittest.skipUnless(has_second_gpu(), "it needs a second device")(test)


def not_support_multi_device():
    return not has_second_gpu()


def rand_for_dtype(dtype, size, allow_subnormal=True):
    random = numpy.random.default_rng(time.time_ns())
    if dtypes.is_unsigned(dtype):
        return random.integers(0, 100, size).astype(numpy.dtype(dtype.fmt) if dtype.fmt else numpy.uint8)
    if dtypes.is_int(dtype):
        return random.integers(-100, 100, size).astype(numpy.dtype(dtype.fmt))
    if dtype == dtypes.bool:
        return random.choice([True, False], size)
    return random.uniform(-10, 10, size).astype(numpy.float32)


def get_uops(sink, opts=None):
    return get_program(sink, opts or Device[Device.DEFAULT].renderer).uops


def assert_jit_cache_len(function, expected):
    if not function.jit_cache:
        assert expected == 0, f"{expected} kernels were expected, and there are none"
        return
    first = function.jit_cache[0].prg
    # A graph stands for all of its kernels.
    kernels = first.jit_cache if type(first).__name__.endswith("Graph") else function.jit_cache
    assert len(kernels) == expected, f"{len(kernels)} kernels, and not {expected}"
