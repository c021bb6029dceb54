"""Two neural networks with every weight a name, as an unrolled model is written."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tests.benchmarks.cases import Case, returned

XOR = [(-1, -1, -1), (-1, 1, 1), (1, -1, 1), (1, 1, -1)]
WIDTH = 4
GUARD = 0.58  # tanh(1) squared: the table leaves 1 - tanh(x)^2 at abs(x) = 1


def names(letter: str, rows: int, columns: int) -> list[str]:
    return [f"{letter}{i}_{j}" for i in range(rows) for j in range(columns)]


def dot(left: Sequence[str], right: Sequence[str]) -> str:
    return " + ".join(f"{a}*{b}" for a, b in zip(left, right, strict=True))


# ---- a multilayer perceptron that learns the exclusive or


def perceptron(plain: bool) -> Case:
    """2, 4, 4, 1 units with tanh; the loss is the mean square over the four inputs.

    Plain, neither the formula has domains nor the expert a guard for large arguments.
    """
    span = range(WIDTH)
    hidden = [f"b{i}" for i in span]
    second = [f"c{i}" for i in span]
    last = [f"w{i}" for i in span]
    inputs = [*names("u", WIDTH, 2), *hidden, *names("v", WIDTH, WIDTH)]
    inputs += [*second, *last, "d"]
    formula = [f"input {', '.join(inputs)}{'' if plain else ' in [-1, 1]'}"]
    for p, (x, y, _) in enumerate(XOR):
        formula += [f"h{p}_{i} = tanh({x}*u{i}_0 + {y}*u{i}_1 + b{i})" for i in span]
        h = [f"h{p}_{i}" for i in span]
        for i in span:
            row = [f"v{i}_{j}" for j in span]
            formula.append(f"k{p}_{i} = tanh({dot(row, h)} + c{i})")
        formula.append(f"o{p} = tanh({dot(last, [f'k{p}_{i}' for i in span])} + d)")
    errors = " + ".join(f"(o{p} - ({t}))^2" for p, (_, _, t) in enumerate(XOR))
    formula.append(f"({errors})/4")
    expert = _perceptron_by_hand(plain)
    if plain:
        ranges = dict.fromkeys(inputs, (-1.0, 1.0))
        return Case("plain perceptron on XOR", "\n".join(formula), expert, ranges)
    note = "1 - tanh(x)^2 gives way to an exponential far from 0 on both sides"
    return Case("perceptron on XOR", "\n".join(formula), expert, note=note)


def _perceptron_by_hand(plain: bool) -> list[str]:
    span, points = range(WIDTH), range(len(XOR))
    lines: list[str] = []

    def tanh(name: str, argument: str) -> None:
        """The value and `name` with a d, its derivative."""
        if plain:
            lines.append(f"{name} = tanh({argument})")
            return
        lines.extend([f"x = {argument}", f"{name} = tanh(x)", f"q = {name}*{name}"])
        lines.append(
            f"d{name} = 1.0 - q if q < {GUARD} else 4.0*exp(-2.0*abs(x))/(1.0 + exp(-2.0*abs(x)))**2"
        )

    def slope(name: str) -> str:
        return f"(1.0 - {name}*{name})" if plain else f"d{name}"

    for i in span:
        lines += [f"s = u{i}_0 + u{i}_1", f"e = u{i}_0 - u{i}_1"]
        for p, argument in enumerate(("- s", "- e", "+ e", "+ s")):
            tanh(f"h{p}_{i}", f"b{i} {argument}")
    for p in points:
        h = [f"h{p}_{j}" for j in span]
        for i in span:
            tanh(f"k{p}_{i}", f"{dot([f'v{i}_{j}' for j in span], h)} + c{i}")
        tanh("o", f"{dot([f'w{j}' for j in span], [f'k{p}_{j}' for j in span])} + d")
        lines += [f"r{p} = o {'+' if XOR[p][2] < 0 else '-'} 1.0"]
        lines += [f"z{p} = 0.5*r{p}*{slope('o')}"]
        lines += [f"y{p}_{i} = z{p}*w{i}*{slope(f'k{p}_{i}')}" for i in span]
        for j in span:
            down = dot([f"y{p}_{i}" for i in span], [f"v{i}_{j}" for i in span])
            lines.append(f"x{p}_{j} = ({down})*{slope(f'h{p}_{j}')}")
    for i in span:
        lines += [f"p{i} = x3_{i} - x0_{i}", f"q{i} = x2_{i} - x1_{i}"]

    def over(letter: str, i: int) -> list[str]:
        return [f"{letter}{p}_{i}" for p in points]

    z = [f"z{p}" for p in points]
    gradient = [f"p{i} {sign} q{i}" for i in span for sign in "+-"]
    gradient += [" + ".join(over("x", i)) for i in span]
    gradient += [dot(over("y", i), over("h", j)) for i in span for j in span]
    gradient += [" + ".join(over("y", i)) for i in span]
    gradient += [dot(z, over("k", i)) for i in span]
    gradient.append(" + ".join(z))
    value = "0.25*(" + " + ".join(f"r{p}*r{p}" for p in points) + ")"
    return [*lines, returned(value, gradient)]


# ---- a transformer block that predicts the next of three tokens

EMBED, HEADS, STEPS, VOCABULARY = 4, 2, 3, 5
SIZE, INNER = EMBED // HEADS, 4 * EMBED
TOKENS = [3 * t % VOCABULARY for t in range(STEPS + 1)]
MATRICES = {
    "te": (VOCABULARY, EMBED),  # tokens
    "pe": (STEPS, EMBED),  # places
    "wq": (EMBED, EMBED),  # queries, keys, values, and out of attention
    "wk": (EMBED, EMBED),
    "wv": (EMBED, EMBED),
    "wo": (EMBED, EMBED),
    "fa": (INNER, EMBED),  # the two layers after attention
    "fb": (EMBED, INNER),
    "lm": (VOCABULARY, EMBED),  # the scores of the next token
}
WEIGHTS = [name for w, shape in MATRICES.items() for name in names(w, *shape)]
E_, F_, V_ = range(EMBED), range(INNER), range(VOCABULARY)


def row(letter: str, i: int, count: int) -> list[str]:
    """The names of a vector, or of the row of a matrix."""
    return [f"{letter}{i}_{j}" for j in range(count)]


def column(letter: str, j: int, count: int) -> list[str]:
    return [f"{letter}{i}_{j}" for i in range(count)]


def heads() -> list[list[int]]:
    """The positions of the embedding that each head attends with."""
    return [list(range(h * SIZE, h * SIZE + SIZE)) for h in range(HEADS)]


def some(letter: str, t: int, where: Sequence[int]) -> list[str]:
    return [f"{letter}{t}_{i}" for i in where]


def transformer(plain: bool) -> Case:
    """Plain, neither the formula has domains nor the expert shifts any exponents."""
    formula = [f"input {', '.join(WEIGHTS)}{'' if plain else ' in [-0.7, 0.7]'}"]
    for t in range(STEPS):
        formula += _step(t)
    formula.append("(" + " + ".join(f"l{t}" for t in range(STEPS)) + f")/{STEPS}")
    expert = _TransformerByHand(plain).written()
    if plain:
        ranges = dict.fromkeys(WEIGHTS, (-0.7, 0.7))
        return Case("plain transformer block", "\n".join(formula), expert, ranges)
    note = "no exp overflows: the expert shifts by the largest, too"
    return Case("transformer block", "\n".join(formula), expert, note=note)


def _norm(out: str, x: str, t: int) -> list[str]:
    squares = " + ".join(f"{a}^2" for a in row(x, t, EMBED))
    lines = [f"{out}s{t} = (({squares})/{EMBED} + 1e-5)^-0.5"]
    return lines + [f"{out}{t}_{i} = {x}{t}_{i}*{out}s{t}" for i in E_]


def _linear(out: str, w: str, x: str, t: int) -> list[str]:
    rows, columns = MATRICES[w]
    vector = row(x, t, columns)
    return [f"{out}{t}_{i} = {dot(row(w, i, columns), vector)}" for i in range(rows)]


def _attention(t: int) -> list[str]:
    lines = []
    for h, where in enumerate(heads()):
        a = [f"a{t}_{h}_{u}" for u in range(t + 1)]
        for u in range(t + 1):
            match = dot(some("q", t, where), some("k", u, where))
            lines.append(f"{a[u]} = exp(({match})/{SIZE}^0.5)")
        lines.append(f"as{t}_{h} = {' + '.join(a)}")
        for i in where:
            terms = [f"{a[u]}/as{t}_{h}*v{u}_{i}" for u in range(t + 1)]
            lines.append(f"c{t}_{i} = {' + '.join(terms)}")
    return lines


def _step(t: int) -> list[str]:
    """The lines of the formula for one token."""
    lines = [f"e{t}_{i} = te{TOKENS[t]}_{i} + pe{t}_{i}" for i in E_]
    lines += _norm("x", "e", t) + _norm("n", "x", t)
    for out, w in (("q", "wq"), ("k", "wk"), ("v", "wv")):
        lines += _linear(out, w, "n", t)
    lines += _attention(t) + _linear("o", "wo", "c", t)
    lines += [f"y{t}_{i} = x{t}_{i} + o{t}_{i}" for i in E_]
    lines += _norm("m", "y", t) + _linear("z", "fa", "m", t)
    lines += [f"r{t}_{i} = relu(z{t}_{i})" for i in F_] + _linear("p", "fb", "r", t)
    lines += [f"w{t}_{i} = y{t}_{i} + p{t}_{i}" for i in E_]
    lines += _linear("g", "lm", "w", t)
    total = " + ".join(f"exp({g})" for g in row("g", t, VOCABULARY))
    return [*lines, f"l{t} = -log(exp(g{t}_{TOKENS[t + 1]})/({total}))"]


class _TransformerByHand:
    """The expert's forward and backward sweep, written out."""

    def __init__(self, plain: bool) -> None:
        self.plain = plain
        self.lines: list[str] = []
        self.put: Callable[[str], None] = self.lines.append

    def written(self) -> list[str]:
        for t in range(STEPS):
            self.forward(t)
            self.loss(t)
            self.layers_back(t)
            self.attention_back(t)
        for t in range(STEPS):
            self.inputs_back(t)
        value = " + ".join(f"l{t}" for t in range(STEPS))
        value = f"{1 / STEPS!r}*({value})"
        return [*self.lines, returned(value, self.gradient())]

    def norm(self, out: str, x: str, t: int) -> None:
        square = dot(row(x, t, EMBED), row(x, t, EMBED))
        self.put(f"{out}s{t} = 1.0/sqrt({1 / EMBED!r}*({square}) + 1e-05)")
        for i in E_:
            self.put(f"{out}{t}_{i} = {x}{t}_{i}*{out}s{t}")

    def norm_back(self, out: str, d: str, n: str, t: int, add: str = "") -> None:
        """dx = s*(dn - n*mean(dn*n)) for n = x*s; `d` names the vector dn."""
        mean = " + ".join(f"{d}{i}*{n}{t}_{i}" for i in E_)
        self.put(f"mean = {1 / EMBED!r}*({mean})")
        for i in E_:
            more = f" + {add}{i}" if add else ""
            self.put(f"{out}{i} = ({d}{i} - {n}{t}_{i}*mean)*{n}s{t}{more}")

    def linear(self, out: str, w: str, x: str, t: int) -> None:
        self.lines.extend(_linear(out, w, x, t))

    def forward(self, t: int) -> None:
        for i in E_:
            self.put(f"e{t}_{i} = te{TOKENS[t]}_{i} + pe{t}_{i}")
        self.norm("x", "e", t)
        self.norm("n", "x", t)
        if t:  # with one key, what is asked makes no difference
            self.linear("q", "wq", "n", t)
        self.linear("k", "wk", "n", t)
        self.linear("v", "wv", "n", t)
        self.attention(t)
        context = row("c" if t else "v", t, EMBED)
        for i in E_:
            self.put(f"y{t}_{i} = x{t}_{i} + {dot(row('wo', i, EMBED), context)}")
        self.norm("m", "y", t)
        for i in F_:
            self.put(f"z = {dot(row('fa', i, EMBED), row('m', t, EMBED))}")
            self.put(f"r{t}_{i} = z if z > 0.0 else 0.0")
        for i in E_:
            out = dot(row("fb", i, INNER), row("r", t, INNER))
            self.put(f"w{t}_{i} = y{t}_{i} + {out}")

    def attention(self, t: int) -> None:
        for h, where in enumerate(heads() if t else []):
            a = [f"a{t}_{h}_{u}" for u in range(t + 1)]
            for u in range(t + 1):
                match = dot(some("q", t, where), some("k", u, where))
                score = f"{SIZE**-0.5!r}*({match})"
                self.put(f"{a[u]} = {f'exp({score})' if self.plain else score}")
            self.shift(a, a)
            self.put(f"part = 1.0/({' + '.join(a)})")
            for u in range(t + 1):
                self.put(f"{a[u]} = {a[u]}*part")
            for i in where:
                self.put(f"c{t}_{i} = {dot(a, [f'v{u}_{i}' for u in range(t + 1)])}")

    def shift(self, scores: Sequence[str], powers: Sequence[str]) -> None:
        """Take exponentials of scores less the largest, which cannot overflow."""
        if self.plain:
            return
        self.put(f"top = max({', '.join(scores)})")
        for score, power in zip(scores, powers, strict=True):
            self.put(f"{power} = exp({score} - top)")

    def loss(self, t: int) -> None:
        goal = TOKENS[t + 1]
        scores, powers = [f"g{i}" for i in V_], [f"exp{i}" for i in V_]
        for i in V_:
            self.put(f"g{i} = {dot(row('lm', i, EMBED), row('w', t, EMBED))}")
            if self.plain:
                self.put(f"exp{i} = exp(g{i})")
        self.shift(scores, powers)
        self.put(f"total = {' + '.join(powers)}")
        score = f"- g{goal}" if self.plain else f"+ (top - g{goal})"
        self.put(f"l{t} = log(total) {score}")
        self.put(f"part = {1 / STEPS!r}/total")
        for i in V_:
            hit = f" - {1 / STEPS!r}" if i == goal else ""
            self.put(f"dg{t}_{i} = exp{i}*part{hit}")

    def layers_back(self, t: int) -> None:
        scores = row("dg", t, VOCABULARY)
        for j in E_:
            self.put(f"dw{t}_{j} = {dot(scores, column('lm', j, VOCABULARY))}")
        for i in F_:
            down = dot(row("dw", t, EMBED), column("fb", i, EMBED))
            self.put(f"dz{t}_{i} = {down} if r{t}_{i} > 0.0 else 0.0")
        for j in E_:
            self.put(f"dm{j} = {dot(row('dz', t, INNER), column('fa', j, INNER))}")
        self.norm_back(f"dy{t}_", "dm", "m", t, f"dw{t}_")
        for j in E_:
            down = dot(row("dy", t, EMBED), column("wo", j, EMBED))
            self.put(f"dc{t}_{j} = {down}")

    def attention_back(self, t: int) -> None:
        for h, where in enumerate(heads() if t else []):
            a = [f"a{t}_{h}_{u}" for u in range(t + 1)]
            for u in range(t + 1):
                self.put(f"b{u} = {dot(some('dc', t, where), some('v', u, where))}")
            self.put(f"mean = {dot(a, [f'b{u}' for u in range(t + 1)])}")
            for u in range(t + 1):
                self.put(f"d{a[u]} = {SIZE**-0.5!r}*{a[u]}*(b{u} - mean)")
            for i in where:
                keys = [f"k{u}_{i}" for u in range(t + 1)]
                self.put(f"dq{t}_{i} = {dot([f'd{name}' for name in a], keys)}")

    def inputs_back(self, t: int) -> None:
        for i in E_:
            h = i // SIZE
            later = range(max(t, 1), STEPS)
            asked = dot([f"da{u}_{h}_{t}" for u in later], [f"q{u}_{i}" for u in later])
            self.put(f"dk{t}_{i} = {asked}")
            given = dot([f"a{u}_{h}_{t}" for u in later], [f"dc{u}_{i}" for u in later])
            self.put(f"dv{t}_{i} = {given if t else f'dc0_{i} + {given}'}")
        for j in E_:
            terms = [dot(row("dq", t, EMBED), column("wq", j, EMBED))] if t else []
            terms.append(dot(row("dk", t, EMBED), column("wk", j, EMBED)))
            terms.append(dot(row("dv", t, EMBED), column("wv", j, EMBED)))
            self.put(f"dn{j} = {' + '.join(terms)}")
        self.norm_back("dx", "dn", "n", t, f"dy{t}_")
        self.norm_back(f"de{t}_", "dx", "x", t)

    def gradient(self) -> list[str]:
        steps = range(STEPS)
        found = []
        for token in V_:
            for i in E_:
                terms = [f"de{t}_{i}" for t in steps if TOKENS[t] == token]
                found.append(" + ".join(terms) or "0.0")
        found += [f"de{t}_{i}" for t in steps for i in E_]
        found += self.outer("dq", "n", "wq", 1) + self.outer("dk", "n", "wk")
        found += self.outer("dv", "n", "wv")
        out = self.outer("dy", "c", "wo", 1)
        first = [f"dy0_{i}*v0_{j} + " for i in E_ for j in E_]
        found += [a + b for a, b in zip(first, out, strict=True)]
        found += self.outer("dz", "m", "fa") + self.outer("dw", "r", "fb")
        return found + self.outer("dg", "w", "lm")

    def outer(self, d: str, x: str, w: str, start: int = 0) -> list[str]:
        """The gradient by a matrix: what came down times what went in."""
        rows, columns = MATRICES[w]
        steps = range(start, STEPS)
        return [
            dot([f"{d}{t}_{i}" for t in steps], [f"{x}{t}_{j}" for t in steps])
            for i in range(rows)
            for j in range(columns)
        ]


CASES = [perceptron(False), transformer(False)]
PLAIN = [perceptron(True), transformer(True)]
