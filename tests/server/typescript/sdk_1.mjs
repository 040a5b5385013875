// A client of @modelcontextprotocol/sdk 1.x.

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

import { drive, target } from './drive.mjs';

const { url, command, args } = target();
const transport = url
    ? new StreamableHTTPClientTransport(new URL(url))
    : new StdioClientTransport({ command, args, env: process.env });
const client = new Client({ name: 'test', version: '1' });
await client.connect(transport);
await drive(client, (name, given) => client.callTool({ name, arguments: given }));
