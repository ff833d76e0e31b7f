// Starts the page where no server gives its files: libraries and modules are in the page itself, the line to the
// computing side is a port that the one who holds the frame gives.
"use strict";

(async function () {
  const carried = JSON.parse(document.getElementById("carried").textContent);
  const address = (text) => URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
  const inflated = (text) => new Response(EB.inflated(text)).text();
  const port = new Promise((done) => {
    addEventListener("message", function hear(event) {
      if (event.source !== window.parent || event.data !== "eigenbody-studio") return;
      removeEventListener("message", hear);
      done(event.ports[0]);
    });
  });
  const script = (text) => new Promise((done, fail) => {
    const item = Object.assign(document.createElement("script"), { src: address(text), onload: done, onerror: fail });
    document.head.append(item);
  });
  for (const library of carried.libraries) await script(await inflated(library));
  const schema = JSON.parse(await inflated(carried.schema));
  window.parent.postMessage("eigenbody-studio", "*");
  EB.embedded = { port: await port, schema };
  const addresses = new Map(); // of modules, those that others import first
  for (const [name, text] of carried.modules) addresses.set(name, address(text.replace(/ from "\.\/([\w.]+)";/g, (_, own) => ` from "${addresses.get(own)}";`)));
  await import(addresses.get("main.js"));
})();
