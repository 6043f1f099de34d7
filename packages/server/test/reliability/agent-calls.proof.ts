// biome-ignore-all lint/suspicious/noTemplateCurlyInString: templates of specs use this syntax
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { selectAuditEntries } from '../../src/platform/storage/audit-inbox.ts'
import { openDatabase } from '../../src/platform/storage/open-database.ts'
import { createMiniBundle, MINI_SPEC } from '../mini-bundle.ts'
import { describePostgres } from '../postgres.ts'
import { startStubServer } from '../stub-server.ts'
import { startLoadBalancer } from './load-balancer.ts'
import { createServiceSetup, type ServiceProcess, startService } from './service-process.ts'

const CALLS = Number(process.env.AGENT_CALLS ?? 600)
const SESSIONS = 40
/** Calls that each session may make, and those that it tries. */
const BUDGET = Math.ceil(CALLS / SESSIONS)
const TRIES = Math.ceil(BUDGET * 1.1)
/** Sessions that are used at the same time. */
const CLIENTS = 8
const NODES = 3
/** Between two calls of a client, in milliseconds, so that all calls together last as long as the restarts. */
const PAUSE_MS = (40_000 * CLIENTS) / (TRIES * SESSIONS)

describePostgres('Agents of three nodes on one PostgreSQL', (server) => {
  it(`lose none of ${CALLS} calls in a rolling restart, and make exactly as many as they may`, async (t) => {
    const { nodes, provider, databaseUrl, accountId } = await startNodes(
      t,
      await server().createDatabase('agents'),
    )
    const balancer = await startLoadBalancer(
      nodes.map(({ service }) => service.url),
      { retriesConnections: true },
    )
    t.after(() => balancer.close())
    for (const { service } of nodes) await balancer.untilReady(service.url)
    const [first] = nodes
    assert.ok(first)
    const limits = { calls: BUDGET, callsPerMinute: 600 }
    const sessions: Session[] = []
    for (let index = 0; index < SESSIONS; index += 1)
      sessions.push(await createSession(first.service, accountId, limits))
    const outcomes = new Map<string, number>()
    let isDone = false
    const work = Promise.all(
      Array.from({ length: CLIENTS }, async () => {
        for (let session = sessions.pop(); session !== undefined; session = sessions.pop())
          for (let index = 0; index < TRIES; index += 1) {
            const outcome = await callOnce(balancer.url, session, accountId, index % 2 === 0)
            outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
            await sleep(PAUSE_MS)
          }
      }),
    ).finally(() => {
      isDone = true
    })
    for (const node of nodes) {
      assert.equal(await node.service.stop(), 0)
      node.service = await startService(node.setup)
      await balancer.untilReady(node.service.url)
      assert.ok(!isDone, 'the calls ended before the restarts')
    }
    await work
    const database = await openDatabase({ url: databaseUrl })
    t.after(() => database.close())
    const { entries } = await selectAuditEntries(database.read)
      .select((eb) => eb.fn.countAll<number>().as('entries'))
      .where('action', '=', 'agent.called')
      .executeTakeFirstOrThrow()
    const made = BUDGET * SESSIONS
    t.diagnostic(
      `${JSON.stringify(Object.fromEntries(outcomes))}; the provider has received ${provider.count}, the audit trail has ${entries}`,
    )
    const { overloaded: _, ...expected } = Object.fromEntries(outcomes)
    assert.deepEqual(expected, { done: made, spent: TRIES * SESSIONS - made })
    assert.deepEqual([provider.count, Number(entries)], [made, made])
  })

  it('cost little more than the proxy', async (t) => {
    const { nodes, accountId } = await startNodes(t, await server().createDatabase('agent_cpu'), 1)
    const service = nodes[0]?.service
    assert.ok(service)
    const created = await service.call('POST', '/v1/user/token', {
      name: 'proxy',
      scopes: ['proxy'],
    })
    const { url, pid } = service
    const kinds: Record<string, (session: Session) => Promise<string>> = {
      proxy: () => sendProxied(url, created.body.token, accountId),
      agent: ({ token }) => sendProxied(url, token, accountId),
      mcp: (session) => callTool(url, session, accountId),
    }
    const round = Math.min(500, Math.max(50, Math.floor(CALLS / 20)))
    const micros: Record<string, number[]> = {}
    for (let index = 0; index < 9; index += 1)
      for (const [kind, send] of Object.entries(kinds)) {
        const limits = { calls: 1_000_000, callsPerMinute: 600 }
        const session = await createSession(service, accountId, limits)
        const before = await readCpuMicros(pid)
        for (let count = 0; count < round; count += 1) assert.equal(await send(session), 'done')
        const used = (await readCpuMicros(pid)) - before
        // In the first rounds, code is compiled.
        if (index > 1) micros[kind] = [...(micros[kind] ?? []), used / round]
      }
    const figures = Object.entries(micros).map(([kind, each]) => {
      const median = each.toSorted((one, other) => one - other)[each.length >> 1] ?? Number.NaN
      return `${kind} ${(median / 1_000).toFixed(2)} ms`
    })
    t.diagnostic(`CPU time of the node for a call, median of 7 × ${round}: ${figures.join(', ')}`)
  })
})

/** Nodes of one service with an account at a provider on this machine, which counts the requests that it receives. */
async function startNodes(t: TestContext, databaseUrl: string, count = NODES) {
  const stub = await startStubServer()
  t.after(() => stub.close())
  const provider = { count: 0 }
  stub.serve('/api/items', (_request, response) => {
    provider.count += 1
    response.setHeader('content-type', 'application/json').end('{"items":[{"id":1,"name":"Ada"}]}')
  })
  const settings = { LINCHPIN_DRAIN_DELAY: '2', LINCHPIN_RATES: 'off' }
  const first = await createServiceSetup({ databaseUrl, settings })
  const setups = [first]
  while (setups.length < count)
    setups.push(await createServiceSetup({ databaseUrl, settings, token: first.token }))
  const nodes: { readonly setup: typeof first; service: ServiceProcess }[] = []
  t.after(async () => {
    await Promise.all(nodes.map(({ service }) => service.kill()))
    await Promise.all(setups.map((setup) => setup.remove()))
  })
  for (const setup of setups) nodes.push({ setup, service: await startService(setup) })
  const service = nodes[0]?.service as ServiceProcess
  const spec = {
    api_base_url: `${stub.url}/api`,
    auth_specification: {
      'Api Key': {
        ...MINI_SPEC.auth_specification['Api Key'],
        headers: { 'x-api-key': '${api_key}' },
        'x-headers': 'complete',
      },
    },
  }
  const definition = await service.call('POST', '/v1/integration_definition', {
    name: 'Items',
    sourceUrl: stub.bundle(createMiniBundle(spec)),
    integrationType: 'Ticketing',
  })
  assert.equal(definition.status, 201, JSON.stringify(definition.body))
  const account = await service.call('POST', '/v1/integration_account', {
    integrationDefinitionId: definition.body.integrationDefinitionId,
    workspaceId: definition.body.workspaceId,
    integrationAccountName: 'Ada',
    authType: 'Api Key',
    config: { api_key: 'key_of_the_account' },
  })
  assert.equal(account.status, 201, JSON.stringify(account.body))
  const { integrationAccountId: accountId } = account.body
  return { nodes, provider, databaseUrl, accountId: String(accountId) }
}

interface Session {
  readonly token: string
  /** Of its MCP server. */
  readonly mcpPath: string
}

async function createSession(
  service: ServiceProcess,
  accountId: string,
  limits: object,
): Promise<Session> {
  const body = { integrationAccountIds: [accountId], limits, expiresIn: 86_400 }
  const response = await service.call('POST', '/v1/agent_session', body)
  assert.equal(response.status, 201, JSON.stringify(response.body))
  const { token, mcpURL } = response.body
  return { token, mcpPath: new URL(mcpURL).pathname }
}

/** Calls until the service is not too busy, as clients do. @returns what became of it */
async function callOnce(
  url: string,
  session: Session,
  accountId: string,
  isMcp: boolean,
): Promise<string> {
  for (;;) {
    const outcome = isMcp
      ? await callTool(url, session, accountId)
      : await sendProxied(url, session.token, accountId)
    if (outcome !== 'overloaded') return outcome
    await sleep(200)
  }
}

async function sendProxied(url: string, token: string, accountId: string): Promise<string> {
  const response = await fetch(`${url}/api/v1/integration_account/${accountId}/proxy/items`, {
    headers: { authorization: `Bearer ${token}` },
  })
  const text = await response.text()
  if (response.status === 200 && text.includes('"Ada"')) return 'done'
  return toOutcome(text)
}

async function callTool(
  url: string,
  { token, mcpPath }: Session,
  accountId: string,
): Promise<string> {
  const params = { name: 'read_api', arguments: { account: accountId, path: '/items' } }
  const response = await fetch(`${url}${mcpPath}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  })
  const text = await response.text()
  if (response.status === 200 && text.includes('Ada')) return 'done'
  return toOutcome(text)
}

function toOutcome(text: string): string {
  if (text.includes('agent_budget_spent')) return 'spent'
  return text.includes('overloaded') ? 'overloaded' : text.slice(0, 300)
}

/** CPU time of a process so far, of which Linux counts hundredths of a second. */
async function readCpuMicros(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10_000
}
