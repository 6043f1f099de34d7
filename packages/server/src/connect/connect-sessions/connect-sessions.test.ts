import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import type { AnyBody } from '../../../test/any-body.ts'
import { describeOnBothDatabases } from '../../../test/postgres.ts'
import {
  expectCreated,
  expectOk,
  type TestContext,
  testContext,
} from '../../../test/test-context.ts'
import { selectAuditEntries } from '../../platform/storage/audit-inbox.ts'
import { newId, newLinkId } from '../../platform/storage/id.ts'
import { createVisitedSessionStore } from './connect-session-store.ts'
import { endConnectSessions } from './record-connect-session-change.ts'

const REDIRECT = 'https://app.example.com/done'

describeOnBothDatabases('/v1/connect_session', (newUrl) => {
  let t: TestContext
  let now = Date.now()
  let linkId: string
  before(async () => {
    t = await testContext({ now: () => now, url: await newUrl() })
    const body = { linkName: 'a', redirectURLs: [REDIRECT] }
    linkId = expectCreated(await t.call('POST', '/v1/link', { body })).linkId
  })
  after(() => t.close())

  const post = (body: AnyBody, options = {}) =>
    t.call('POST', '/v1/connect_session', { body: { linkId, ...body }, ...options })
  const create = async (body: AnyBody = {}) => expectCreated(await post(body))
  const get = async (id: string) => expectOk(await t.call('GET', `/v1/connect_session/${id}`))

  it('POST: 201 with a token that is stored as a hash only, and never returned again', async () => {
    const session = await create({ accountIdentifier: 'customer-1', redirectURL: REDIRECT })
    assert.match(session.token, /^cnt_[\w-]{27}$/)
    assert.ok(session.url.endsWith(`/connect/${session.token}`))
    const { token, url: _, ...others } = session
    assert.deepEqual(await get(session.connectSessionId), others)
    assert.deepEqual(
      [others.status, others.mode, others.maxAccounts, others.accountIdentifier],
      ['created', 'connect', 1, 'customer-1'],
    )
    assert.equal(Date.parse(others.expiresAt) - Date.parse(others.createdAt), 1_800_000)
    const rows = await t.database.read.selectFrom('connect_sessions').selectAll().execute()
    const audit = await selectAuditEntries(t.database.read).selectAll().execute()
    const events = await t.database.read.selectFrom('events').selectAll().execute()
    assert.ok(!JSON.stringify([rows, audit, events]).includes(token))
  })

  it('POST: an Idempotency-Key creates one session and repeats its token', async () => {
    const headers = { 'idempotency-key': 'session-1' }
    const first = expectCreated(await post({}, { headers }))
    assert.deepEqual(expectCreated(await post({}, { headers })), first)
  })

  it('POST: 400 for what the link does not allow, 403 without the scope, 401 without a token', async () => {
    for (const [body, code] of [
      [{ linkId: newLinkId() }, 'unknown_reference'],
      [{ workspaceId: t.workspaceId }, 'validation_failed'],
      [{ redirectURL: 'https://elsewhere.example' }, 'redirect_url_not_allowed'],
      [{ integrationDefinitionIds: [newId('def', now)] }, 'unknown_reference'],
      [{ accountIdentifier: 'a\nb' }, 'validation_failed'],
      [{ expiresIn: 59 }, 'validation_failed'],
      [{ expiresIn: 604_801 }, 'validation_failed'],
      [{ mode: 'manage' }, 'validation_failed'],
      [{ config: { a: {} } }, 'validation_failed'],
      [{ hiddenConfig: ['a'] }, 'validation_failed'],
      [{ category: ['no such thing'] }, 'validation_failed'],
      [{ unknown: 1 }, 'validation_failed'],
    ] as const) {
      const response = await post(body)
      assert.deepEqual([response.status, response.body.error], [400, code], JSON.stringify(body))
    }
    const token = await t.createToken({ scopes: ['read', 'links:write'] })
    assert.equal((await post({}, { token })).status, 201)
    const manage = { mode: 'manage', accountIdentifier: 'a' }
    assert.equal((await post(manage, { token })).body.error, 'insufficient_scope')
    assert.equal((await create(manage)).mode, 'manage')
    assert.equal((await post({}, { token: null })).status, 401)
  })

  it('POST: without a link, the settings of the workspace apply', async () => {
    const settings = { allowedRedirectURLs: ['https://acme.example/done'] }
    expectOk(await t.call('POST', `/v1/workspace/${t.workspaceId}`, { body: settings }))
    const redirectURL = settings.allowedRedirectURLs[0]
    const session = await create({ linkId: undefined, redirectURL })
    assert.deepEqual([session.linkId, session.workspaceId], [null, t.workspaceId])
    const { token: _, url: __, ...others } = session
    assert.deepEqual(await get(session.connectSessionId), others)
    const { workspaceId } = t
    assert.equal((await create({ linkId: null, workspaceId })).workspaceId, workspaceId)
    for (const [body, code] of [
      [{ redirectURL: REDIRECT }, 'redirect_url_not_allowed'],
      [{ workspaceId: newId('wsp', now) }, 'workspace_not_accessible'],
      [{ integrationDefinitionIds: ['no-such-key'] }, 'unknown_reference'],
      [{ integrationAccountId: newId('acc', now) }, 'unknown_reference'],
      [{ mode: 'manage' }, 'validation_failed'],
    ] as const)
      assert.equal((await post({ linkId: undefined, ...body })).body.error, code)
  })

  it('GET: lists the sessions of an identifier, in pages; 404 for unknown ids', async () => {
    const ids = []
    for (let index = 0; index < 3; index += 1)
      ids.push((await create({ accountIdentifier: 'listed' })).connectSessionId)
    const path = '/v1/connect_session?accountIdentifier=listed&limit=2'
    const first = await t.call('GET', path)
    const next = /<[^>]*\/api([^>]*)>/.exec(String(first.headers.link))?.[1] ?? ''
    const second = expectOk(await t.call('GET', next))
    const found = [...expectOk(first), ...second].map((one: AnyBody) => one.connectSessionId)
    assert.deepEqual(found, ids)
    const unknown = await t.call('GET', `/v1/connect_session/${newId('cns', now)}`)
    assert.deepEqual([unknown.status, unknown.body.error], [404, 'connect_session_not_found'])
  })

  it('GET: lists the sessions of a link and of a status, newest first on request; 400 for others', async () => {
    const body = { linkName: 'listed' }
    const link = expectCreated(await t.call('POST', '/v1/link', { body })).linkId
    const ids: string[] = []
    for (let index = 0; index < 4; index += 1)
      ids.push((await create({ linkId: link, expiresIn: 60 + index })).connectSessionId)
    const [first = '', second = '', third = '', fourth = ''] = ids
    expectOk(await t.call('DELETE', `/v1/connect_session/${first}`))
    await t.database.transaction(async (trx) => {
      const update = (id: string, change: object) =>
        trx
          .updateTable('connect_sessions')
          .set(change)
          .where('connect_session_id', '=', id as `cns_${string}`)
          .execute()
      await update(second, { opened_at: now })
      await update(third, { completed_at: now, is_open: 0 })
      await update(fourth, { expires_at: now - 1 })
    })
    const list = async (query: string) =>
      expectOk(await t.call('GET', `/v1/connect_session?linkId=${link}&${query}`)).map(
        (one: AnyBody) => one.connectSessionId,
      )
    assert.deepEqual(await list(''), ids)
    assert.deepEqual(await list('order=-createdAt'), ids.toReversed())
    for (const [status, expected] of [
      ['revoked', [first]],
      ['opened', [second]],
      ['completed', [third]],
      ['expired', [fourth]],
      ['created', []],
    ] as const)
      assert.deepEqual(await list(`status=${status}`), expected, status)
    const page = await t.call('GET', `/v1/connect_session?linkId=${link}&order=-createdAt&limit=3`)
    const next = /<[^>]*\/api([^>]*)>/.exec(String(page.headers.link))?.[1] ?? ''
    assert.deepEqual(
      expectOk(await t.call('GET', next)).map((one: AnyBody) => one.connectSessionId),
      [first],
    )
    for (const query of ['status=gone', 'order=name'])
      assert.equal((await t.call('GET', `/v1/connect_session?${query}`)).status, 400)
  })

  it('DELETE: revokes once; 404 for sessions of others', async () => {
    const { connectSessionId: id } = await create({})
    const path = `/v1/connect_session/${id}`
    const other = await t.otherUser()
    assert.equal((await t.call('DELETE', path, { token: other.token })).status, 404)
    assert.equal((await get(id)).status, 'created')
    const revoked = expectOk(await t.call('DELETE', path))
    assert.equal(revoked.status, 'revoked')
    assert.deepEqual(expectOk(await t.call('DELETE', path)), revoked)
    assert.deepEqual(await listTypes(id), ['connect_session.created', 'connect_session.revoked'])
  })

  it('expires, which is published once, and is deleted 30 days later', async () => {
    const { connectSessionId: id } = await create({ expiresIn: 60 })
    const deps = {
      database: t.database,
      visitedSessions: createVisitedSessionStore(t.database),
      now: () => now,
    }
    now += 61_000
    assert.equal((await get(id)).status, 'expired')
    await endConnectSessions(deps)
    await endConnectSessions(deps)
    assert.deepEqual(await listTypes(id), ['connect_session.created', 'connect_session.expired'])
    now += 31 * 24 * 60 * 60_000
    await endConnectSessions(deps)
    assert.equal((await t.call('GET', `/v1/connect_session/${id}`)).status, 404)
  })

  it('binds to one of 100 browsers that press at once', async () => {
    const { connectSessionId: id } = await create({})
    const visited = createVisitedSessionStore(t.database)
    const bound = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        t.database.transaction((trx) =>
          visited.bind(trx, id, Buffer.from(`browser ${index}`), now),
        ),
      ),
    )
    assert.equal(bound.filter((session) => session !== undefined).length, 1)
    assert.equal((await get(id)).status, 'opened')
  })

  async function listTypes(id: string): Promise<string[]> {
    const rows = await t.database.read
      .selectFrom('events')
      .select('type')
      .where('subject', '=', id)
      .orderBy('position')
      .execute()
    return rows.map(({ type }) => type)
  }
})
