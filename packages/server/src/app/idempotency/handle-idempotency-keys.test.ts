import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { describeOnBothDatabases } from '../../../test/postgres.ts'
import type { CallOptions } from '../../../test/test-app.ts'
import {
  countRows,
  expectCreated,
  expectError,
  expectOk,
  readAllText,
  type TestContext,
  testContext,
} from '../../../test/test-context.ts'

const LINK = '/v1/link'
const BODY = { linkName: 'Customers' }

describeOnBothDatabases('A request with Idempotency-Key', (newUrl) => {
  let t: TestContext
  let definitionId: string
  let respondToCheck: () => Promise<number>
  before(async () => {
    t = await testContext({ url: await newUrl() })
    t.stubServer.serve('/check', async (_request, response) => {
      response.writeHead(await respondToCheck()).end('{}')
    })
    definitionId = (await t.createDefinition()).integrationDefinitionId ?? ''
  })
  after(() => t.close())

  const send = (path: string, body: unknown, key: string, options: CallOptions = {}) =>
    t.call('POST', path, { body, headers: { 'idempotency-key': key }, ...options })
  const newKey = () => crypto.randomUUID()
  const createAccountBody = (name: string) => ({
    integrationDefinitionId: definitionId,
    integrationAccountName: name,
    authType: 'Api Key',
    config: { api_key: 'a-key', base_url: t.stubServer.url },
  })
  const createAccount = (key: string) =>
    send('/v1/integration_account', createAccountBody(key), key)
  /** Makes the next check wait until `gate` is resolved. */
  const holdCheck = () => {
    const gate = Promise.withResolvers<void>()
    const isChecking = Promise.withResolvers<void>()
    respondToCheck = async () => {
      isChecking.resolve()
      await gate.promise
      return 200
    }
    return { isChecking, gate }
  }
  const countAccounts = async (name: string) => {
    const rows = await t.database.read
      .selectFrom('accounts')
      .select('account_id')
      .where('name', '=', name)
      .execute()
    return rows.length
  }
  const endClaims = () =>
    t.database.transaction((trx) =>
      trx.updateTable('idempotency_keys').set({ claim_until: 1 }).execute(),
    )

  it('400 names the header when the key is invalid, and nothing is created', async () => {
    const links = await countRows(t, 'links')
    const error = expectError(await send(LINK, BODY, 'two words'), 'invalid_parameter')
    assert.deepEqual(Object.keys(error.errors), ['Idempotency-Key'])
    assert.equal(await countRows(t, 'links'), links)
  })

  it('422 for another body, path or operation; the order of members is no difference', async () => {
    const key = newKey()
    const first = expectCreated(await send(LINK, { linkName: 'A', maxAccounts: 2 }, key))
    expectError(await send(LINK, { linkName: 'B', maxAccounts: 2 }, key), 'idempotency_key_reused')
    expectError(await send('/v1/workspace', {}, key), 'idempotency_key_reused')
    assert.deepEqual(
      expectCreated(await send(LINK, { maxAccounts: 2, linkName: 'A' }, `"${key}"`)),
      first,
    )
  })

  it('401 and 403 come first: a revoked token and one without the scope get no stored response', async () => {
    const key = newKey()
    const token = await t.createToken({ scopes: ['links:write', 'read'] })
    const link = expectCreated(await send(LINK, BODY, key, { token }))
    const rotated = await t.createToken({ scopes: ['links:write', 'read'] })
    assert.deepEqual(expectCreated(await send(LINK, BODY, key, { token: rotated })), link)
    const unscoped = await t.createToken({ scopes: ['read'] })
    expectError(await send(LINK, BODY, key, { token: unscoped }), 'insufficient_scope')
    const body = { name: 'revoked', scopes: ['links:write', 'read'] }
    const created = expectCreated(await t.call('POST', '/v1/user/token', { body }))
    expectOk(await t.call('DELETE', `/v1/user/token/${created.tokenId}`))
    expectError(await send(LINK, BODY, key, { token: created.token }), 'token_invalid')
  })

  it('403 for a token that lacks a scope of the first: the response may contain a token with it', async () => {
    const key = newKey()
    const body = { name: 'CI', scopes: ['proxy'] }
    const broad = await t.createToken({ scopes: ['tokens', 'proxy'] })
    const narrow = await t.createToken({ scopes: ['tokens'] })
    expectCreated(await send('/v1/user/token', body, key, { token: broad }))
    expectError(await send('/v1/user/token', body, key, { token: narrow }), 'insufficient_scope')
  })

  it('belongs to its user and to the workspace of the token', async () => {
    const key = newKey()
    const { linkId } = expectCreated(await send(LINK, BODY, key))
    const { token } = await t.otherUser()
    const bound = await t.createToken({ scopes: ['links:write'], workspaceId: t.workspaceId })
    for (const other of [token, bound]) {
      const created = expectCreated(await send(LINK, BODY, key, { token: other }))
      assert.notEqual(created.linkId, linkId)
    }
  })

  it('runs again after a failure', async () => {
    const key = newKey()
    respondToCheck = async () => 401
    expectError(await createAccount(key), 'credentials_rejected')
    respondToCheck = async () => 200
    const account = expectCreated(await createAccount(key))
    assert.deepEqual(expectCreated(await createAccount(key)), account)
    assert.equal(await countAccounts(key), 1)
  })

  it('409 with Retry-After while the first runs, and its response afterwards', async () => {
    const key = newKey()
    const { isChecking, gate } = holdCheck()
    const running = createAccount(key)
    await isChecking.promise
    const early = await createAccount(key)
    expectError(early, 'idempotency_in_progress')
    assert.equal(early.headers['retry-after'], '1')
    gate.resolve()
    const account = expectCreated(await running)
    assert.deepEqual(expectCreated(await createAccount(key)), account)
    assert.equal(await countAccounts(key), 1)
  })

  it('a request whose claim has ended during its check changes nothing: the second has the effect', async () => {
    const key = newKey()
    const { isChecking, gate } = holdCheck()
    const first = createAccount(key)
    await isChecking.promise
    await endClaims()
    respondToCheck = async () => 200
    const second = expectCreated(await createAccount(key))
    gate.resolve()
    expectError(await first, 'idempotency_in_progress')
    assert.equal(await countAccounts(key), 1)
    assert.deepEqual(expectCreated(await createAccount(key)), second)
  })

  it('a client that disconnects while the request runs gets its response with the retry', async () => {
    const key = newKey()
    const { isChecking, gate } = holdCheck()
    const origin = await t.app.listen({ port: 0, host: '127.0.0.1' })
    const client = new AbortController()
    const lost = fetch(`${origin}/api/v1/integration_account`, {
      method: 'POST',
      signal: client.signal,
      headers: {
        authorization: `Bearer ${t.token}`,
        'content-type': 'application/json',
        'idempotency-key': key,
      },
      body: JSON.stringify(createAccountBody(key)),
    })
    await isChecking.promise
    client.abort()
    await assert.rejects(lost, { name: 'AbortError' })
    gate.resolve()
    let retry = await createAccount(key)
    while (retry.status === 409) retry = await createAccount(key)
    expectCreated(retry)
    assert.equal(await countAccounts(key), 1)
  })

  it('gets the original response after its resource was changed and deleted', async () => {
    const key = newKey()
    respondToCheck = async () => 200
    const account = expectCreated(await createAccount(key))
    const path = `/v1/integration_account/${account.integrationAccountId}`
    expectOk(await t.call('POST', path, { body: { integrationAccountName: 'Renamed' } }))
    expectOk(await t.call('DELETE', path))
    assert.deepEqual(expectCreated(await createAccount(key)), account)
  })

  it('stores neither the key nor the response nor the body in plain text', async () => {
    const key = `secret-key-${newKey()}`
    const body = { name: 'CI', scopes: ['read'] }
    const { token } = expectCreated(await send('/v1/user/token', body, key))
    const text = await readAllText(t)
    assert.ok(!text.includes(key) && !text.includes(token))
  })
})
