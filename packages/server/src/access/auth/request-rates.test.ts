import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { describeOnBothDatabases } from '../../../test/postgres.ts'
import {
  expectCreated,
  expectError,
  expectOk,
  type TestContext,
  testContext,
} from '../../../test/test-context.ts'
import { parseRates } from '../../platform/config/rates.ts'

describeOnBothDatabases('Rates of requests', (newUrl) => {
  let t: TestContext
  let now = Date.now()
  before(async () => {
    const rates = parseRates('reads=6,writes=4,bundles=2,proxy=3,workspace=30,failures=5')
    t = await testContext({ url: await newUrl(), now: () => now, rates })
  })
  after(() => t.close())

  const createToken = async (body: object = {}, token = t.token) => {
    now += 10 * 60_000
    const { workspaceId } = expectCreated(await t.call('POST', '/v1/workspace', {}))
    const scopes = ['read', 'write', 'proxy', 'tokens']
    const input = { name: 'a', scopes, workspaceId, ...body }
    return expectCreated(await t.call('POST', '/v1/user/token', { body: input, token })).token
  }
  const createLink = (token: string) =>
    t.call('POST', '/v1/link', { body: { linkName: 'a' }, token })
  const statuses = async (count: number, send: () => Promise<{ status: number }>) => {
    const list: number[] = []
    for (let sent = 0; sent < count; sent += 1) list.push((await send()).status)
    return list
  }

  it('429 rate_limited with Retry-After after the reads of a token, direct reads included', async () => {
    const token = await createToken()
    const read = () => t.call('GET', '/v1/user', { token })
    const first = await read()
    assert.equal(expectOk(first).userId.slice(0, 4), 'usr_')
    assert.equal(first.headers['ratelimit-policy'], '"token";q=6;w=60')
    assert.match(String(first.headers.ratelimit), /^"token";r=5;t=\d{1,2}$/)
    assert.deepEqual(await statuses(3, read), [200, 200, 200])
    const list = () => t.call('GET', '/v1/link?limit=5', { token })
    assert.deepEqual(await statuses(2, list), [200, 200])
    for (const send of [read, list]) {
      const response = await send()
      expectError(response, 'rate_limited')
      assert.equal(response.status, 429)
      assert.match(String(response.headers['retry-after']), /^[1-9]\d*$/)
    }
    expectCreated(await createLink(token))
    now += 120_000
    expectOk(await read())
  })

  it('429 after the writes of a token, and after those that run a bundle', async () => {
    const token = await createToken()
    const links = await statuses(5, () => createLink(token))
    assert.deepEqual(links, [201, 201, 201, 201, 429])
    const other = await createToken()
    const check = () => t.call('POST', '/v1/integration_account/check', { body: {}, token: other })
    assert.deepEqual(await statuses(3, check), [400, 400, 429])
    expectCreated(await createLink(other))
  })

  it('a read that is not found is counted once', async () => {
    const token = await createToken()
    const path = '/v1/integration_account/acc_01kahn41dke3jtmrb2w3zj6t0y'
    expectOk(await t.call('GET', '/v1/user', { token }))
    const missing = await statuses(6, () => t.call('GET', path, { token }))
    assert.deepEqual(missing, [404, 404, 404, 404, 404, 429])
  })

  it('limits the proxy by account, each tenant apart', async () => {
    const token = await createToken()
    const other = await createToken()
    const send = (of: string, id: string) => () =>
      t.call('PUT', `/v1/integration_account/${id}/proxy/a`, { token: of })
    const id = 'acc_01kahn41dke3jtmrb2w3zj6t0y'
    assert.deepEqual(await statuses(4, send(token, id)), [404, 404, 404, 429])
    assert.deepEqual(await statuses(1, send(other, id)), [404])
  })

  it('a token may have lower limits, and those that it creates have no higher ones', async () => {
    const token = await createToken({ readsPerMinute: 2, writesPerMinute: 3 })
    const body = { name: 'b', scopes: ['read', 'write'], readsPerMinute: 5 }
    const child = expectCreated(await t.call('POST', '/v1/user/token', { body, token })).token
    for (const each of [token, child]) {
      // The requests of both count in the limits of the first.
      now += 120_000
      const read = () => t.call('GET', '/v1/user', { token: each })
      assert.deepEqual(await statuses(3, read), [200, 200, 429])
    }
    assert.deepEqual(await statuses(4, () => createLink(child)), [201, 201, 201, 429])
    for (const readsPerMinute of [0, -1, 1.5, 'x'])
      expectError(
        await t.call('POST', '/v1/user/token', { body: { name: 'c', readsPerMinute } }),
        'validation_failed',
      )
  })

  it('the tokens that a token creates count in its limits, at any depth, and its siblings do not', async () => {
    const scopes = ['read', 'write', 'tokens']
    const root = await createToken()
    const limited = await t.createToken({ scopes, readsPerMinute: 3, writesPerMinute: 3 })
    const create = async (token: string, body: object = {}) =>
      expectCreated(
        await t.call('POST', '/v1/user/token', { body: { name: 'a', scopes, ...body }, token }),
      ).token as string
    const child = await create(limited)
    const grandchild = await create(child, { readsPerMinute: 2 })
    now += 120_000
    const read = (token: string) => () => t.call('GET', '/v1/user', { token })
    assert.deepEqual(await statuses(3, read(grandchild)), [200, 200, 429])
    assert.deepEqual(await statuses(2, read(child)), [200, 429])
    assert.deepEqual(await statuses(1, read(limited)), [429])
    assert.deepEqual(await statuses(1, read(root)), [200])
    const first = await createLink(child)
    assert.match(String(first.headers.ratelimit), /^"token";r=2;/)
    expectCreated(await createLink(grandchild))
    expectCreated(await createLink(limited))
    for (const token of [child, grandchild, limited])
      expectError(await createLink(token), 'rate_limited')
    // A refused request counts in none of the windows.
    now += 120_000
    assert.deepEqual(await statuses(3, read(child)), [200, 200, 200])
  })

  it('the tokens of a token with only the limits of the service have windows of their own', async () => {
    const scopes = ['read', 'tokens']
    const parent = await createToken({ scopes })
    const body = { name: 'a', scopes: ['read'] }
    const { token } = expectCreated(await t.call('POST', '/v1/user/token', { body, token: parent }))
    const read = (by: string) => () => t.call('GET', '/v1/user', { token: by })
    assert.deepEqual(await statuses(6, read(token)), [200, 200, 200, 200, 200, 200])
    assert.deepEqual(await statuses(1, read(parent)), [200])
  })

  it('429 after failed authentications of a network, but never for a valid token', async () => {
    const token = await createToken()
    const fail = () => t.call('GET', '/v1/user', { token: `lp_${'x'.repeat(36)}` })
    assert.deepEqual(await statuses(7, fail), [401, 401, 401, 401, 401, 429, 429])
    expectOk(await t.call('GET', '/v1/user', { token }))
    now += 120_000
    assert.deepEqual(await statuses(1, fail), [401])
  })

  it('limits a workspace, whatever its tokens', async () => {
    now += 10 * 60_000
    const { workspaceId } = expectCreated(await t.call('POST', '/v1/workspace', {}))
    const accepted: number[] = []
    for (let count = 0; count < 7; count += 1) {
      const body = { name: 'a', workspaceId }
      const { token } = expectCreated(await t.call('POST', '/v1/user/token', { body }))
      accepted.push(...(await statuses(6, () => t.call('GET', '/v1/user', { token }))))
    }
    assert.equal(accepted.filter((status) => status === 200).length, 30)
  })

  it("never limits the owner's token", async () => {
    const list = await statuses(40, () => t.call('GET', '/v1/user'))
    assert.ok(list.every((status) => status === 200))
  })
})
