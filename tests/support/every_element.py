BLOCK_SAMPLES = {
    "transfer": {"keys": {"input": "=gauge + 0.3*lag", "numerator": [0.4, 1.5], "denominator": [2.0, 3.0, 5.0]}},
    "state_space": {
        "keys": {"inputs": ["=gauge", "=gauge' + knob"], "A": [[-1, 0.3], [0.2, -2]], "B": [[1, 0.5], [0.2, 0.7]],
                 "C": [[1, 0.4], [0.3, 0.1]], "D": [[0.2, 0.1], [0, 0]], "outputs": ["u", "w"], "initial": [0.2, -0.1]},
        "output": ".u",
    },
    "pid": {"keys": {"input": "=gauge - 0.4", "kp": 3.0, "ki": 0.7, "kd": 0.2, "filter": 0.1}},
    "filter": {"keys": {"input": "=gauge'", "corner": 4.0, "order": 2, "kind": "highpass"}},
    "delay": {"keys": {"input": "=0.5*gauge + lag", "time": 0.2, "order": 3}},
}  # fmt: skip
