"""A formula and its gradient, compiled by gradc 0.2.0.

# Rate of an enzyme whose substrate competes with an inhibitor and, in excess,
# inhibits the enzyme itself (Haldane's form of Michaelis and Menten).
input vmax in [0.1, 100]      # rate with plenty of substrate
input km, ki, ks in [0.01, 50]
data substrate, inhibitor in [0, 100]

crowding = 1 + substrate/ks
vmax*substrate/(km*(1 + inhibitor/ki) + substrate*crowding)
"""

# fmt: off  # ruff: noqa
# Do not edit: change the formula and compile it again.
# digest: 8ee977a1bfd89c2e

INPUTS = ("vmax", "km", "ki", "ks", "substrate", "inhibitor")
WRT = ("vmax", "km", "ki", "ks")


def value(
    vmax: float, km: float, ki: float, ks: float, substrate: float, inhibitor: float
) -> float:
    """Return the value of the formula."""
    t1 = km * (1.0 + inhibitor / ki) + substrate * (1.0 + substrate / ks)
    return vmax * (substrate / t1)


def value_and_grad(
    vmax: float, km: float, ki: float, ks: float, substrate: float, inhibitor: float
) -> tuple[float, tuple[float, float, float, float]]:
    """Return the value and its gradient, in the order of WRT."""
    t1 = substrate / ks  # in 1 + substrate/ks
    t2 = inhibitor / ki  # in 1 + inhibitor/ki
    t3 = 1.0 + t2  # 1 + inhibitor/ki
    t4 = km * t3 + substrate * (1.0 + t1)  # km*(1 + inhibitor/ki) + substrate*crowding
    t5 = substrate / t4  # in d(vmax*substrate)
    t6 = vmax * t5  # vmax*substrate/(km*(1 + inhibitor/ki) + substrate*crowding)
    t7 = t6 / t4  # in d(km*(1 + inhibitor/ki))
    return t6, (t5, -(t7 * t3), t7 * km * t2 / ki, t1 * t6 * t5 / ks)
