import assert from 'node:assert/strict'
import { text } from 'node:stream/consumers'
import { after, before, beforeEach, describe, it } from 'node:test'
import { auditOf, digest, fine, refused, startWorld, type World } from '../../../test/fixtures.ts'
import { miniBundle } from '../../../test/mini-bundle.ts'
import { describePostgres } from '../../../test/postgres.ts'
import { type BuiltVersion, buildVersion } from '../../../test/small-catalogue.ts'

const DEFINITION = '/v1/integration_definition'

describe('a preview, on SQLite', () => promises(async () => undefined))
describePostgres('a preview, on PostgreSQL', (server) =>
  promises(() => server().createDatabase('preview')),
)

function promises(url: () => Promise<string> | Promise<undefined>): void {
  let t: World
  let one: BuiltVersion
  let two: BuiltVersion
  let clock = 0
  let id: string
  let gate: Promise<void> | undefined
  const addresses: Record<string, string> = {}
  const preview = (body: object = { sourceUrl: addresses['2.0.0'] }, token = t.token) =>
    t.call('POST', `${DEFINITION}/${id}/preview`, { body, token })
  const get = (previewId: string, token = t.token) =>
    t.call('GET', `${DEFINITION}/${id}/preview/${previewId}`, { token })

  before(async () => {
    ;[one, two] = await Promise.all([
      buildVersion('desk', '1.0.0', { fields: "old: text('Old', { optional: true })" }),
      buildVersion('desk', '2.0.0', { path: '/v2', fields: "region: text('Region')" }),
    ])
    const database = await url()
    t = await startWorld({ now: () => Date.now() + clock, ...(database && { url: database }) })
    // Version 2 needs a region, and the provider refuses "late" there.
    t.origin.serve('/v2', async (request, response) => {
      await gate
      const key = String(request.headers['x-api-key'])
      response.writeHead({ late: 401, down: 503 }[key] ?? 200).end('{}')
    })
    t.origin.serve('/check', (request, response) =>
      response.writeHead(request.headers['x-api-key'] === 'dead' ? 401 : 200).end('{}'),
    )
    for (const { version, code } of [one, two]) addresses[version] = t.origin.bundle(code)
  })
  beforeEach(async () => {
    gate = undefined
    const made = await t.define({ sourceUrl: addresses['1.0.0'] })
    id = made.integrationDefinitionId ?? ''
  })
  after(() => t.close())

  const connect = async (api_key: string, more: object = { region: 'eu' }) => {
    const config = { api_key, base_url: t.origin.url, ...more }
    return (await t.connect(id, { config })).integrationAccountId
  }

  it('tells how the specs differ', async () => {
    const { fields, authTypes, scopes, hosts, from, to } = fine(await preview())
    const region = { authType: 'Api Key', name: 'region' }
    assert.deepEqual(fields, {
      added: [region],
      removed: [{ authType: 'Api Key', name: 'old' }],
      changed: [],
      nowRequired: [region],
    })
    for (const none of [authTypes, scopes, hosts])
      assert.deepEqual(none, { added: [], removed: [] })
    assert.deepEqual(from, { version: '1.0.0', sourceUrl: addresses['1.0.0'] })
    assert.deepEqual(to, { version: '2.0.0', sourceUrl: addresses['2.0.0'] })
  })

  it('counts the accounts that would break, says why, and leaves those that are broken already out', async () => {
    await connect('fine')
    const late = await connect('late')
    const bare = await connect('fine', {})
    await connect('down')
    // Its bundle is kept from the first time on; nothing else ever changes.
    fine(await preview())
    const before = await digest(t)
    t.origin.requests.length = 0
    const { state, accounts, previewId } = fine(await preview())
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
      broken.map((one: Record<string, string>) => [one.integrationAccountId, one.code]),
    )
    assert.deepEqual(codes, {
      [late ?? '']: 'invalid_credentials',
      [bare ?? '']: 'validation_failed',
    })
    assert.ok(!JSON.stringify(accounts).includes(t.origin.url))
    assert.deepEqual(fine(await get(previewId)).accounts, accounts)
    assert.equal((await auditOf(t, id)).at(-1), 'definition.previewed')
    const shown = fine(await t.call('GET', `${DEFINITION}/${id}`))
    assert.equal(shown.version, '1.0.0')
    assert.equal(await digest(t), before)
  })

  it('does not blame the new version for an account that works with neither', async () => {
    const account = await connect('late')
    t.origin.serve('/check', (_request, response) => response.writeHead(401).end('{}'))
    const { accounts } = fine(await preview())
    t.origin.serve('/check', (request, response) =>
      response.writeHead(request.headers['x-api-key'] === 'dead' ? 401 : 200).end('{}'),
    )
    assert.deepEqual([accounts.alreadyBroken, accounts.wouldBreak], [1, 0], account)
  })

  it('leaves accounts alone that are not active, or whose token has ended', async () => {
    for (const change of [{ status: 'needs_reauth' }, { token_expires_at: 1 }]) {
      const account = await connect('fine')
      await t.database.transaction((trx) =>
        trx.updateTable('accounts').set(change).where('account_id', '=', String(account)).execute(),
      )
    }
    t.origin.requests.length = 0
    const { accounts, state } = fine(await preview())
    assert.deepEqual([accounts.total, accounts.checked, accounts.pending], [2, 0, 2])
    assert.equal(state, 'finished')
    assert.ok(!t.origin.requests.includes('GET /v2'))
  })

  it('shows the bundle no refresh token', async () => {
    const shown: string[] = []
    t.origin.serve('/show', async (request, response) => {
      shown.push(await text(request))
      response.end('{}')
    })
    id = (await t.define()).integrationDefinitionId ?? ''
    const tokens = { access_token: 'at_shown', refresh_token: 'rt_never_shown' }
    const config = { api_key: 'key', base_url: t.origin.url, mode: 'show', ...tokens }
    await t.connect(id, { config })
    shown.length = 0
    fine(await preview({ version: '2', sourceUrl: t.origin.bundle(`${miniBundle()} // 2`) }))
    assert.equal(shown.length, 1)
    assert.ok(shown[0]?.includes('at_shown') && !shown[0].includes('rt_never_shown'))
  })

  it('is one at a time, and goes on in the background', async () => {
    await connect('fine')
    t.origin.requests.length = 0
    const { promise, resolve } = Promise.withResolvers<void>()
    gate = promise
    const first = preview()
    await waitFor(async () => t.origin.requests.includes('GET /v2'))
    const again = fine(await preview())
    assert.equal(again.state, 'running')
    refused(await preview({ sourceUrl: addresses['1.0.0'] }), 'preview_running')
    resolve()
    const done = fine(await first)
    assert.equal(done.previewId, again.previewId)
    assert.equal(fine(await get(again.previewId)).state, 'finished')
  })

  it('runs as long as somebody works on it, however long an account takes, and is interrupted when nobody does', async () => {
    await connect('fine')
    t.origin.requests.length = 0
    const { promise, resolve } = Promise.withResolvers<void>()
    gate = promise
    const first = preview()
    await waitFor(async () => t.origin.requests.includes('GET /v2'))
    const { previewId } = fine(await preview())
    clock += 20_000
    await waitFor(async () => fine(await get(previewId)).state === 'running')
    resolve()
    assert.equal(fine(await first).state, 'finished')
    clock += 20_000
    assert.equal(fine(await get(previewId)).state, 'finished')
    const killed = JSON.stringify({ ...fine(await get(previewId)), state: 'running' })
    await t.database.transaction((trx) =>
      trx
        .updateTable('previews')
        .set({ state: 'running', result: killed, alive_until: 1 })
        .where('preview_id', '=', previewId)
        .execute(),
    )
    assert.equal(fine(await get(previewId)).state, 'interrupted')
    const next = fine(await preview())
    assert.deepEqual([next.state, next.previewId === previewId], ['finished', false])
  })

  it('is kept for an hour, for its own definition and workspace', async () => {
    const { previewId } = fine(await preview())
    const stranger = await t.stranger()
    refused(await get(previewId, stranger.token), 'integration_definition_not_found')
    refused(await get('pvw_01kahn2s6kf5arr5d1x6z5cq3b'), 'preview_not_found')
    clock += 3_600_000
    refused(await get(previewId), 'preview_not_found')
  })

  it('of code that somebody chose needs the scope that may read credentials, once there are any', async () => {
    const token = await t.mint({ scopes: ['write', 'read'] })
    fine(await preview({ sourceUrl: addresses['2.0.0'] }, token))
    await connect('fine')
    t.origin.requests.length = 0
    const body = { sourceUrl: addresses['2.0.0'] }
    refused(await preview(body, token), 'insufficient_scope')
    refused(await t.call('POST', `${DEFINITION}/${id}`, { body, token }), 'insufficient_scope')
    assert.deepEqual(t.origin.requests, [])
  })

  it('is interrupted by a service that stops, which says what it knows', async () => {
    for (let made = 0; made < 5; made += 1) await connect('fine')
    t.origin.requests.length = 0
    const { promise, resolve } = Promise.withResolvers<void>()
    gate = promise
    const first = preview()
    await waitFor(async () => t.origin.requests.filter((one) => one === 'GET /v2').length === 3)
    const stopped = t.app.close()
    resolve()
    await stopped
    const { previewId, state, accounts } = fine(await first)
    assert.deepEqual([state, accounts.checked, accounts.pending], ['interrupted', 3, 2])
    const row = await t.database.read
      .selectFrom('previews')
      .selectAll()
      .where('preview_id', '=', previewId)
      .executeTakeFirstOrThrow()
    assert.deepEqual([row.state, JSON.parse(row.result).accounts.checked], ['interrupted', 3])
  })
}

async function waitFor(isSo: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 400; tries += 1) {
    if (await isSo()) return
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  assert.fail('it did not come')
}
