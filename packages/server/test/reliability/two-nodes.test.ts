import assert from 'node:assert/strict'
import { it, type TestContext } from 'node:test'
import pg from 'pg'
import { describePostgres, type PostgresDatabases } from '../postgres.ts'
import { createDeskCredentials, defineDesk, startDeskProvider } from './desk-provider.ts'
import { createServiceSetup, startService } from './service-process.ts'

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

async function startTwo(t: TestContext, server: PostgresDatabases, name: string) {
  const databaseUrl = await server.createDatabase(name)
  const firstSetup = await createServiceSetup({ databaseUrl })
  const secondSetup = await createServiceSetup({ databaseUrl, token: firstSetup.token })
  t.after(() => Promise.all([firstSetup.remove(), secondSetup.remove()]))
  const started = await Promise.allSettled([startService(firstSetup), startService(secondSetup)])
  const nodes = started.flatMap((node) => (node.status === 'fulfilled' ? [node.value] : []))
  t.after(() => Promise.all(nodes.map((node) => node.kill())))
  const [first, second] = nodes
  const reasons = started.flatMap((node) => (node.status === 'rejected' ? [node.reason] : []))
  if (first === undefined || second === undefined) throw reasons[0]
  return { nodes: [first, second] as const, databaseUrl }
}
