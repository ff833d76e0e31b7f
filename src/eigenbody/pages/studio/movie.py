"""Pictures that the page has drawn become a movie: an animated GIF, or an animated PNG with all colours (Pillow)."""

from __future__ import annotations

import base64
import binascii
import io
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from eigenbody.base.errors import Fault, InputError

if TYPE_CHECKING:
    from PIL.Image import Image

FORMATS = {"gif": ("GIF", "image/gif"), "png": ("PNG", "image/png")}
FRAMES = 400  # most
CHARACTERS = 100_000_000  # of all pictures of a movie
SIDE = 2000  # px, longest
HEAD = "data:image/png;base64,"


def movie(request: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The file of a movie; it plays again and again."""
    yield "busy", {"what": "movie", "stage": "writing the movie", "share": None}
    content = movie_bytes(request["frames"], request["format"], float(request["seconds"]))
    yield "file", {
        "name": f"mechanism.{request['format']}", "type": FORMATS[request["format"]][1],
        "content": base64.b64encode(content).decode("ascii"),
    }  # fmt: skip


def movie_bytes(frames: list[Any], format_: str, seconds: float) -> bytes:
    """Frames (PNG as addresses of data) that follow each other after so many seconds each."""
    if format_ not in FORMATS or not 0.01 <= seconds <= 10:
        raise InputError(Fault("movie", "its format or pace is not known.", f"Formats: {', '.join(FORMATS)}."))
    if not 2 <= len(frames) <= FRAMES:
        raise InputError(Fault("movie", f"{len(frames)} pictures make no movie.", f"Between 2 and {FRAMES} are taken."))
    pictures = [_picture(frame) for frame in frames]
    if len({picture.size for picture in pictures}) > 1:
        raise InputError(Fault("movie", "its pictures differ in size.", "Do not change the window meanwhile."))
    out = io.BytesIO()
    first, *others = pictures
    first.save(
        out, FORMATS[format_][0], save_all=True, append_images=others, duration=round(1000 * seconds), loop=0,
        optimize=False,
    )  # fmt: skip
    return out.getvalue()


def _picture(frame: Any) -> Image:
    from PIL import Image, UnidentifiedImageError

    fault = Fault("movie", "a picture cannot be read.", "Load the page again.")
    if not isinstance(frame, str) or not frame.startswith(HEAD):
        raise InputError(fault)
    try:
        found = Image.open(io.BytesIO(base64.b64decode(frame[len(HEAD) :], validate=True)), formats=["PNG"])
        if max(found.size) > SIDE:
            raise InputError(Fault("movie", f"a picture has {max(found.size)} pixels.", f"{SIDE} are taken at most."))
        return found.convert("RGB")
    except (binascii.Error, UnidentifiedImageError, OSError, ValueError) as error:
        raise InputError(fault) from error
