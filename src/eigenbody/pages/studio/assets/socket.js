// The line to the server: JSON messages with a `kind` (the table is in protocol.py), opened again whenever it breaks.

/** @typedef {{kind: string, [field: string]: any}} Message */

export function openLine() {
  /** @type {Map<string, ((message: any) => void)[]>} */
  const listeners = new Map();
  /** @type {WebSocket | null} */
  let socket = null;
  let pause = 250, isRefused = false;

  /** Hear messages of a kind; "up" and "down" say whether there is a line. @param {string} kind @param {(message: any) => void} run */
  function on(kind, run) { listeners.set(kind, [...(listeners.get(kind) || []), run]); }
  function tell(/** @type {Message} */ message) { for (const run of listeners.get(message.kind) || []) run(message); }

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
