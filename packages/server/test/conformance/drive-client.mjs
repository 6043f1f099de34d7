// The client that the suite starts: has the test drive Linchpin instead, and waits for it.
const [controlUrl = '', serverUrl] = process.argv.slice(2)
const { MCP_CONFORMANCE_SCENARIO: scenario, MCP_CONFORMANCE_CONTEXT: context = '{}' } = process.env
const body = JSON.stringify({ serverUrl, scenario, context: JSON.parse(context) })
await fetch(controlUrl, { method: 'POST', body })
