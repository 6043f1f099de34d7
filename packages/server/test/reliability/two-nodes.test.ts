import assert from 'node:assert/strict'
import { it, type TestContext } from 'node:test'
import pg from 'pg'
import { describePostgres, type TestPostgres } from '../postgres.ts'
import { defineDesk, deskCredentials, startDesk } from './desk.ts'
import { newPlace, startService } from './service-process.ts'

describePostgres('two nodes on one PostgreSQL', (server) => {
  it('makes one owner when both start at once for the first time', async (t) => {
    const { nodes, databaseUrl } = await startTwo(t, server(), 'first_start')
    const client = new pg.Client({ connectionString: databaseUrl })
    await client.connect()
    t.after(() => client.end())
    // Users and workspaces: the owner's, and the reserved ones that the catalogue stands under.
    const made = { users: 2, workspaces: 2, tokens: 1, key_checks: 1, instance_keys: 1 }
    // Data keys: the owner's, and the one that seals the instance key.
    const all = { ...made, workspace_keys: 2 }
    for (const [table, expected] of Object.entries(all)) {
      const { rows } = await client.query(`SELECT count(*)::int AS count FROM ${table}`)
      assert.equal(rows[0].count, expected, table)
    }
    const [first, second] = await Promise.all(nodes.map((node) => node.call('GET', '/v1/user')))
    assert.equal(first?.status, 200)
    assert.deepEqual(first?.body, second?.body)
  })

  it('sees the revocation of a token on the other node with the next request', async (t) => {
    const { nodes } = await startTwo(t, server(), 'revocation')
    for (let round = 0; round < 20; round += 1) {
      const [here, there] = round % 2 === 0 ? nodes : [nodes[1], nodes[0]]
      const made = await here.call('POST', '/v1/user/token', { name: `round ${round}` })
      assert.equal(made.status, 201)
      const use = () => there.call('GET', '/v1/user', undefined, made.body.token)
      for (let tries = 0; tries < 3; tries += 1) assert.equal((await use()).status, 200)
      const path = `/v1/user/token/${made.body.tokenId}`
      assert.equal((await here.call('DELETE', path)).status, 200)
      const refused = await use()
      assert.deepEqual([refused.status, refused.body.error], [401, 'token_invalid'])
    }
  })

  it('serves on each node what was made on the other', async (t) => {
    const { nodes } = await startTwo(t, server(), 'both_ways')
    const provider = await startDesk()
    t.after(() => provider.close())
    const [first, second] = nodes
    const definitionId = await defineDesk(first, provider)
    const credentials = deskCredentials(definitionId, provider, 'desk_live_1')
    const made = await second.call('POST', '/v1/integration_account', {
      ...credentials,
      integrationAccountName: 'Made on the second',
    })
    assert.equal(made.status, 201)
    const path = `/v1/integration_account/${made.body.integrationAccountId}`
    assert.deepEqual((await first.call('GET', path)).body, made.body)
    const opened = await first.call('GET', `${path}/credentials`)
    assert.deepEqual(opened.body.config, credentials.config)
    const gone = await first.call('DELETE', path)
    assert.equal(gone.status, 200)
    const { revocation, ...tombstone } = gone.body
    assert.equal(revocation, null)
    assert.deepEqual((await second.call('GET', path)).body, tombstone)
  })
})

async function startTwo(t: TestContext, server: TestPostgres, name: string) {
  const databaseUrl = await server.createDatabase(name)
  const one = await newPlace({ databaseUrl })
  const other = await newPlace({ databaseUrl, token: one.token })
  t.after(() => Promise.all([one.remove(), other.remove()]))
  const started = await Promise.allSettled([startService(one), startService(other)])
  const nodes = started.flatMap((node) => (node.status === 'fulfilled' ? [node.value] : []))
  t.after(() => Promise.all(nodes.map((node) => node.kill())))
  const [first, second] = nodes
  const reasons = started.flatMap((node) => (node.status === 'rejected' ? [node.reason] : []))
  if (first === undefined || second === undefined) throw reasons[0]
  return { nodes: [first, second] as const, databaseUrl }
}
