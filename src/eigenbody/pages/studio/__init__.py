"""The studio: a page served on this machine where a slider moves the poles."""

from __future__ import annotations

import os
import secrets
import socket
import sys
import threading
import webbrowser
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eigenbody.base.errors import Fault, InputError
from eigenbody.exchange import is_foreign, written_as
from eigenbody.model.model import InertModel
from eigenbody.pages.listening import bound

if TYPE_CHECKING:
    from eigenbody.pages.studio.notebook import StudioWidget

TOKEN = "EIGENBODY_STUDIO_TOKEN"  # an environment variable: the same address again after a restart
EVERYWHERE = ("0.0.0.0", "::")  # all addresses of the machine
STARTED = 20.0  # seconds that the server may take to answer


@dataclass
class Studio:
    """A studio that is running. `stop()` ends it; it ends with the program that started it."""

    address: str
    _server: Any = field(repr=False)
    _desk: Any = field(repr=False)
    _thread: threading.Thread | None = field(default=None, repr=False)

    @property
    def model(self) -> InertModel:
        """The model as the text of the page describes it now."""
        found: InertModel = self._desk.model
        return found

    def run(self) -> None:
        """Serve in this thread until interrupted."""
        self._server[0].run(sockets=[self._server[1]])

    def start(self) -> Studio:
        """Serve in a thread of its own."""
        self._thread = threading.Thread(target=self.run, daemon=True)
        self._thread.start()
        return self

    def stop(self) -> None:
        """End the server and the computing processes."""
        self._server[0].should_exit = True
        if self._thread is not None:
            self._thread.join(STARTED)


def studio(
    model: str | Path | InertModel | None = None,
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    folder: str | Path | None = None,
    show: bool = True,
    notebook: bool | None = None,
) -> Studio | StudioWidget:
    """Open a model in the studio: a page in the browser where text, drawing, knobs and poles belong together.

    model   path of a model file, a model, or None: choose one in the page, or begin a new one
    host    who may connect: by default this machine alone
    port    0: any that is free
    folder  what the page may open and write: by default that of the file
    show    open the browser
    notebook  as a widget in place of a page: by default in a notebook

    Needs the extra `studio`. Serves in a thread until `stop()` or the end of the program. The widget needs the extra
    `notebook`; it has no server, and lives until `close()` or the end of the kernel.
    """
    if is_in_notebook() if notebook is None else notebook:
        return widget(model, folder)
    made = prepared(model, host=host, port=port, folder=folder).start()
    if show:
        webbrowser.open(made.address)
    return made


def is_in_notebook() -> bool:
    """Whether a notebook asks, that shows widgets."""
    shell = sys.modules.get("IPython")
    found = shell.get_ipython() if shell is not None else None
    return found is not None and hasattr(found, "kernel")


def widget(model: str | Path | InertModel | None, folder: str | Path | None = None) -> StudioWidget:
    """The studio as a widget."""
    try:
        from eigenbody.pages.studio.notebook import StudioWidget
    except ImportError as error:
        what = f"the widget needs packages that are not installed ({error.name})."
        remedy = "Install them: pip install 'eigenbody[notebook]', or give notebook=False for a page of its own."
        raise InputError(Fault("studio", what, remedy)) from error
    return StudioWidget(*_document(model, folder))


def prepared(
    model: str | Path | InertModel | None,
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    folder: str | Path | None = None,
    budget: dict[str, float] | None = None,
) -> Studio:
    """A studio that does not serve yet."""
    try:
        from eigenbody.pages.studio.server import ANY, Gate, application, uvicorn_server
    except ImportError as error:
        what = f"the studio needs packages that are not installed ({error.name})."
        raise InputError(Fault("studio", what, "Install them: pip install 'eigenbody[studio]'")) from error
    from eigenbody.pages.studio.desk import Desk

    document, home = _document(model, folder)
    listening = bound(host, port, "studio")
    port = listening.getsockname()[1]
    token = os.environ.get(TOKEN) or secrets.token_urlsafe(24)
    desk = Desk(home, document, budget)
    own = () if host in ("127.0.0.1", "localhost", "::1") else (ANY if host in EVERYWHERE else host,)
    gate = Gate(port, token, (*Gate.hosts, *own))
    named = socket.gethostname() if host in EVERYWHERE else f"[{host}]" if ":" in host else host
    return Studio(f"http://{named}:{port}/?token={token}", (uvicorn_server(application(desk, gate)), listening), desk)


def _document(model: str | Path | InertModel | None, folder: str | Path | None) -> tuple[Any, Path]:
    """What is worked on, and the folder that the page may see."""
    from eigenbody.pages.studio.document import Document, opened, within

    home = Path(folder).resolve() if folder is not None else None
    if home is not None and not home.is_dir():
        raise InputError(Fault(str(folder), "there is no such folder."))
    if model is None:
        return None, home or Path.cwd()
    if isinstance(model, InertModel):
        return Document(None, [written_as(".yaml")(model)]), home or model.source.folder
    path = Path(model).resolve()
    if is_foreign(path):
        remedy = f"Convert it first: eigenbody convert {path.name} -o {path.stem}.yaml"
        raise InputError(Fault(path.name, "the studio edits model files.", remedy))
    if not path.is_file():
        raise InputError(Fault(str(model), "there is no such file.", "A new one: eigenbody new rotor -o rotor.yaml"))
    home = home or path.parent
    return opened(within(home, str(path))), home
