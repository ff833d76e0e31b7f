"""The address at which a page or a service is found."""

from __future__ import annotations

import socket

from eigenbody.base.errors import ComputationError

WAITING = 512  # connections that wait until the server takes them


def bound(host: str, port: int, who: str) -> socket.socket:
    """A socket at the address, so that the port is known before the server runs; who asks before that waits for it."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    found = socket.socket(family, socket.SOCK_STREAM)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((host, port))
        found.listen(WAITING)
    except (OSError, OverflowError) as error:
        found.close()
        reason = getattr(error, "strerror", None) or str(error)
        raise ComputationError(f"The {who} cannot listen on {host}, port {port}: {reason}.") from error
    return found
