// The line to the server: JSON messages with a `kind` (the table is in protocol.py), opened again whenever it breaks.

/** @typedef {{kind: string, [field: string]: any}} Message */

/** Who hears which kind of message. */
function makeEars() {
  /** @type {Map<string, ((message: any) => void)[]>} */
  const listeners = new Map();
  return {
    /** Hear messages of a kind; "up" and "down" say whether there is a line. @param {string} kind @param {(message: any) => void} run */
    on(kind, run) { listeners.set(kind, [...(listeners.get(kind) || []), run]); },
    tell(/** @type {Message} */ message) { for (const run of listeners.get(message.kind) || []) run(message); },
  };
}

/** A line over a port, where the page has no server. @param {MessagePort} port */
export function lineOver(port) {
  const { on, tell } = makeEars();
  /** @param {string} kind @param {Record<string, any>} [fields] */
  function say(kind, fields = {}) { port.postMessage(JSON.stringify({ kind, ...fields })); return true; }
  function open() { port.onmessage = (event) => tell(JSON.parse(event.data)); tell({ kind: "up" }); say("hello"); }
  return { on, say, open };
}

export function openLine() {
  const { on, tell } = makeEars();
  /** @type {WebSocket | null} */
  let socket = null;
  let pause = 250, isRefused = false;

  /** False where there is no line now. @param {string} kind @param {Record<string, any>} [fields] */
  function say(kind, fields = {}) {
    if (!socket || socket.readyState !== WebSocket.OPEN) return false;
    socket.send(JSON.stringify({ kind, ...fields }));
    return true;
  }
  function open() {
    const own = new WebSocket(`ws://${location.host}/socket`);
    let wasOpen = false;
    own.onopen = () => { socket = own; wasOpen = true; pause = 250; tell({ kind: "up" }); say("hello"); };
    own.onmessage = (event) => tell(JSON.parse(event.data));
    own.onclose = async () => {
      socket = null;
      if (!wasOpen && !isRefused) isRefused = await refused();
      tell({ kind: "down", isRefused });
      pause = Math.min(2 * pause, 4000);
      setTimeout(open, isRefused ? 4000 : pause);
    };
  }
  async function refused() { // whether a server answers that does not know this page: it was started anew
    try { return (await fetch("/assets/main.js", { method: "GET" })).status === 403; } catch { return false; }
  }
  return { on, say, open };
}
