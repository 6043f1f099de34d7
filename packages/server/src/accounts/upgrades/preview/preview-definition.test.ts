import assert from 'node:assert/strict'
import { text } from 'node:stream/consumers'
import { after, before, beforeEach, it } from 'node:test'
import { changeAccountRow } from '../../../../test/account-rows.ts'
import { createMiniBundle } from '../../../../test/mini-bundle.ts'
import { describeOnBothDatabases, type NewDatabaseUrl } from '../../../../test/postgres.ts'
import { type BuiltVersion, buildVersion } from '../../../../test/small-catalogue.ts'
import {
  expectError,
  expectOk,
  hashAllTables,
  listAuditActions,
  type TestContext,
  testContext,
} from '../../../../test/test-context.ts'

const DEFINITION = '/v1/integration_definition'

describeOnBothDatabases('a preview of an upgrade', defineTests)

function defineTests(newUrl: NewDatabaseUrl): void {
  let t: TestContext
  let firstVersion: BuiltVersion
  let secondVersion: BuiltVersion
  let clock = 0
  let id: string
  let providerBarrier: Promise<void> | undefined
  const addresses: Record<string, string> = {}
  const preview = (body: object = { sourceUrl: addresses['2.0.0'] }, token = t.token) =>
    t.call('POST', `${DEFINITION}/${id}/preview`, { body, token })
  const get = (previewId: string, token = t.token) =>
    t.call('GET', `${DEFINITION}/${id}/preview/${previewId}`, { token })

  before(async () => {
    ;[firstVersion, secondVersion] = await Promise.all([
      buildVersion('desk', '1.0.0', { fields: "old: text('Old', { optional: true })" }),
      buildVersion('desk', '2.0.0', { path: '/v2', fields: "region: text('Region')" }),
    ])
    const database = await newUrl()
    t = await testContext({
      now: () => Date.now() + clock,
      ...(database && { url: database }),
    })
    // Version 2 requires a region, and the provider rejects "late" as one.
    t.stubServer.serve('/v2', async (request, response) => {
      await providerBarrier
      const key = String(request.headers['x-api-key'])
      response.writeHead({ late: 401, down: 503 }[key] ?? 200).end('{}')
    })
    t.stubServer.serve('/check', (request, response) =>
      response.writeHead(request.headers['x-api-key'] === 'dead' ? 401 : 200).end('{}'),
    )
    for (const { version, code } of [firstVersion, secondVersion])
      addresses[version] = t.stubServer.bundle(code)
  })
  beforeEach(async () => {
    providerBarrier = undefined
    const definition = await t.createDefinition({ sourceUrl: addresses['1.0.0'] })
    id = definition.integrationDefinitionId ?? ''
  })
  after(() => t.close())

  const connect = async (api_key: string, more: object = { region: 'eu' }) => {
    const config = { api_key, base_url: t.stubServer.url, ...more }
    return (await t.createAccount(id, { config })).integrationAccountId
  }

  it('lists the differences of the specs', async () => {
    const { fields, authTypes, scopes, hosts, from, to } = expectOk(await preview())
    const region = { authType: 'Api Key', name: 'region' }
    assert.deepEqual(fields, {
      added: [region],
      removed: [{ authType: 'Api Key', name: 'old' }],
      changed: [],
      nowRequired: [region],
    })
    for (const difference of [authTypes, scopes, hosts])
      assert.deepEqual(difference, { added: [], removed: [] })
    assert.deepEqual(from, { version: '1.0.0', sourceUrl: addresses['1.0.0'] })
    assert.deepEqual(to, { version: '2.0.0', sourceUrl: addresses['2.0.0'] })
  })

  it('counts and explains accounts that would break, without those that are broken already', async () => {
    await connect('fine')
    const lateAccount = await connect('late')
    const missingRegion = await connect('fine', {})
    await connect('down')
    // Its bundle is stored the first time; nothing else ever changes.
    expectOk(await preview())
    const before = await hashAllTables(t)
    t.stubServer.requests.length = 0
    const { state, accounts, previewId } = expectOk(await preview())
    assert.equal(state, 'finished')
    const { broken, ...counts } = accounts
    assert.deepEqual(counts, {
      total: 4,
      checked: 4,
      ok: 1,
      wouldBreak: 2,
      alreadyBroken: 0,
      unreachable: 1,
      pending: 0,
    })
    const codes = Object.fromEntries(
      broken.map((brokenAccount: Record<string, string>) => [
        brokenAccount.integrationAccountId,
        brokenAccount.code,
      ]),
    )
    assert.deepEqual(codes, {
      [lateAccount ?? '']: 'credentials_rejected',
      [missingRegion ?? '']: 'validation_failed',
    })
    assert.ok(!JSON.stringify(accounts).includes(t.stubServer.url))
    assert.deepEqual(expectOk(await get(previewId)).accounts, accounts)
    assert.equal((await listAuditActions(t, id)).at(-1), 'definition.previewed')
    const definition = expectOk(await t.call('GET', `${DEFINITION}/${id}`))
    assert.equal(definition.version, '1.0.0')
    assert.equal(await hashAllTables(t), before)
  })

  it('does not attribute an account that fails with both versions to the new one', async () => {
    const account = await connect('late')
    t.stubServer.serve('/check', (_request, response) => response.writeHead(401).end('{}'))
    const { accounts } = expectOk(await preview())
    t.stubServer.serve('/check', (request, response) =>
      response.writeHead(request.headers['x-api-key'] === 'dead' ? 401 : 200).end('{}'),
    )
    assert.deepEqual([accounts.alreadyBroken, accounts.wouldBreak], [1, 0], account)
  })

  it('skips accounts that are inactive or have an expired token', async () => {
    for (const change of [{ status: 'needs_reauth' }, { token_expires_at: 1 }] as const) {
      const account = await connect('fine')
      await changeAccountRow(t.database, account, change)
    }
    t.stubServer.requests.length = 0
    const { accounts, state } = expectOk(await preview())
    assert.deepEqual([accounts.total, accounts.checked, accounts.pending], [2, 0, 2])
    assert.equal(state, 'finished')
    assert.ok(!t.stubServer.requests.includes('GET /v2'))
  })

  it('passes no refresh token to the bundle', async () => {
    const receivedBodies: string[] = []
    t.stubServer.serve('/show', async (request, response) => {
      receivedBodies.push(await text(request))
      response.end('{}')
    })
    id = (await t.createDefinition()).integrationDefinitionId ?? ''
    const tokens = { access_token: 'at_shown', refresh_token: 'rt_never_shown' }
    const config = { api_key: 'key', base_url: t.stubServer.url, mode: 'show', ...tokens }
    await t.createAccount(id, { config })
    receivedBodies.length = 0
    expectOk(
      await preview({ version: '2', sourceUrl: t.stubServer.bundle(`${createMiniBundle()} // 2`) }),
    )
    assert.equal(receivedBodies.length, 1)
    assert.ok(
      receivedBodies[0]?.includes('at_shown') && !receivedBodies[0].includes('rt_never_shown'),
    )
  })

  it('409: only one preview runs at a time, and it continues in the background', async () => {
    await connect('fine')
    t.stubServer.requests.length = 0
    const { promise, resolve } = Promise.withResolvers<void>()
    providerBarrier = promise
    const first = preview()
    await waitUntil(async () => t.stubServer.requests.includes('GET /v2'))
    const concurrent = expectOk(await preview())
    assert.equal(concurrent.state, 'running')
    expectError(await preview({ sourceUrl: addresses['1.0.0'] }), 'preview_running')
    resolve()
    const finished = expectOk(await first)
    assert.equal(finished.previewId, concurrent.previewId)
    assert.equal(expectOk(await get(concurrent.previewId)).state, 'finished')
  })

  it('stays running during a slow check, and is interrupted if the node is gone', async () => {
    await connect('fine')
    t.stubServer.requests.length = 0
    const { promise, resolve } = Promise.withResolvers<void>()
    providerBarrier = promise
    const first = preview()
    await waitUntil(async () => t.stubServer.requests.includes('GET /v2'))
    const { previewId } = expectOk(await preview())
    clock += 20_000
    await waitUntil(async () => expectOk(await get(previewId)).state === 'running')
    resolve()
    assert.equal(expectOk(await first).state, 'finished')
    clock += 20_000
    assert.equal(expectOk(await get(previewId)).state, 'finished')
    const runningResult = JSON.stringify({ ...expectOk(await get(previewId)), state: 'running' })
    await t.database.transaction((trx) =>
      trx
        .updateTable('previews')
        .set({ state: 'running', result: runningResult, alive_until: 1 })
        .where('preview_id', '=', previewId)
        .execute(),
    )
    assert.equal(expectOk(await get(previewId)).state, 'interrupted')
    const next = expectOk(await preview())
    assert.deepEqual([next.state, next.previewId === previewId], ['finished', false])
  })

  it('is stored for an hour, for its own definition and workspace', async () => {
    const { previewId } = expectOk(await preview())
    const otherUser = await t.otherUser()
    expectError(await get(previewId, otherUser.token), 'integration_definition_not_found')
    expectError(await get('pvw_01kahn2s6kf5arr5d1x6z5cq3b'), 'preview_not_found')
    clock += 3_600_000
    expectError(await get(previewId), 'preview_not_found')
  })

  it('requires credentials:read for a custom definition with accounts', async () => {
    const token = await t.createToken({ scopes: ['write', 'read'] })
    expectOk(await preview({ sourceUrl: addresses['2.0.0'] }, token))
    await connect('fine')
    t.stubServer.requests.length = 0
    const body = { sourceUrl: addresses['2.0.0'] }
    expectError(await preview(body, token), 'insufficient_scope')
    expectError(await t.call('POST', `${DEFINITION}/${id}`, { body, token }), 'insufficient_scope')
    assert.deepEqual(t.stubServer.requests, [])
  })

  it('is interrupted when the service stops, and saves its results', async () => {
    for (let index = 0; index < 5; index += 1) await connect('fine')
    t.stubServer.requests.length = 0
    const { promise, resolve } = Promise.withResolvers<void>()
    providerBarrier = promise
    const first = preview()
    await waitUntil(
      async () =>
        t.stubServer.requests.filter((requestLine) => requestLine === 'GET /v2').length === 3,
    )
    const stopped = t.app.close()
    resolve()
    await stopped
    const { previewId, state, accounts } = expectOk(await first)
    assert.deepEqual([state, accounts.checked, accounts.pending], ['interrupted', 3, 2])
    const row = await t.database.read
      .selectFrom('previews')
      .selectAll()
      .where('preview_id', '=', previewId)
      .executeTakeFirstOrThrow()
    assert.deepEqual([row.state, JSON.parse(row.result).accounts.checked], ['interrupted', 3])
  })
}

async function waitUntil(condition: () => Promise<boolean>): Promise<void> {
  for (let attempt = 0; attempt < 400; attempt += 1) {
    if (await condition()) return
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  assert.fail('the request did not arrive')
}
