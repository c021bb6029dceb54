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

// A loop over rows: what Python calls, what it takes by kinds, and how many sums it has.
typedef struct {
    PyCFunction code;
    const char *kinds;
    void (*loop)(size_t, double *const *, double *);
    Py_ssize_t sums;
} Rows;

// What a loop takes: a number, or a column, of which a copy is summed by groups.
typedef struct { Py_buffer view; double number, *sums; } Given;

// Take what a kind says: 'n' a number, 'r' a column, 'w' one of results or a table of them,
// 'l' a whole list, 'g' sums by groups. The columns of rows have one length. Returned is how
// many of the kinds it is, 0 if it is another.
static Py_ssize_t taken(PyObject *o, const char *kinds, Given *x, double **at, Py_ssize_t *rows) {
    const Py_buffer *view = &x->view;
    int is_row = *kinds == 'r' || *kinds == 'w', flags = PyBUF_FORMAT | PyBUF_STRIDES;
    Py_ssize_t count = 1;
    if (*kinds == 'n') {
        *at = &x->number;
        return converted(o, &x->number);
    }
    if (*kinds == 'w' || *kinds == 'g') flags |= PyBUF_WRITABLE;
    if (PyObject_GetBuffer(o, &x->view, flags)) return 0;
    if (view->ndim < 1 || !view->format || strcmp(view->format, "d")) return 0;
    if (view->strides[0] != sizeof **at || (view->ndim > 1 && *kinds != 'w')) return 0;
    if (is_row && *rows < 0) *rows = view->shape[0];
    if (is_row && *rows != view->shape[0]) return 0;
    for (int d = 1; d < view->ndim; d++) count *= view->shape[d];
    for (Py_ssize_t k = 0; k < count; k++) {
        char *place = view->buf;
        Py_ssize_t rest = k;
        if (kinds[k] != *kinds) return 0;
        for (int d = view->ndim - 1; d > 0; rest /= view->shape[d--])
            place += rest % view->shape[d] * view->strides[d];
        at[k] = (double *)place;
    }
    if (*kinds == 'g') *at = x->sums = PyMem_Calloc((size_t)view->shape[0] + 1, sizeof **at);
    return *at ? count : 0;
}

// Go over rows; NULL, and no error, where anything is out of the ordinary.
static PyObject *gone(const Rows *own, PyObject *const *args, Py_ssize_t n) {
    const char *kinds = own->kinds, *kind = kinds;
    Given *given = PyMem_Calloc((size_t)n + 1, sizeof *given);
    double **x = PyMem_Calloc(strlen(kinds) + (size_t)own->sums + 1, sizeof *x);
    PyObject *made = NULL;
    Py_ssize_t rows = -1, count = given && x;
    for (Py_ssize_t k = 0; count && k < n; kind += count, k++)
        count = *kind ? taken(args[k], kind, given + k, x + (kind - kinds), &rows) : 0;
    if (count && !*kind) {
        double *found = (double *)(x + (kind - kinds));
        int fits;
        Py_BEGIN_ALLOW_THREADS
        feclearexcept(RAISING);
        own->loop((size_t)rows, x, found);
        fits = !RAISED();
        Py_END_ALLOW_THREADS
        for (Py_ssize_t k = 0; fits && k < n; k++)
            for (Py_ssize_t j = 0; given[k].sums && j < given[k].view.shape[0]; j++)
                ((double *)given[k].view.buf)[j] += given[k].sums[j];
        made = fits ? floats(found, own->sums) : NULL;
    }
    for (Py_ssize_t k = 0; given && k < n; k++) {
        PyMem_Free(given[k].sums);
        if (given[k].view.obj) PyBuffer_Release(&given[k].view);
    }
    PyMem_Free(given);
    PyMem_Free(x);
    if (!made) PyErr_Clear();
    return made;
}

// Go over rows as they are passed to a loop of Python.
static PyObject *looped(PyObject *self, PyObject *const *args, Py_ssize_t n, const Rows *own) {
    PyObject *made = gone(own, args, n);
    return made ? made : PyObject_Vectorcall(self, args, (size_t)n, NULL);
}

// The columns that stand in bound ones under the name of what makes them, NULL if none do.
static PyObject *kept(PyObject *o) {
    PyObject *name = part(o, 1, 2) ? PyObject_GetAttrString(part(o, 1, 2), "__name__") : NULL;
    PyObject *found = name ? PyObject_GetAttr(part(o, 0, 2), name) : NULL;
    Py_XDECREF(name);
    return found;
}

// What `over` does of one block of rows, and else that of Python.
static PyObject *over(const Rows *const *every, PyObject *self, PyObject *const *args,
                      Py_ssize_t n, PyObject *names) {
    PyCFunction code = n > 1 && PyCFunction_Check(args[0]) ? PyCFunction_GET_FUNCTION(args[0]) : NULL;
    PyObject *given = n > 1 ? Py_NewRef(args[1]) : NULL, *out = NULL, *made = NULL, **items;
    for (Py_ssize_t k = 0; names && k < PyTuple_GET_SIZE(names); k++) {
        PyObject *name = PyTuple_GET_ITEM(names, k);
        if (!PyUnicode_CompareWithASCIIString(name, "out")) out = args[n + k];
        if (!PyUnicode_CompareWithASCIIString(name, "kept")) Py_XSETREF(given, kept(args[n + k]));
    }
    while (*every && (*every)->code != code) every++;
    if (*every && given && (PyTuple_CheckExact(given) || PyList_CheckExact(given))) {
        Py_ssize_t columns = PySequence_Fast_GET_SIZE(given), others = n - 2;
        Py_ssize_t filled = out && PyList_CheckExact(out) ? PyList_GET_SIZE(out) : 0;
        Py_ssize_t count = columns + others + filled;
        int fits = columns && PyObject_Length(PySequence_Fast_GET_ITEM(given, 0)) <= BLOCK;
        if (fits && (items = PyMem_Calloc((size_t)count, sizeof *items))) {
            for (Py_ssize_t k = 0; k < count; k++)
                items[k] = k < columns            ? PySequence_Fast_GET_ITEM(given, k)
                           : k < columns + others ? args[2 + k - columns]
                                                  : PyList_GET_ITEM(out, k - columns - others);
            made = gone(*every, items, count);
            PyMem_Free(items);
        }
    }
    Py_XDECREF(given);
    if (made) return made;
    PyErr_Clear();
    return PyObject_Vectorcall(self, args, (size_t)n, names);
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
