/** All that is used of the SDK, which is loaded with the first request of an agent: its program is a file of its own. */
export { createMcpHandler, ProtocolError, Server } from '@modelcontextprotocol/server'
