/* What the wrapper of an extension stands on; `native.py` copies it behind the functions. */

#include <Python.h>
#include <fenv.h>
#include <string.h>

#define CODE(f) ((PyCFunction)(void (*)(void))(f))
#ifdef __x86_64__  // whose register is read faster than by a call
#include <xmmintrin.h>
#define RAISED() (_mm_getcsr() & (_MM_EXCEPT_DIV_ZERO | _MM_EXCEPT_INVALID | _MM_EXCEPT_OVERFLOW))
#else
#define RAISED() fetestexcept(RAISING)
#endif
enum { RAISING = FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW };

// Whether results are finite, and nothing has happened for which Python would raise.
static inline int fine(const double *x, int n) {
    int k = 0;
#ifdef __GNUC__
    __asm__ volatile("" : : "r"(x) : "memory");
#endif
    if (RAISED()) {
        feclearexcept(RAISING);
        return 0;
    }
    while (k < n && isfinite(x[k])) k++;
    return k == n;
}

// Make a number a double; an error is left if it is none, but for one beyond doubles.
static int converted(PyObject *o, double *x) {
    if (!o) return 0;
    *x = PyFloat_AsDouble(o);
    if (*x == -1.0 && PyErr_Occurred()) {
        if (PyErr_ExceptionMatches(PyExc_OverflowError)) PyErr_Clear();
        return 0;
    }
    return 1;
}

static inline int number(PyObject *o, double *x) {
    if (!o || !PyFloat_CheckExact(o)) return converted(o, x);
    *x = PyFloat_AS_DOUBLE(o);
    return 1;
}

// The k-th part of a tuple or a list of n, or NULL.
static PyObject *part(PyObject *o, Py_ssize_t k, Py_ssize_t n) {
    if (o && PyTuple_CheckExact(o) && PyTuple_GET_SIZE(o) == n) return PyTuple_GET_ITEM(o, k);
#ifndef Py_GIL_DISABLED
    if (o && PyList_CheckExact(o) && PyList_GET_SIZE(o) == n) return PyList_GET_ITEM(o, k);
#endif
    return NULL;
}

// Take the floats of nested tuples or lists, or of a buffer of doubles.
static int array(PyObject *o, double *x, int depth, const Py_ssize_t *shape) {
    Py_ssize_t n = shape[0], size = 1;
    Py_buffer view;
    if (!o) return 0;
    for (int d = 1; d < depth; d++) size *= shape[d];
    if (part(o, 0, n)) {
        for (Py_ssize_t k = 0; k < n; k++) {
            PyObject *item = part(o, k, n);
            if (depth > 1 ? !array(item, x + k * size, depth - 1, shape + 1)
                          : !PyFloat_CheckExact(item) && !PyLong_CheckExact(item))
                return 0;
            if (depth == 1 && !number(item, x + k)) return 0;
        }
        return 1;
    }
    if (!PyObject_CheckBuffer(o)) return 0;
    if (PyObject_GetBuffer(o, &view, PyBUF_FORMAT | PyBUF_C_CONTIGUOUS)) {
        PyErr_Clear();
        return 0;
    }
    int same = view.ndim == depth && view.format && !strcmp(view.format, "d");
    for (int d = 0; same && d < depth; d++) same = view.shape[d] == shape[d];
    if (same) memcpy(x, view.buf, (size_t)(n * size) * sizeof *x);
    PyBuffer_Release(&view);
    return same;
}

// A tuple of some objects, whose references it takes; NULL if one of them is.
static inline PyObject *tuple(Py_ssize_t n, PyObject *const *items) {
    PyObject *made = PyTuple_New(n);
    int failed = !made;
    for (Py_ssize_t k = 0; k < n; k++) {
        failed |= !items[k];
        if (made) PyTuple_SET_ITEM(made, k, items[k]);
        else Py_XDECREF(items[k]);
    }
    if (failed) Py_CLEAR(made);
    return made;
}

// A tuple of numbers.
static inline PyObject *floats(const double *x, Py_ssize_t n) {
    PyObject *made = PyTuple_New(n);
    for (Py_ssize_t k = 0; made && k < n; k++) {
        PyObject *item = PyFloat_FromDouble(x[k]);
        if (item) PyTuple_SET_ITEM(made, k, item);
        else Py_CLEAR(made);
    }
    return made;
}

// The functions of a table by name, each with that of the same name in `others` behind it.
static PyObject *behind(PyMethodDef *own, PyObject *others) {
    PyObject *made = PyDict_New();
    for (; made && own->ml_name; own++) {
        PyObject *other = PyDict_GetItemString(others, own->ml_name);
        PyObject *one = other ? PyCFunction_New(own, other) : NULL;
        if (other && (!one || PyDict_SetItemString(made, own->ml_name, one)))
            Py_CLEAR(made);
        Py_XDECREF(one);
    }
    return made;
}
