/* What stands before and behind the wrappers of an extension; `native.py` copies it and tells
   NAME, INIT, DIGEST and BLOCK. */

#include <Python.h>
#include <fenv.h>
#include <string.h>

#define CODE(f) ((PyCFunction)(void (*)(void))(f))
#ifdef __SSE2__  // whose register is read faster than by a call
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

// Make a number a double.
static int converted(PyObject *o, double *x) {
    *x = PyFloat_AsDouble(o);
    if (*x != -1.0 || !PyErr_Occurred()) return 1;
    PyErr_Clear();
    return 0;
}

// Take a finite float, also one of NumPy, or a whole number.
static inline int number(PyObject *o, double *x) {
    if (!o) return 0;
    if (PyFloat_CheckExact(o)) *x = PyFloat_AS_DOUBLE(o);
    else if (!PyLong_CheckExact(o) && strcmp(Py_TYPE(o)->tp_name, "numpy.float64")) return 0;
    else if (!converted(o, x)) return 0;
    return isfinite(*x);
}

// Whether it is an array of plain numbers, of which none is masked.
static int plain(PyObject *o) {
    const char *name = Py_TYPE(o)->tp_name;
    return !strcmp(name, "numpy.ndarray") || !strcmp(name, "array.array");
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
                          : !number(item, x + k))
                return 0;
        }
        return 1;
    }
    if (!plain(o)) return 0;
    if (PyObject_GetBuffer(o, &view, PyBUF_FORMAT | PyBUF_C_CONTIGUOUS)) {
        PyErr_Clear();
        return 0;
    }
    int same = view.ndim == depth && view.format && !strcmp(view.format, "d");
    for (int d = 0; same && d < depth; d++) same = view.shape[d] == shape[d];
    if (same) memcpy(x, view.buf, (size_t)(n * size) * sizeof *x);
    for (Py_ssize_t k = 0; same && k < n * size; k++) same = isfinite(x[k]);
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

// The functions of a table by name, each with that of the same name in `others` behind it,
// and how many rows those of columns take at a time.
static PyObject *behind(PyMethodDef *own, PyObject *others, long block) {
    PyObject *made = PyDict_New(), *rows = block ? PyLong_FromLong(block) : NULL;
    if (block && (!rows || (made && PyDict_SetItemString(made, "BLOCK", rows)))) Py_CLEAR(made);
    Py_XDECREF(rows);
    for (; made && own->ml_name; own++) {
        PyObject *other = PyDict_GetItemString(others, own->ml_name);
        PyObject *one = other ? PyCFunction_New(own, other) : NULL;
        if (other && (!one || PyDict_SetItemString(made, own->ml_name, one)))
            Py_CLEAR(made);
        Py_XDECREF(one);
    }
    return made;
}

// What a loop over rows takes: a number, or a column, of which a copy is summed by groups.
typedef struct { Py_buffer view; double number, *sums; } Given;

// Take what a kind says: 'n' a number, 'r' a column, 'w' one of results, 'l' a whole list,
// 'g' sums by groups. The columns of rows have one length.
static int taken(PyObject *o, char kind, Given *x, double **at, Py_ssize_t *rows) {
    int is_row = kind == 'r' || kind == 'w', flags = PyBUF_FORMAT | PyBUF_C_CONTIGUOUS;
    if (kind == 'n') {
        *at = &x->number;
        return converted(o, &x->number);
    }
    if (kind == 'w' || kind == 'g') flags |= PyBUF_WRITABLE;
    if (PyObject_GetBuffer(o, &x->view, flags)) return 0;
    *at = x->view.buf;
    if (x->view.ndim != 1 || !x->view.format || strcmp(x->view.format, "d")) return 0;
    if (is_row && *rows < 0) *rows = x->view.shape[0];
    if (kind == 'g') *at = x->sums = PyMem_Calloc((size_t)x->view.shape[0] + 1, sizeof **at);
    return *at && (!is_row || *rows == x->view.shape[0]);
}

// Go over rows; where anything is out of the ordinary, the function of Python does.
static PyObject *over(PyObject *self, PyObject *const *args, Py_ssize_t n, const char *kinds,
                      void (*loop)(size_t, double *const *, double *), Py_ssize_t sums) {
    Given *given = PyMem_Calloc((size_t)n + 1, sizeof *given);
    double **x = PyMem_Calloc((size_t)(n + sums + 1), sizeof *x);
    PyObject *made = NULL;
    Py_ssize_t rows = -1;
    int fits = given && x && n == (Py_ssize_t)strlen(kinds);
    for (Py_ssize_t k = 0; fits && k < n; k++)
        fits = taken(args[k], kinds[k], given + k, x + k, &rows);
    if (fits) {
        double *found = (double *)(x + n);
        Py_BEGIN_ALLOW_THREADS
        feclearexcept(RAISING);
        loop((size_t)rows, x, found);
        fits = !RAISED();
        Py_END_ALLOW_THREADS
        for (Py_ssize_t k = 0; fits && k < n; k++)
            for (Py_ssize_t j = 0; kinds[k] == 'g' && j < given[k].view.shape[0]; j++)
                ((double *)given[k].view.buf)[j] += given[k].sums[j];
        made = fits ? floats(found, sums) : NULL;
    }
    for (Py_ssize_t k = 0; given && k < n; k++) {
        PyMem_Free(given[k].sums);
        if (given[k].view.obj) PyBuffer_Release(&given[k].view);
    }
    PyMem_Free(given);
    PyMem_Free(x);
    if (fits) return made;
    PyErr_Clear();
    return PyObject_Vectorcall(self, args, (size_t)n, NULL);
}

// Behind the wrappers.
static PyObject *functions(PyObject *module, PyObject *others) {
    (void)module;
    return behind(wrapped, others, BLOCK);
}

static PyMethodDef own[] = {
    {"functions", functions, METH_O, "The functions, each with another one behind it."},
    {NULL, NULL, 0, NULL},
};

static int named(PyObject *module) {
    return PyModule_AddStringConstant(module, "DIGEST", DIGEST);
}

static PyModuleDef_Slot slots[] = {
    {Py_mod_exec, (void *)named},
#if PY_VERSION_HEX >= 0x030C0000
    {Py_mod_multiple_interpreters, Py_MOD_PER_INTERPRETER_GIL_SUPPORTED},
#endif
#ifdef Py_GIL_DISABLED
    {Py_mod_gil, Py_MOD_GIL_NOT_USED},
#endif
    {0, NULL},
};

static PyModuleDef module = {
    PyModuleDef_HEAD_INIT, NAME, NULL, 0, own, slots, NULL, NULL, NULL,
};

PyMODINIT_FUNC INIT(void) {
    return PyModuleDef_Init(&module);
}

#endif
