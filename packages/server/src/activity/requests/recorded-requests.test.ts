import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { sql } from 'kysely'
import type { AnyBody } from '../../../test/any-body.ts'
import { describeOnBothDatabases } from '../../../test/postgres.ts'
import { expectCreated, expectOk } from '../../../test/test-context.ts'
import {
  API_KEY,
  type ProxyTestContext,
  startProxyTestContext,
} from '../../accounts/proxy/test/proxy-test-context.ts'

describeOnBothDatabases('The request log', (newUrl) => {
  let t: ProxyTestContext
  before(async () => {
    t = await startProxyTestContext({
      url: await newUrl(),
      requestLog: 'all',
      sharesRunner: false,
      logLevel: 'info',
    })
  })
  after(() => t.close())

  async function list(query = ''): Promise<AnyBody[]> {
    await t.requestLog.flush()
    return expectOk(await t.call('GET', `/v1/request?${query}`))
  }

  it('has the requests of an integration while it checks credentials, with the request that caused them', async () => {
    const { integrationDefinitionId } = await t.createDefinition()
    const config = { api_key: 'key_that_works', base_url: t.stubServer.url }
    await t.createAccount(integrationDefinitionId, { config })
    const [check] = await list('kind=provider')
    assert.equal(check?.operation, 'integration')
    assert.equal(check?.path, '/check')
    const caused = await list(`requestId=${check?.requestId}`)
    assert.deepEqual(caused.map((each) => each.operation).sort(), ['createAccount', 'integration'])
  })

  it('has a request through the proxy twice: to the API, and to the provider with the status of the provider', async () => {
    t.setProviderHandler((_request, response) => response.writeHead(404).end('no such thing'))
    const { headers } = await t.send('items/17?q=PLANTED-query', {
      headers: { 'x-secret': 'PLANTED-header-1' },
      method: 'POST',
      body: Buffer.from('PLANTED-body'),
    })
    const found = await list(`requestId=${headers['x-request-id']}`)
    const about = { integrationAccountId: t.accountId, status: 404, method: 'POST', code: null }
    for (const each of found) assert.deepEqual({ ...each, ...about }, each)
    assert.deepEqual(
      found.map(({ kind, operation, host, path }) => [kind, operation, host, path]).sort(),
      [
        ['api', 'proxyPost', null, '/v1/integration_account/:integrationAccountId/proxy/*'],
        ['provider', 'proxy', new URL(t.providerUrl).host, '/v2/items/17'],
      ],
    )
  })

  it('has why a provider did not respond, and a refused request with its code', async () => {
    t.setProviderHandler((request) => request.socket.destroy())
    const { headers } = await t.send('broken')
    const found = await list(`requestId=${headers['x-request-id']}`)
    assert.deepEqual(found.map(({ kind, status, code }) => [kind, status, code]).sort(), [
      ['api', 502, 'provider_error'],
      ['provider', null, 'unreachable'],
    ])
    const token = await t.createToken({ scopes: ['links:write'] })
    await t.call('GET', `/v1/integration_account/${t.accountId}`, { token })
    const [refused] = await list('status=4xx&kind=api')
    assert.equal(refused?.code, 'insufficient_scope')
    assert.equal(refused?.integrationAccountId, t.accountId)
  })

  it('has reads that never reach the framework', async () => {
    const url = `${t.baseUrl}/api/v1/integration_account/${t.accountId}`
    const ids: string[] = []
    for (let count = 0; count < 3; count += 1) {
      const response = await fetch(url, { headers: { authorization: `Bearer ${t.token}` } })
      await response.text()
      ids.push(response.headers.get('x-request-id') ?? '')
    }
    const found = await list(`integrationAccountId=${t.accountId}&kind=api&outcome=succeeded`)
    for (const id of ids) {
      const entry = found.find(({ requestId }) => requestId === id)
      assert.deepEqual([entry?.operation, entry?.status], ['getAccount', 200])
      assert.equal(entry?.path, '/v1/integration_account/:integrationAccountId')
    }
  })

  it('has no row in a workspace for the account that a request only names', async () => {
    const other = await t.otherUser()
    const path = `/v1/integration_account/${t.accountId}`
    assert.equal((await t.call('GET', path, { token: other.token })).status, 404)
    await t.requestLog.flush()
    const [entry] = expectOk(await t.call('GET', '/v1/request', { token: other.token }))
    assert.equal(entry.code, 'integration_account_not_found')
    assert.equal(entry.workspaceId, other.workspaceId)
    assert.equal(entry.integrationAccountId, null)
  })

  it('has no request of a user with several workspaces that names none of them, and none without a valid token', async () => {
    const other = await t.otherUser()
    const { workspaceId } = expectCreated(
      await t.call('POST', '/v1/workspace', { token: other.token, body: {} }),
    )
    await t.requestLog.flush()
    const before = await countRows()
    await t.call('GET', '/v1/link/lnk_none', { token: other.token })
    await t.call('GET', '/v1/link', { token: 'lp_nonsense' })
    await t.call('GET', '/v1/link', { token: null })
    await t.requestLog.flush()
    assert.equal(await countRows(), before)
    await t.call('GET', `/v1/link?workspaceId=${workspaceId}`, { token: other.token })
    await t.requestLog.flush()
    assert.equal(await countRows(), before + 1)
  })

  it('has no planted secret of a path, a query, a header, a body or a text of the provider', async () => {
    t.setProviderHandler((_request, response) =>
      response.writeHead(401, 'PLANTED', { 'x-planted': 'PLANTED' }).end('{"error":"PLANTED"}'),
    )
    for (const path of [
      `items/${API_KEY}`,
      'items/ada@PLANTED.example/x',
      'bot123:PLANTED-0123456789-abcdef/getMe',
      'items/%50LANTED',
      'items?token=PLANTED',
    ])
      await t.send(path, { headers: { 'x-key': 'PLANTED-header' }, body: Buffer.from('PLANTED') })
    await t.call('GET', '/v1/nonsense/PLANTED-0123456789-PLANTED?PLANTED=1')
    await t.requestLog.flush()
    const { rows } = await sql`select * from request_log`.execute(t.database.read)
    assert.ok(rows.length > 10)
    assert.doesNotMatch(JSON.stringify(rows), /PLANTED|LANTED/)
  })

  it('keeps nothing that can name a person of an account that was deleted before it was written', async () => {
    const { integrationDefinitionId } = await t.createDefinition()
    const { integrationAccountId } = await t.createAccount(integrationDefinitionId)
    await t.requestLog.flush()
    t.requestLog.add(t.workspaceId, { status: 200 }, () => ({
      at: Date.now(),
      kind: 'provider',
      operation: 'proxy',
      method: 'GET',
      host: 'ada.example.com',
      path: '/ada',
      status: 200,
      code: null,
      durationMs: 1,
      requestId: 'late',
      workspaceId: t.workspaceId,
      accountId: integrationAccountId,
      definitionId: null,
      tokenId: null,
      userId: null,
      via: null,
    }))
    expectOk(await t.call('DELETE', `/v1/integration_account/${integrationAccountId}`))
    const [late] = await list('requestId=late')
    assert.deepEqual([late?.host, late?.path], [null, null])
  })

  async function countRows(): Promise<number> {
    const { count } = await t.database.read
      .selectFrom('request_log')
      .select((eb) => eb.fn.countAll().as('count'))
      .executeTakeFirstOrThrow()
    return Number(count)
  }
})
