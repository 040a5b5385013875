// A client of @modelcontextprotocol/client 2.x, which speaks the newest protocol that the server knows.

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

import { drive, target } from './drive.mjs';

const { url, command, args } = target();
const transport = url
    ? new StreamableHTTPClientTransport(new URL(url))
    : new StdioClientTransport({ command, args, env: process.env });
const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
await client.connect(transport);
await drive(client, (name, given) => client.callTool({ name, arguments: given }));
