"""A model built in code: an inverted pendulum held upright by a controller whose motor lags.

    python examples/python_api.py

The motor torque is a first-order state, lag * torque' = -(kp * pin + kd * pin') - torque, so the linear state is
[pin, pin', torque] and the eigenvalues are the roots of (J s^2 - m g l)(lag s + 1) + kd s + kp = 0.
"""

from __future__ import annotations

import eigenbody as eb


def build() -> eb.Model:
    """The mechanism with its controller; every call returns a new model."""
    return (
        eb.Model(name="Inverted pendulum with a lagging motor", gravity=[0, 0, -9.81])
        .parameter("kp", "60 N*m/rad")
        .parameter("kd", "12 N*m*s/rad")
        .parameter("lag", "20 ms")
        .body("rod", mass=3, inertia=[0.25, 0.25, 0.01], at=[0, 0, 0.5])
        .joint("pin", "revolute", between=["ground", "rod"], at=[0, 0, 0], axis=[0, 1, 0])
        .state("torque", rate="=(-kp*pin - kd*pin' - torque)/lag")
        .force("motor", "actuator", along="pin", value="=torque")
        .input("push", body="rod", at=[0, 0, 1], direction=[1, 0, 0])
        .output("lean", measure="pin")
    )


def linearized(**parameters: object) -> eb.LinearModel:
    """The linear model, for other parameter values if any are given."""
    return eb.linearize(build().with_parameters(**parameters))


def main() -> None:
    """Print the state space and the modes, and show that the controller fails with a slow motor."""
    linear = linearized()
    print(linear)
    print(eb.modes(linear).table())
    slow = eb.modes(linearized(lag="300 ms"))
    print(f"With a lag of 300 ms the pendulum is {slow.stability}.")


if __name__ == "__main__":
    main()
    figure = eb.modes(linearized()).plot()
    figure.savefig("python_api.png")
