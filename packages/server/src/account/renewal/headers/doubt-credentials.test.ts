import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { auditOf } from '../../../../test/fixtures.ts'
import { describePostgres } from '../../../../test/postgres.ts'
import type { RenewalDeps } from '../renewal-deps.ts'
import { oauthSpec, type RenewalWorld, startRenewalWorld } from '../test/renewal-world.ts'
import { accountHeaders } from './account-headers.ts'

/** How bundles tell that HEADERS failed. */
const WAYS = ['throws', 'says', 'is silent'] as const
type Way = (typeof WAYS)[number]

describe('HEADERS that fails for an account without an app', () => {
  promises(async () => undefined)
})

describePostgres('HEADERS that fails for an account without an app, on PostgreSQL', (server) => {
  promises(() => server().createDatabase('doubt_credentials'))
})

function promises(url: () => Promise<string | undefined>): void {
  let world: RenewalWorld
  /** What the provider answers to HEADERS and to CHECK. */
  let tokenStatus: number
  let judgeStatus: number
  let judged: number
  let asked: number

  before(async () => {
    world = await startRenewalWorld({ url: await url() })
    world.t.origin.serve('/token', (_request, response) => {
      asked += 1
      response.writeHead(tokenStatus).end()
    })
    world.t.origin.serve('/judge', (_request, response) => {
      judged += 1
      response.writeHead(judgeStatus).end()
    })
  })
  after(() => world.close())
  beforeEach(() => {
    tokenStatus = 401
    judgeStatus = 401
    judged = 0
    asked = 0
  })

  const connect = async (way: Way, config: object = {}, hasApp = false) => {
    const row = { token_expires_at: null, renew_at: null }
    const code = bundle(world, way)
    return (await world.account({ hasApp, row, code, config: { ...config } })).id
  }
  const fails = (id: string, node: RenewalDeps = world.node()) =>
    accountHeaders(node, id).then(
      ({ headers }) => headers,
      (error: { code: string }) => error.code,
    )
  const isActive = async (id: string) => {
    const { status, status_reason, lease_owner, credential_version } = await world.row(id)
    const expected = ['active', null, null, 1]
    assert.deepEqual([status, status_reason, lease_owner, credential_version], expected)
  }

  for (const way of WAYS)
    for (const [kind, config] of [
      ['a refresh token', {}],
      ['client credentials', { refresh_token: undefined, access_token: undefined }],
    ] as const)
      it(`needs the person when CHECK refuses the credentials too: ${kind}, the bundle ${way}`, async () => {
        const id = await connect(way, config)
        assert.equal(await fails(id), 'needs_reauth')
        const { status, status_reason, lease_owner, renew_at } = await world.row(id)
        const expected = ['needs_reauth', 'credentials_rejected', null, null]
        assert.deepEqual([status, status_reason, lease_owner, renew_at], expected)
        assert.deepEqual(await auditOf(world.t, id), ['account.needs_reauth'])
        assert.equal(await fails(id), 'needs_reauth')
        assert.equal(judged, 1)
      })

  for (const status of [403, 404, 408, 429, 500, 503])
    it(`does not ask CHECK when the provider answers ${status}`, async () => {
      tokenStatus = status
      for (const way of WAYS) {
        const id = await connect(way)
        assert.notEqual(await fails(id), 'needs_reauth')
        await isActive(id)
      }
      assert.equal(judged, 0)
    })

  it('does not ask CHECK when the provider cannot be reached', async () => {
    const id = await connect('throws', { url: 'http://127.0.0.1:9' })
    assert.equal(await fails(id), 'integration_failed')
    await isActive(id)
    assert.equal(judged, 0)
  })

  for (const status of [429, 503])
    it(`changes nothing when CHECK gets ${status}, and asks again next time`, async () => {
      judgeStatus = status
      const id = await connect('throws')
      const node = world.node()
      assert.equal(await fails(id, node), 'integration_failed')
      await isActive(id)
      judgeStatus = 401
      assert.equal(await fails(id, node), 'needs_reauth')
    })

  it('changes nothing when CHECK accepts the credentials, and does not ask it at each use', async () => {
    judgeStatus = 200
    const id = await connect('throws')
    const node = world.node()
    for (let times = 0; times < 3; times += 1)
      assert.equal(await fails(id, node), 'integration_failed')
    await isActive(id)
    assert.equal(judged, 1)
  })

  it('changes nothing when CHECK breaks', async () => {
    const id = await connect('throws', { breaks: true })
    assert.equal(await fails(id), 'integration_failed')
    await isActive(id)
  })

  it('changes nothing when CHECK says that trying again may help', async () => {
    const id = await connect('throws', { retryable: true })
    assert.equal(await fails(id), 'integration_failed')
    await isActive(id)
  })

  it('leaves an account with an app to what its token endpoint says', async () => {
    const id = await connect('throws', {}, true)
    assert.equal(await fails(id), 'integration_failed')
    await isActive(id)
    assert.equal(judged, 0)
  })

  it('is told once by many callers on two nodes', async () => {
    const id = await connect('is silent')
    const nodes = [world.node(), world.node()]
    const callers = Array.from({ length: 12 }, (_, index) => nodes[index % 2])
    const said = await Promise.all(callers.map((node) => fails(id, node)))
    assert.deepEqual(new Set(said), new Set(['needs_reauth']))
    assert.deepEqual([asked, judged], [2, 1])
    assert.deepEqual(await auditOf(world.t, id), ['account.needs_reauth'])
  })
}

function bundle(world: RenewalWorld, way: Way): string {
  return `
const spec = ${JSON.stringify(oauthSpec(world.provider))}
const told = {
  throws: () => { throw new Error('Request failed with status code 401') },
  says: () => ({ status: false, error: 'This login has ended.' }),
  'is silent': () => ({}),
}
exports.default = async (command, { config } = {}) => {
  if (command === 'SPEC') return spec
  const url = config.url ?? ${JSON.stringify(world.t.origin.url)}
  if (command === 'HEADERS') {
    const answer = await fetch(url + '/token', { method: 'POST' })
    return answer.ok ? { Authorization: 'Bearer x' } : told[${JSON.stringify(way)}]()
  }
  if (command !== 'CHECK') throw new Error('Command not found')
  const { ok } = await fetch(url + '/judge')
  if (config.breaks) throw new Error('broken')
  return { status: ok, error: ok ? '' : 'Not accepted.', retryable: config.retryable }
}
`
}
