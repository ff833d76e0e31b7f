"""What a service may offer: the commands that answer a model with one JSON document, and their options, read from the
registry of commands."""

from __future__ import annotations

from typing import Any

NEVER = {"FILE": "it writes a file", "FOLDER": "it keeps files", "ADDRESS": "it names another machine"}  # by metavar
LEFT_OUT = {
    "--json": "it is always given",
    "--quiet": "nothing is printed",
    "--allow-files": "files outside the folder of the service are not read",
    "--limit-seconds": "the service has its own budget",
    "--limit-memory": "the service has its own budget",
    "--workers": "a request is computed by one process",
}
KINDS = {"integer": "integer", "integer range": "integer", "float": "number", "float range": "number"}


def catalog(group: Any) -> dict[str, Any]:
    """Of a click group: {"commands": [...], "left_out": {command: reason}}, plain data."""
    served, left_out = [], {}
    for name, command in group.commands.items():
        reason = _why_not(command)
        if reason is None:
            served.append(_described(name, command))
        else:
            left_out[name] = reason
    return {"commands": served, "left_out": left_out}


def _why_not(command: Any) -> str | None:
    """Why a command is not offered; None where it is."""
    if not any(parameter.name == "model" for parameter in command.params):
        return "it works on no model"
    if not any("--json" in parameter.opts for parameter in command.params):
        return "it gives no JSON document"
    if any(parameter.metavar in NEVER and parameter.default is not None for parameter in command.params):
        return "it always writes a file"
    return None


def _described(name: str, command: Any) -> dict[str, Any]:
    summary, _, description = (command.help or "").replace("\b\n", "").partition("\n")
    offered, left_out = [], {}
    for parameter in command.params:
        if parameter.name == "model":
            continue
        flag = parameter.opts[0]
        reason = LEFT_OUT.get(flag) or NEVER.get(parameter.metavar or "")
        if reason is None:
            offered.append(_option(parameter))
        else:
            left_out[key_of(flag)] = reason
    model = next(parameter for parameter in command.params if parameter.name == "model")
    return {
        "command": name,
        "summary": summary,
        "description": description.strip(),
        "model": "required" if model.required else "optional",
        "options": offered,
        "left_out": left_out,
    }


def key_of(flag: str) -> str:
    """`--base-order` as it is called in JSON: base_order."""
    return flag.lstrip("-").replace("-", "_")


def _option(parameter: Any) -> dict[str, Any]:
    is_positional = parameter.param_type_name == "argument"
    is_file = is_positional or (parameter.metavar or "").startswith("FILE.")
    is_flag = not is_positional and parameter.is_flag
    found = {
        "name": key_of(parameter.opts[0]),
        "flag": "" if is_positional else parameter.opts[0],
        "off": (parameter.secondary_opts or [""])[0],
        "type": "file" if is_file else "boolean" if is_flag else KINDS.get(parameter.type.name, "string"),
        "multiple": bool(parameter.nargs == -1 if is_positional else parameter.multiple),
        "written": parameter.metavar or "",
        "help": getattr(parameter, "help", None) or "",
        "default": parameter.default if isinstance(parameter.default, int | float | str) else None,
    }
    for bound, word in (("min", "minimum"), ("max", "maximum")):
        value = getattr(parameter.type, bound, None)
        if value is not None:
            found[word] = value
    return found
