"""What all tests have in common."""

import signal


def pytest_configure() -> None:
    """Ctrl-C works in tests of it also where they are run by something that ignores it (a job in the background)."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
