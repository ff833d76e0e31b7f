"""An inverted pendulum on a cart, held upright by a regulator that python-control designs from the linear model.

    python examples/cart_pole_lqr.py            needs python-control: pip install eigenbody[control]

The linear model goes out by `to_control()`, the gains of the linear-quadratic regulator come back as a force of the
model, and the nonlinear pendulum is let go at 20 degrees.
"""

from __future__ import annotations

import numpy as np

import eigenbody as eb

WEIGHTS = {"cart": 10.0, "pole": 100.0, "cart'": 1.0, "pole'": 1.0}
EFFORT = 0.1


def plant(**start: float) -> eb.Model:
    """Cart and pole; the input is the force on the cart."""
    return (
        eb.Model(name="Cart and pole", gravity=[0, 0, -9.81])
        .body("cart", mass=1.2, at=[0, 0, 0])
        .body("pole", mass=0.3, inertia=[0.01, 0.01, 1e-4], at=[0, 0, 0.4])
        .joint("cart", "prismatic", between=["ground", "cart"], at=[0, 0, 0], axis=[1, 0, 0])
        .joint("pole", "revolute", between=["cart", "pole"], at=[0, 0, 0], axis=[0, 1, 0], **start)
        .input("push", along="cart")
        .output("position", measure="cart")
        .output("angle", measure="pole")
    )


def gains() -> dict[str, float]:
    """Gain of every state, by python-control."""
    import control

    linear = eb.linearize(plant())
    system = linear.to_control()
    K, _, _ = control.lqr(system, np.diag([WEIGHTS[name] for name in linear.states]), [[EFFORT]])
    return dict(zip(linear.states, K[0].tolist(), strict=True))


def controlled(found: dict[str, float], **start: float) -> eb.Model:
    """The plant with the regulator as a force."""
    feedback = " - ".join(f"{gain!r}*{name}" for name, gain in found.items())
    return plant(**start).force("regulator", "actuator", along="cart", value=f"=0 - {feedback}".replace("- -", "+ "))


def main() -> None:
    """Print the closed loop's modes and let the pendulum go."""
    found = gains()
    print(eb.modes(controlled(found)))
    motion = eb.simulate(controlled(found, position=np.deg2rad(20)), until=8.0)
    print(f"after 8 s: pole {motion.signal('pole')[-1]:.1e} rad, cart {motion.signal('cart')[-1]:.1e} m")


if __name__ == "__main__":
    main()
