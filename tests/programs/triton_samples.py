# SPDX-License-Identifier: MIT
"""Kernels of Triton, launched by its own driver on memory of cuda-bindings: no PyTorch."""
import unittest

import numpy as np
import triton
import triton.language as tl
from cuda.bindings import driver

RANDOM = np.random.default_rng(7)


def check(answer):
    if answer[0] != driver.CUresult.CUDA_SUCCESS:
        raise RuntimeError(str(answer[0]))
    return answer[1] if len(answer) == 2 else answer[1:]


class Array:
    """Memory of the device in the form that Triton takes for a tensor."""

    def __init__(self, array):
        self.host, self.dtype = array, str(array.dtype)
        self.address = int(check(driver.cuMemAlloc(array.nbytes)))
        check(driver.cuMemcpyHtoD(self.address, array.ctypes.data, array.nbytes))

    def data_ptr(self):
        return self.address

    def read(self):
        check(driver.cuCtxSynchronize())
        result = np.empty_like(self.host)
        check(driver.cuMemcpyDtoH(result.ctypes.data, self.address, result.nbytes))
        return result


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n), mask=i < n)


@triton.jit
def total(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out, tl.sum(tl.load(x + i, mask=i < n, other=0.0), axis=0))


@triton.jit
def softmax(x, out, columns, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    at = tl.program_id(0) * columns + i
    row = tl.load(x + at, mask=i < columns, other=float("-inf"))
    e = tl.exp(row - tl.max(row, axis=0))
    tl.store(out + at, e / tl.sum(e, axis=0), mask=i < columns)


@triton.jit
def product(a, b, c, SIZE: tl.constexpr):
    i, j = tl.arange(0, SIZE)[:, None], tl.arange(0, SIZE)[None, :]
    result = tl.dot(tl.load(a + i * SIZE + j), tl.load(b + i * SIZE + j))
    tl.store(c + i * SIZE + j, result)


@triton.jit
def count(out, BLOCK: tl.constexpr):
    tl.atomic_add(out + tl.arange(0, BLOCK) % 8, 1)


@triton.jit
def running(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.cumsum(tl.load(x + i), axis=0))


@triton.jit
def transpose(x, out, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    i, j = tl.arange(0, ROWS)[:, None], tl.arange(0, COLUMNS)[None, :]
    tile = tl.trans(tl.load(x + i * COLUMNS + j))
    tl.store(out + tl.arange(0, COLUMNS)[:, None] * ROWS + tl.arange(0, ROWS)[None, :], tile)


class Samples(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        check(driver.cuInit(0))
        check(driver.cuCtxSetCurrent(check(driver.cuDevicePrimaryCtxRetain(0))))

    def test_add(self):
        x, y = RANDOM.standard_normal((2, 1000)).astype(np.float32)
        out = Array(np.zeros_like(x))
        add[(8,)](Array(x), Array(y), out, 1000, BLOCK=128)
        np.testing.assert_array_equal(out.read(), x + y)

    def test_add_halves(self):
        x, y = RANDOM.standard_normal((2, 1000)).astype(np.float16)
        out = Array(np.zeros_like(x))
        add[(8,)](Array(x), Array(y), out, 1000, BLOCK=128)
        np.testing.assert_array_equal(out.read(), x + y)

    def test_sum(self):
        x = RANDOM.standard_normal(1000).astype(np.float32)
        out = Array(np.zeros(1, np.float32))
        total[(1,)](Array(x), out, 1000, BLOCK=1024)
        np.testing.assert_allclose(out.read()[0], x.sum(), rtol=1e-4, atol=1e-4)

    def test_softmax(self):
        x = RANDOM.standard_normal((5, 100)).astype(np.float32)
        out = Array(np.zeros_like(x))
        softmax[(5,)](Array(x), out, 100, BLOCK=128)
        e = np.exp(x - x.max(axis=1, keepdims=True))
        np.testing.assert_allclose(out.read(), e / e.sum(axis=1, keepdims=True), rtol=1e-5)

    def test_matrix_product(self):
        """On an H200 by instructions of a group of warps."""
        a, b = RANDOM.standard_normal((2, 64, 64)).astype(np.float16)
        out = Array(np.zeros((64, 64), np.float32))
        product[(1,)](Array(a), Array(b), out, SIZE=64)
        np.testing.assert_allclose(out.read(), a.astype(np.float32) @ b.astype(np.float32), rtol=1e-3, atol=1e-3)

    def test_atomics(self):
        out = Array(np.zeros(8, np.int32))
        count[(3,)](out, BLOCK=128)
        np.testing.assert_array_equal(out.read(), np.full(8, 48))

    def test_running_sum(self):
        x = np.arange(256, dtype=np.int32)
        out = Array(0 * x)
        running[(1,)](Array(x), out, BLOCK=256)
        np.testing.assert_array_equal(out.read(), x.cumsum())

    def test_transpose(self):
        x = np.arange(32 * 16, dtype=np.float32).reshape(32, 16)
        out = Array(np.zeros((16, 32), np.float32))
        transpose[(1,)](Array(x), out, ROWS=32, COLUMNS=16)
        np.testing.assert_array_equal(out.read(), x.T)


if __name__ == "__main__":
    unittest.main()
