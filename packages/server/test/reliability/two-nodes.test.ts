import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text as readText } from 'node:stream/consumers'
import { it, type TestContext } from 'node:test'
import pg from 'pg'
import {
  createConsoleVisitor,
  createSignInCode,
  type VisitedService,
} from '../../src/console/test/console-visitor.ts'
import { openDatabase } from '../../src/platform/storage/open-database.ts'
import { describePostgres, type PostgresDatabases } from '../postgres.ts'
import { createDeskCredentials, defineDesk, startDeskProvider } from './desk-provider.ts'
import { createServiceSetup, type ServiceProcess, startService } from './service-process.ts'

describePostgres('Two nodes on one PostgreSQL', (server) => {
  it('create one owner when both start concurrently for the first time', async (t) => {
    const { nodes, databaseUrl } = await startTwo(t, server(), 'first_start')
    const client = new pg.Client({ connectionString: databaseUrl })
    await client.connect()
    t.after(() => client.end())
    // Users and workspaces: the owner's, and the reserved ones that own the catalogue.
    const created = { users: 2, workspaces: 2, tokens: 1, key_checks: 1, instance_keys: 1 }
    // Data keys: the owner's, and the one that seals the instance key.
    const all = { ...created, workspace_keys: 2 }
    for (const [table, expected] of Object.entries(all)) {
      const { rows } = await client.query(`SELECT count(*)::int AS count FROM ${table}`)
      assert.equal(rows[0].count, expected, table)
    }
    const [first, second] = await Promise.all(nodes.map((node) => node.call('GET', '/v1/user')))
    assert.equal(first?.status, 200)
    assert.deepEqual(first?.body, second?.body)
  })

  it('apply the revocation of a token on the other node to the next request', async (t) => {
    const { nodes } = await startTwo(t, server(), 'revocation')
    for (let round = 0; round < 20; round += 1) {
      const [issuingNode, otherNode] = round % 2 === 0 ? nodes : [nodes[1], nodes[0]]
      const response = await issuingNode.call('POST', '/v1/user/token', { name: `round ${round}` })
      assert.equal(response.status, 201)
      const useToken = () => otherNode.call('GET', '/v1/user', undefined, response.body.token)
      for (let attempt = 0; attempt < 3; attempt += 1) assert.equal((await useToken()).status, 200)
      const path = `/v1/user/token/${response.body.tokenId}`
      assert.equal((await issuingNode.call('DELETE', path)).status, 200)
      const rejected = await useToken()
      assert.deepEqual([rejected.status, rejected.body.error], [401, 'token_invalid'])
    }
  })

  it('sign a colleague out with the next request on one node after they were removed on the other', async (t) => {
    const settings = { LINCHPIN_PUBLIC_URL: 'http://localhost:3000' }
    const { nodes, databaseUrl } = await startTwo(t, server(), 'removal', settings)
    const database = await openDatabase({ url: databaseUrl })
    t.after(() => database.close())
    const [first, second] = nodes.map(toVisited)
    assert.ok(first && second)
    const owner = createConsoleVisitor(first)
    await owner.send('/console/open', { code: await createSignInCode({ database }) })
    await owner.get('/console/elevate?to=/console')
    const code = await createSignInCode({ database })
    await owner.post('/console/elevate?to=%2Fconsole', { code })
    const members = '/console/settings/members'
    await owner.get(`${members}/new`)
    const invited = await owner.post(`${members}/new`, {
      email: 'sam@example.com',
      role: 'developer',
    })
    const [, secret = ''] = /\/console\/join#([\w-]{32})/.exec(invited.text) ?? []
    const colleague = createConsoleVisitor(second)
    await colleague.send('/console/join', { code: secret })
    await colleague.post('/console/join', { name: 'Sam' })
    assert.equal((await colleague.get('/console/connections')).status, 200)
    const list = await owner.get(members)
    const [, memberId = ''] =
      [...list.text.matchAll(/members\/(mbr_\w+)".*?<\/tr>/gs)].find(([row]) =>
        row.includes('sam@'),
      ) ?? []
    await owner.get(`${members}/${memberId}`)
    const removal = `${members}/${memberId}/removal`
    assert.equal((await owner.post(removal)).location, members)
    const { status, location } = await colleague.get('/console/connections')
    assert.deepEqual([status, location], [303, '/console/open?to=%2Fconsole%2Fconnections'])
    assert.equal((await owner.get('/console/connections')).status, 200)
  })

  it('serve resources that were created on the other node', async (t) => {
    const { nodes } = await startTwo(t, server(), 'both_ways')
    const provider = await startDeskProvider()
    t.after(() => provider.close())
    const [first, second] = nodes
    const definitionId = await defineDesk(first, provider)
    const credentials = createDeskCredentials(definitionId, provider, 'desk_live_1')
    const response = await second.call('POST', '/v1/integration_account', {
      ...credentials,
      integrationAccountName: 'Created on the second node',
    })
    assert.equal(response.status, 201)
    const path = `/v1/integration_account/${response.body.integrationAccountId}`
    assert.deepEqual((await first.call('GET', path)).body, response.body)
    const credentialsResponse = await first.call('GET', `${path}/credentials`)
    assert.deepEqual(credentialsResponse.body.config, credentials.config)
    const deleted = await first.call('DELETE', path)
    assert.equal(deleted.status, 200)
    const { revocation, ...tombstone } = deleted.body
    assert.equal(revocation, null)
    assert.deepEqual((await second.call('GET', path)).body, tombstone)
  })
})

/** The pages of the console that a process shows to a browser. */
function toVisited({ url }: ServiceProcess): VisitedService {
  const inject: VisitedService['app']['inject'] = async ({
    method,
    url: path,
    headers,
    payload,
  }) => {
    const sent = request(url + path, { method, headers }).end(payload)
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    const cookies = (response.headers['set-cookie'] ?? []).map((cookie) => {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      const [, maxAge] = /max-age=(\d+)/i.exec(cookie) ?? []
      return { name, value, ...(maxAge !== undefined && { maxAge: Number(maxAge) }) }
    })
    const { statusCode = 0 } = response
    return { statusCode, body: await readText(response), headers: response.headers, cookies }
  }
  return { app: { inject } }
}

async function startTwo(
  t: TestContext,
  server: PostgresDatabases,
  name: string,
  settings: Record<string, string> = {},
) {
  const databaseUrl = await server.createDatabase(name)
  const firstSetup = await createServiceSetup({ databaseUrl, settings })
  const secondSetup = await createServiceSetup({ databaseUrl, settings, token: firstSetup.token })
  t.after(() => Promise.all([firstSetup.remove(), secondSetup.remove()]))
  const started = await Promise.allSettled([startService(firstSetup), startService(secondSetup)])
  const nodes = started.flatMap((node) => (node.status === 'fulfilled' ? [node.value] : []))
  t.after(() => Promise.all(nodes.map((node) => node.kill())))
  const [first, second] = nodes
  const reasons = started.flatMap((node) => (node.status === 'rejected' ? [node.reason] : []))
  if (first === undefined || second === undefined) throw reasons[0]
  return { nodes: [first, second] as const, databaseUrl }
}
