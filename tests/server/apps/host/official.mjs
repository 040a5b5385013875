// The official host of MCP Apps: AppBridge of @modelcontextprotocol/ext-apps, which checks each message by its schema.
import { AppBridge, PostMessageTransport } from "@modelcontextprotocol/ext-apps/app-bridge";

export async function host(frame, { html, csp, context, args, result }) {
  const bridge = new AppBridge(null, { name: "official", version: "1" }, {}, { hostContext: context });
  const sizes = [];
  const modes = [];
  bridge.onsandboxready = () => bridge.sendSandboxResourceReady({ html, csp });
  bridge.oninitialized = async () => {
    await bridge.sendToolInput({ arguments: args });
    await bridge.sendToolResult(result);
  };
  bridge.onsizechange = (size) => sizes.push(size);
  bridge.onrequestdisplaymode = async ({ mode }) => {
    modes.push(mode);
    return { mode };
  };
  bridge.onerror = (error) => console.error("bridge", error);
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
  return {
    app: () => bridge.getAppVersion(),
    teardown: () => bridge.teardownResource({}),
    change: (more) => bridge.setHostContext({ ...context, ...more }),
    sized: () => sizes.length > 0,
    modes: () => modes,
  };
}
