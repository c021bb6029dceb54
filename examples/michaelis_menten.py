"""A formula and its gradient, compiled by gradc 0.1.0.

Formula:

    # Rate of an enzyme whose substrate competes with an inhibitor and, in excess,
    # inhibits the enzyme itself (Haldane's form of Michaelis and Menten).
    input vmax in [0.1, 100]      # rate with plenty of substrate
    input km, ki, ks in [0.01, 50]
    data substrate, inhibitor in [0, 100]

    crowding = 1 + substrate/ks
    vmax*substrate/(km*(1 + inhibitor/ki) + substrate*crowding)

Arguments:
    vmax: in [0.1, 100]
    km: in [0.01, 50]
    ki: in [0.01, 50]
    ks: in [0.01, 50]
    substrate: data, gets no derivative; in [0, 100]
    inhibitor: data, gets no derivative; in [0, 100]
"""

# Do not edit: change the formula and compile it again.
# digest: fae8e4a43f85fe5c3294293ebef71489

INPUTS = ("vmax", "km", "ki", "ks", "substrate", "inhibitor")
WRT = ("vmax", "km", "ki", "ks")


def value(
    vmax: float, km: float, ki: float, ks: float, substrate: float, inhibitor: float
) -> float:
    """Return the value of the formula."""
    t1 = substrate * (1.0 + substrate / ks)
    t2 = vmax * (substrate / (km * (1.0 + inhibitor / ki) + t1))  # vmax*substrate/(k...
    return t2


def value_and_grad(
    vmax: float, km: float, ki: float, ks: float, substrate: float, inhibitor: float
) -> tuple[float, tuple[float, float, float, float]]:
    """Return the value and its gradient, in the order of WRT."""
    t1 = substrate / ks  # substrate/ks
    t2 = inhibitor / ki  # inhibitor/ki
    t3 = 1.0 + t2  # 1 + inhibitor/ki
    t4 = km * t3 + substrate * (1.0 + t1)  # km*(1 + inhibitor/ki) + substrate*crowding
    d_vmax = substrate / t4  # d(vmax*substrate)
    t5 = vmax * d_vmax  # vmax*substrate/(km*(1 + inhibitor/ki) + substrate*crowding)
    t6 = t5 / t4
    return t5, (d_vmax, -t6 * t3, t6 * km * t2 / ki, t6 * t1 * t1)
