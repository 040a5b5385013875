// A host of MCP Apps written from the specification, without packages: it creates and checks each message itself.
export async function host(frame, { html, csp, context, args, result }) {
  const log = [];
  const send = (message) => frame.contentWindow.postMessage({ jsonrpc: "2.0", ...message }, "*");
  let number = 1000;
  const waiting = new Map();
  const request = (method, params) => {
    number += 1;
    send({ id: number, method, params });
    return new Promise((done) => waiting.set(number, done));
  };
  window.addEventListener("message", ({ source, data }) => {
    if (source !== frame.contentWindow) return;
    log.push(data);
    if (data.jsonrpc !== "2.0") throw new Error("not JSON-RPC");
    if (data.method === "ui/notifications/sandbox-proxy-ready") {
      send({ method: "ui/notifications/sandbox-resource-ready", params: { html, csp } });
    } else if (data.method === "ui/initialize") {
      const { protocolVersion, appInfo, appCapabilities } = data.params;
      if (!protocolVersion || !appInfo.name || !appInfo.version || !appCapabilities) throw new Error("incomplete");
      send({
        id: data.id,
        result: {
          protocolVersion,
          hostInfo: { name: "own", version: "1" },
          hostCapabilities: {},
          hostContext: context,
        },
      });
    } else if (data.method === "ui/notifications/initialized") {
      send({ method: "ui/notifications/tool-input", params: { arguments: args } });
      send({ method: "ui/notifications/tool-result", params: result });
    } else if (data.method === "ui/request-display-mode") {
      send({ id: data.id, result: { mode: data.params.mode } });
    } else if (data.method === undefined) {
      waiting.get(data.id)?.(data);
    }
  });
  return {
    log,
    teardown: () => request("ui/resource-teardown", { reason: "test" }),
    ask: request,
    change: (more) => send({ method: "ui/notifications/host-context-changed", params: more }),
    sized: () => log.some(({ method }) => method === "ui/notifications/size-changed"),
    modes: () => log.filter(({ method }) => method === "ui/request-display-mode").map(({ params }) => params.mode),
  };
}
