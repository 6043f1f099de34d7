import { Linchpin } from '@linchpin/sdk'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { startServer } from './tour/start-server.ts'

// `node examples/agent-loop.ts`: an agent works at the support desk of a customer. A function stands for its model.
const server = await startServer({ egressAllow: '', signal: AbortSignal.timeout(120_000) })
try {
  await runAgent(await createSession(new Linchpin({ baseUrl: server.url, token: server.token })))
} finally {
  await server.stop()
}

/** What the product's backend does: the customer has an account, and the agent may add tickets to it, twice. */
async function createSession(linchpin: Linchpin) {
  await linchpin.accounts.create({
    integrationDefinitionId: 'acme_sandbox',
    integrationAccountName: 'Support desk',
    accountIdentifier: 'customer-1',
    authType: 'Api Key',
    config: { api_key: 'good' },
  })
  return linchpin.agentSessions.create({
    accountIdentifier: 'customer-1',
    rules: [{ effect: 'allow', methods: ['POST'], path: '/api/tickets' }],
    limits: { writes: 2 },
    expiresIn: 300,
  })
}

/** What the agent does: it gives the model the tools and each result, until the model has an answer. */
async function runAgent({ mcpURL, token }: { mcpURL: string; token: string }): Promise<void> {
  const client = new Client({ name: 'agent-loop', version: '1.0.0' })
  const headers = { Authorization: `Bearer ${token}` }
  await client.connect(
    new StreamableHTTPClientTransport(new URL(mcpURL), { requestInit: { headers } }),
  )
  const { tools } = await client.listTools()
  console.log(`Tools: ${tools.map(({ name }) => name).join(', ')}`)
  // biome-ignore lint/suspicious/noExplicitAny: the results of tools are what the model makes of them
  const results: any[] = []
  for (let step = think(results); step.tool !== undefined; step = think(results)) {
    const { structuredContent } = await client.callTool({ name: step.tool, arguments: step.input })
    console.log(
      `${step.tool} ${JSON.stringify(step.input)}\n  ${JSON.stringify(structuredContent)}`,
    )
    results.push(structuredContent)
  }
  console.log(think(results).answer)
  await client.close()
}

type Step =
  | { tool: string; input: Record<string, unknown>; answer?: undefined }
  | { tool?: undefined; answer: string }

/** Instead of a model: the next call of a tool, or the answer. */
// biome-ignore lint/suspicious/noExplicitAny: as above
function think([list, description, open, created, refused]: any[]): Step {
  const account = list?.accounts[0].id
  if (list === undefined) return { tool: 'list_accounts', input: {} }
  if (description === undefined) return { tool: 'describe_account', input: { account } }
  const fields = ['tickets.id', 'tickets.title']
  if (open === undefined)
    return {
      tool: 'read_api',
      input: { account, path: '/tickets', query: { per_page: 1 }, fields },
    }
  const body = { title: `About ${open.body.tickets[0].title}` }
  const post = { account, method: 'POST', path: '/tickets', body }
  if (created === undefined) return { tool: 'write_api', input: post }
  const remove = { account, method: 'DELETE', path: '/tickets/ticket_1' }
  if (refused === undefined) return { tool: 'write_api', input: remove }
  return { answer: `Created ${created.body.id}. Not deleted: ${refused.message}` }
}
