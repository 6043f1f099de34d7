import assert from 'node:assert/strict'
import { after, before, beforeEach, it } from 'node:test'
import { describeOnBothDatabases, type NewDatabaseUrl } from '../../../test/postgres.ts'
import type { AccountId } from '../accounts/account.ts'
import {
  type OAuthProxyTestContext,
  startOAuthProxyTestContext,
} from './test/oauth-proxy-test-context.ts'

describeOnBothDatabases('proxied requests of an OAuth account', defineTests)

function defineTests(newUrl: NewDatabaseUrl): void {
  let context: OAuthProxyTestContext
  before(async () => {
    context = await startOAuthProxyTestContext({ url: await newUrl() })
  })
  after(() => context.close())
  beforeEach(() => context.reset())

  it('fill the headers of the spec with a valid token', async () => {
    const { id, family } = await context.connectAccount()
    const { status, text } = await context.send(id)
    assert.deepEqual([status, text], [200, `Bearer ${family.accessToken}`])
    assert.deepEqual(context.provider.calls, [])
  })

  it('refresh a token that is about to expire before sending', async () => {
    const { id, family } = await context.connectAccount({
      token_expires_at: Date.now() + 1_000,
      refresh_at: 1,
    })
    const oldToken = family.accessToken
    const { text } = await context.send(id)
    assert.equal(text, `Bearer ${family.accessToken}`)
    assert.notEqual(family.accessToken, oldToken)
    assert.equal(context.apiRequests.length, 1)
  })

  it('refresh on a 401 and retry the request with its body', async () => {
    for (const body of [undefined, Buffer.from('hello'), Buffer.alloc(1_000_000)]) {
      context.apiRequests.length = 0
      const { id, family } = await context.connectAccount()
      const oldBearer = `Bearer ${family.accessToken}`
      context.statusForBearer = (bearer) => (bearer === oldBearer ? 401 : 200)
      const { status, text, respondedBy } = await context.send(id, body)
      assert.deepEqual(
        [status, text, respondedBy],
        [200, `Bearer ${family.accessToken}`, 'provider'],
      )
      assert.deepEqual(
        context.apiRequests.map(({ size }) => size),
        [body?.length ?? 0, body?.length ?? 0],
      )
    }
    assert.equal(context.provider.calls.length, 3)
  })

  it('note that the provider accepts the credentials, unless it responds with 401 or 404', async (t) => {
    const connect = async () => (await context.connectAccount()).id
    const [accepted, refused, missing] = [await connect(), await connect(), await connect()]
    context.statusForBearer = () => 401
    await context.send(refused)
    context.statusForBearer = () => 404
    await context.send(missing)
    const time = Date.now()
    context.statusForBearer = () => 204
    await context.send(accepted)
    const read = async (id: AccountId) => Number((await context.row(id)).last_ok_at)
    await t.waitFor(async () => assert.ok((await read(accepted)) >= time), { timeout: 30_000 })
    assert.equal(await read(missing), 0)
    assert.ok((await read(refused)) < time, 'only its refresh succeeded')
  })

  it('do not retry a long body', async () => {
    context.statusForBearer = () => 401
    const { id } = await context.connectAccount()
    const { status, respondedBy } = await context.send(id, Buffer.alloc(2_000_000))
    assert.deepEqual([status, respondedBy, context.apiRequests.length], [401, 'provider', 1])
    assert.deepEqual(context.provider.calls, [])
  })

  it('retry once: a 401 for the new token is returned', async () => {
    context.statusForBearer = () => 401
    const { id } = await context.connectAccount()
    const first = await context.send(id)
    assert.deepEqual(
      [first.status, first.respondedBy, context.apiRequests.length],
      [401, 'provider', 2],
    )
    assert.equal(first.text, context.apiRequests[1]?.bearer)
    assert.equal(context.provider.calls.length, 1)
  })

  it('return the 401 while the provider cannot refresh', async () => {
    context.statusForBearer = () => 401
    const { id } = await context.connectAccount()
    context.provider.beforeRotation = (response) => {
      response.writeHead(503).end()
      return true
    }
    const { status, respondedBy } = await context.send(id)
    assert.deepEqual([status, respondedBy, context.apiRequests.length], [401, 'provider', 1])
  })

  it('fail with needs_reauth after the grant was revoked, without further token requests', async () => {
    context.statusForBearer = () => 401
    const { id, family } = await context.connectAccount()
    family.isRevoked = true
    for (const expected of [1, 1]) {
      const { status, text, respondedBy } = await context.send(id)
      assert.deepEqual(
        [status, JSON.parse(text).error, respondedBy],
        [424, 'needs_reauth', 'linchpin'],
      )
      assert.deepEqual(
        [context.apiRequests.length, context.provider.calls.length],
        [expected, expected],
      )
      assert.equal(text.includes(family.accessToken), false)
    }
  })

  it('send nothing for an account that awaits confirmation', async () => {
    const { id } = await context.connectAccount({ status: 'pending' })
    const { status, text } = await context.send(id)
    assert.deepEqual([status, JSON.parse(text).error], [400, 'account_pending'])
    assert.deepEqual(context.apiRequests, [])
  })
}
