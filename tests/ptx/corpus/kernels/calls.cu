// SPDX-License-Identifier: MIT
// build: compute_75 compute_100
// Calls: recursion, virtual functions, pointers to functions, parameters on the stack.

__device__ __noinline__ unsigned fibonacci(unsigned n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

__device__ __noinline__ unsigned ackermann(unsigned m, unsigned n)
{
    return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

__device__ __noinline__ bool is_odd(unsigned n);
__device__ __noinline__ bool is_even(unsigned n)
{
    return n == 0 || is_odd(n - 1);
}
__device__ __noinline__ bool is_odd(unsigned n)
{
    return n != 0 && is_even(n - 1);
}

// Different depths in the lanes of a warp.
extern "C" __global__ void calls_recursion(const unsigned *a, unsigned *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    out[4 * i] = fibonacci(a[i] % 11);
    out[4 * i + 1] = ackermann(a[i] % 3, a[i] / 3 % 4);
    out[4 * i + 2] = is_even(a[i] % 30);
    out[4 * i + 3] = is_odd(a[i] % 7);
}

struct shape {
    __device__ virtual ~shape()
    {
    }
    __device__ virtual double area() const = 0;
    __device__ virtual int corners() const
    {
        return 0;
    }
};

struct circle : shape {
    double r;
    __device__ circle(double r) : r(r)
    {
    }
    __device__ double area() const override
    {
        return 3 * r * r;
    }
};

struct box : shape {
    double w, h;
    __device__ box(double w, double h) : w(w), h(h)
    {
    }
    __device__ double area() const override
    {
        return w * h;
    }
    __device__ int corners() const override
    {
        return 4;
    }
};

struct square : box {
    __device__ square(double w) : box(w, w)
    {
    }
    __device__ double area() const override
    {
        return box::area() + 0.5;
    }
};

extern "C" __global__ void calls_virtual(const unsigned *a, double *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    circle one(a[i] % 10);
    box two(a[i] % 5, a[i] % 9);
    square three(a[i] % 8);
    shape *shapes[] = {&one, &two, &three};
    double sum = 0;

    for (unsigned k = 0, bits = a[i]; k < 5; k++, bits /= 3)
        sum += shapes[bits % 3]->area() * (k + 1) + shapes[bits % 3]->corners();
    out[i] = sum;
}

__device__ __noinline__ int plus(int x, int y)
{
    return x + y;
}
__device__ __noinline__ int minus(int x, int y)
{
    return x - y;
}
__device__ __noinline__ int times(int x, int y)
{
    return x * y;
}
__device__ __noinline__ int either(int x, int y)
{
    return x & 1 ? x : y;
}

typedef int operation(int, int);
__device__ operation *const table[] = {plus, minus, times, either};

// Each lane calls what its number says.
extern "C" __global__ void calls_pointer(const int *a, const unsigned *b, int *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int x = a[i];

    for (unsigned k = 0, bits = b[i]; k < 6; k++, bits /= 4)
        x = table[bits % 4](x, (int) k + 3);
    out[i] = x;
}

struct vector {
    double x, y, z;
    char tag;
};

// Structs go to a function and come back from it.
__device__ __noinline__ vector cross(vector a, vector b)
{
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x,
            (char) (a.tag + b.tag)};
}

extern "C" __global__ void calls_struct(const double *a, double *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    vector u = {a[i], a[i + 1], a[i + 2], 1}, v = {a[i + 3], a[i + 4], a[i + 5], 2};

    for (int k = 0; k < 3; k++) {
        const vector w = cross(u, v);

        u = v;
        v = w;
    }
    out[i] = v.x + v.y + v.z + v.tag;
}

// A template that is instantiated for every type, and a lambda.
template <typename T, typename F> __device__ __noinline__ T fold(const T *a, int n, F f)
{
    T x = a[0];

    for (int i = 1; i < n; i++)
        x = f(x, a[i]);
    return x;
}

extern "C" __global__ void calls_lambda(const unsigned *a, unsigned *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned factor = a[i] | 1;

    out[2 * i] = fold(a, n, [=](unsigned x, unsigned y) { return x * factor + y; });
    out[2 * i + 1] = fold(a + i, n, [](unsigned x, unsigned y) { return x > y ? x : y; });
}
