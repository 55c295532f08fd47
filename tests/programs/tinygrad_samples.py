# SPDX-License-Identifier: MIT
"""Operations of tinygrad on its CUDA device, each compared with NumPy; DEV=CUDA chooses it."""
import unittest

import numpy as np
from tinygrad import Tensor, TinyJit, dtypes

RANDOM = np.random.default_rng(7)
A = RANDOM.standard_normal((13, 17)).astype(np.float32)
B = RANDOM.standard_normal((13, 17)).astype(np.float32)
ROW = RANDOM.standard_normal((1, 17)).astype(np.float32)
POSITIVE = np.abs(A) + 0.5
M = RANDOM.standard_normal((17, 11)).astype(np.float32)
N = RANDOM.integers(-50, 50, (13, 17)).astype(np.int32)
D = RANDOM.integers(1, 9, (13, 17)).astype(np.int32)


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


# What tinygrad computes, what NumPy does, and the inputs.
OPERATIONS = {
    "add": (lambda a, b: a + b, np.add, A, B),
    "subtract": (lambda a, b: a - b, np.subtract, A, B),
    "multiply": (lambda a, b: a * b, np.multiply, A, B),
    "divide": (lambda a, b: a / b, np.divide, A, POSITIVE),
    "broadcast": (lambda a, r: a + r, np.add, A, ROW),
    "power": (lambda a: a ** 3, lambda a: a ** 3, A),
    "negate": (lambda a: -a, np.negative, A),
    "absolute": (lambda a: a.abs(), np.abs, A),
    "sign": (lambda a: a.sign(), np.sign, A),
    "exp": (lambda a: a.exp(), np.exp, A),
    "exp2": (lambda a: a.exp2(), np.exp2, A),
    "log": (lambda a: a.log(), np.log, POSITIVE),
    "log2": (lambda a: a.log2(), np.log2, POSITIVE),
    "sqrt": (lambda a: a.sqrt(), np.sqrt, POSITIVE),
    "rsqrt": (lambda a: a.rsqrt(), lambda a: 1 / np.sqrt(a), POSITIVE),
    "reciprocal": (lambda a: a.reciprocal(), np.reciprocal, POSITIVE),
    "sin": (lambda a: a.sin(), np.sin, A),
    "cos": (lambda a: a.cos(), np.cos, A),
    "tan": (lambda a: a.tan(), np.tan, A),
    "tanh": (lambda a: a.tanh(), np.tanh, A),
    "sigmoid": (lambda a: a.sigmoid(), lambda a: 1 / (1 + np.exp(-a)), A),
    "relu": (lambda a: a.relu(), lambda a: np.maximum(a, 0), A),
    "floor": (lambda a: a.floor(), np.floor, A),
    "ceil": (lambda a: a.ceil(), np.ceil, A),
    "trunc": (lambda a: a.trunc(), np.trunc, A),
    "round": (lambda a: a.round(), np.round, A),
    "clip": (lambda a: a.clip(-0.5, 0.5), lambda a: np.clip(a, -0.5, 0.5), A),
    "maximum": (lambda a, b: a.maximum(b), np.maximum, A, B),
    "minimum": (lambda a, b: a.minimum(b), np.minimum, A, B),
    "less": (lambda a, b: a < b, np.less, A, B),
    "equal": (lambda a, b: a == b, np.equal, N, D),
    "where": (lambda a, b: (a > 0).where(a, b), lambda a, b: np.where(a > 0, a, b), A, B),
    "sum": (lambda a: a.sum(), np.sum, A),
    "sum of rows": (lambda a: a.sum(axis=1), lambda a: a.sum(axis=1), A),
    "sum of columns": (lambda a: a.sum(axis=0), lambda a: a.sum(axis=0), A),
    "mean": (lambda a: a.mean(axis=1), lambda a: a.mean(axis=1), A),
    "variance": (lambda a: a.var(axis=1, correction=0), lambda a: a.var(axis=1), A),
    "product": (lambda a: a.prod(axis=1), lambda a: a.prod(axis=1), A),
    "max": (lambda a: a.max(axis=1), lambda a: a.max(axis=1), A),
    "min": (lambda a: a.min(axis=0), lambda a: a.min(axis=0), A),
    "argmax": (lambda a: a.argmax(axis=1), lambda a: a.argmax(axis=1), A),
    "argmin": (lambda a: a.argmin(axis=0), lambda a: a.argmin(axis=0), A),
    "running sum": (lambda a: a.cumsum(axis=1), lambda a: a.cumsum(axis=1), A),
    "softmax": (lambda a: a.softmax(), softmax, A),
    "matrix product": (lambda a, m: a @ m, lambda a, m: a @ m, A, M),
    "transpose": (lambda a: a.T.contiguous(), np.transpose, A),
    "flip": (lambda a: a.flip(0).contiguous(), lambda a: a[::-1], A),
    "pad": (lambda a: a.pad(((1, 2), (0, 3))).contiguous(), lambda a: np.pad(a, ((1, 2), (0, 3))), A),
    "part": (lambda a: a[2:9, 3:11].contiguous(), lambda a: a[2:9, 3:11], A),
    "join": (lambda a, b: a.cat(b, dim=0), lambda a, b: np.concatenate([a, b]), A, B),
    "stack": (lambda a, b: a.stack(b), lambda a, b: np.stack([a, b]), A, B),
    "gather": (lambda a: a[Tensor([3, 1, 3])], lambda a: a[[3, 1, 3]], A),
    "sort": (lambda a: a.sort(dim=1)[0], lambda a: np.sort(a, axis=1), A),
    "triangle": (lambda a: a.tril(), np.tril, A),
    "add integers": (lambda n, d: n + d, np.add, N, D),
    "divide integers": (lambda n, d: n // d, np.floor_divide, N, D),
    "remainder": (lambda n, d: n % d, np.remainder, N, D),
    "and": (lambda n, d: n & d, np.bitwise_and, N, D),
    "exclusive or": (lambda n, d: n ^ d, np.bitwise_xor, N, D),
    "shift": (lambda d: d << 3, lambda d: d << 3, D),
    "to integers": (lambda a: (10 * a).cast(dtypes.int32), lambda a: (10 * a).astype(np.int32), A),
    "to bytes": (lambda d: d.cast(dtypes.uint8), lambda d: d.astype(np.uint8), D),
    "to halves": (lambda a: a.cast(dtypes.float16), lambda a: a.astype(np.float16), A),
    "to doubles": (lambda a: a.cast(dtypes.float64) * 2, lambda a: a.astype(np.float64) * 2, A),
}


class Operations(unittest.TestCase):
    pass


def test_of(mine, numpys, arrays):
    def test(self):
        found = mine(*[Tensor(array) for array in arrays]).numpy()
        np.testing.assert_allclose(found, numpys(*arrays), rtol=2e-4, atol=2e-5)

    return test


for name, (mine, numpys, *arrays) in OPERATIONS.items():
    setattr(Operations, "test_" + name.replace(" ", "_"), test_of(mine, numpys, arrays))


class Programs(unittest.TestCase):
    def test_gradient(self):
        a, m = Tensor(A), Tensor(M)
        found = (a @ m).square().sum().gradient(a)[0].numpy()
        np.testing.assert_allclose(found, 2 * (A @ M) @ M.T, rtol=1e-3, atol=1e-3)

    def test_convolution(self):
        image = RANDOM.standard_normal((1, 2, 8, 8)).astype(np.float32)
        weights = RANDOM.standard_normal((3, 2, 3, 3)).astype(np.float32)
        windows = np.lib.stride_tricks.sliding_window_view(image[0], (3, 3), axis=(1, 2))
        found = Tensor(image).conv2d(Tensor(weights)).numpy()[0]
        np.testing.assert_allclose(found, np.einsum("cyxij,ocij->oyx", windows, weights), rtol=1e-3, atol=1e-4)

    def test_compiled_once_run_often(self):
        """The third call on launches a graph."""
        step = TinyJit(lambda x: (x * 2 + 1).relu().realize())
        for i in range(5):
            array = np.full((64,), i, np.float32)
            np.testing.assert_array_equal(step(Tensor(array).realize()).numpy(), 2 * array + 1)

    def test_random_numbers(self):
        Tensor.manual_seed(3)
        numbers = Tensor.rand(1000).numpy()
        self.assertTrue(((numbers >= 0) & (numbers < 1)).all())
        self.assertAlmostEqual(numbers.mean(), 0.5, delta=0.05)


if __name__ == "__main__":
    unittest.main()
