// A relay that looks into nothing, on the transports of the TypeScript SDK.
// node passthrough.mjs NODE_MODULES COMMAND ARGUMENT...
const [modules, command, ...args] = process.argv.slice(2);
const sdk = `${modules}/@modelcontextprotocol/sdk/dist/esm`;
const { StdioServerTransport } = await import(`${sdk}/server/stdio.js`);
const { StdioClientTransport } = await import(`${sdk}/client/stdio.js`);

const maxBufferSize = 64 << 20; // by default a message of 10 MiB ends it
const client = new StdioServerTransport(process.stdin, process.stdout, { maxBufferSize });
const server = new StdioClientTransport({ command, args, stderr: "inherit", maxBufferSize });
client.onmessage = (message) => server.send(message);
server.onmessage = (message) => client.send(message);
server.onclose = () => process.exit(0);
process.stdin.on("end", () => server.close());
await server.start();
await client.start();
