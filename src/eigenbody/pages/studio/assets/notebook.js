// The studio in a notebook (anywidget): the same page in a frame of its own. Messages go between the frame and the
// kernel over a port; they are those of protocol.py.

/** @typedef {{get: (name: string) => any, send: (content: any) => void, on: (kind: string, run: (content: any) => void) => void, off: (kind: string, run: (content: any) => void) => void}} WidgetModel */

/** @param {{model: WidgetModel, el: HTMLElement}} given */
function render({ model, el }) {
  const frame = document.createElement("iframe"), channel = new MessageChannel();
  frame.title = "eigenbody studio";
  frame.setAttribute("sandbox", "allow-scripts allow-downloads");
  Object.assign(frame.style, { width: "100%", height: `${model.get("height")}px`, border: "0" });
  /** @param {MessageEvent} event */
  function greet(event) { // the frame is ready for its port
    if (event.source !== frame.contentWindow || event.data !== "eigenbody-studio") return;
    window.removeEventListener("message", greet);
    /** @type {Window} */ (frame.contentWindow).postMessage("eigenbody-studio", "*", [channel.port2]);
  }
  /** @param {any} content */
  const heard = (content) => { if (content && typeof content.text === "string") channel.port1.postMessage(content.text); };
  channel.port1.onmessage = (event) => model.send({ text: event.data });
  model.on("msg:custom", heard);
  window.addEventListener("message", greet);
  frame.srcdoc = model.get("page");
  el.append(frame);
  return () => {
    model.off("msg:custom", heard);
    window.removeEventListener("message", greet);
    channel.port1.close();
    frame.remove();
  };
}

export default { render };
