import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { describeOnBothDatabases } from '../../../test/postgres.ts'
import { type TestApp, testApp } from '../../../test/test-app.ts'
import { expectCreated, expectError, waitUntilChained } from '../../../test/test-context.ts'
import { SCOPES } from '../../access/auth/caller.ts'
import { selectAuditEntries } from '../../platform/storage/audit-inbox.ts'
import { type ConsoleVisitor, createSignInCode, signIn } from '../test/console-visitor.ts'
import { endOldSignIns } from './end-old-sign-ins.ts'
import { createSignInRetentionStore } from './sign-in-retention-store.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const SETTINGS = '/console/settings/sign-in'
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

describeOnBothDatabases('The sessions of a person', (newUrl) => {
  let t: TestApp
  let now = Date.now()
  const clock = { now: () => now }
  before(async () => {
    t = await testApp({ url: await newUrl(), now: () => now })
  })
  after(() => t.close())

  const sweep = () => {
    const signInRetention = createSignInRetentionStore(t.database)
    return endOldSignIns({ database: t.database, signInRetention, ...clock })
  }
  const isSignedIn = async (visitor: ConsoleVisitor) => (await visitor.get(SETTINGS)).status === 200
  const listEnds = async () => {
    const rows = await selectAuditEntries(t.database.read)
      .select(['detail', 'actor_kind'])
      .where('action', '=', 'session.ended')
      .orderBy('event_id')
      .execute()
    return rows.map(({ detail, actor_kind }) => [actor_kind, JSON.parse(detail).reason])
  }
  const readSessionId = (text: string) => /name="session" value="([^"]+)"/.exec(text)?.[1] ?? ''

  it('are listed with their browser, and each can be ended, by that person only', async () => {
    const visitor = await signIn(t, clock)
    const other = await signIn(t, clock)
    await other.send(
      '/console/open',
      { code: await createSignInCode(t, clock) },
      { 'user-agent': FIREFOX },
    )
    const { visible, text } = await visitor.get(SETTINGS)
    assert.match(visible, /Firefox on Linux Sign-in code, 10\.[\d.]+, since/)
    const { userId } = await t.otherUser()
    const { email } = await t.database.read
      .selectFrom('users')
      .select('email')
      .where('user_id', '=', userId as `usr_${string}`)
      .executeTakeFirstOrThrow()
    const another = await signIn(t, { email, ...clock })
    const third = await signIn(t, { email, ...clock })
    const foreign = readSessionId((await another.get(SETTINGS)).text)
    assert.match(foreign, /^ses_/)
    await visitor.get(SETTINGS)
    await visitor.post(`${SETTINGS}/sessions/end`, { session: foreign })
    assert.ok(await isSignedIn(third), 'that of another person')
    await visitor.get(SETTINGS)
    const noId = await visitor.post(`${SETTINGS}/sessions/end`, { session: '\0' })
    assert.equal(noId.status, 303)
    await visitor.get(SETTINGS)
    await visitor.post(`${SETTINGS}/sessions/end`, { session: readSessionId(text) })
    assert.ok(!(await isSignedIn(other)))
    assert.ok(await isSignedIn(visitor))
    assert.deepEqual(await listEnds(), [
      ['person', 'replaced'],
      ['person', 'ended by its person'],
    ])
  })

  it('end everywhere else at once, with their access tokens', async () => {
    const visitor = await signIn(t, clock)
    const others = [await signIn(t, clock), await signIn(t, clock)]
    for (const other of others) assert.ok(await isSignedIn(other))
    await visitor.get(SETTINGS)
    await visitor.post(`${SETTINGS}/sessions/end-others`)
    for (const other of others) assert.ok(!(await isSignedIn(other)))
    assert.match((await visitor.get(SETTINGS)).visible, /You are signed in nowhere else/)
    const live = await t.database.read
      .selectFrom('session_tokens')
      .innerJoin('tokens', 'tokens.token_id', 'session_tokens.token_id')
      .innerJoin('console_sessions', 'console_sessions.session_id', 'session_tokens.session_id')
      .select('tokens.token_id')
      .where('console_sessions.ended_at', 'is not', null)
      .where('tokens.revoked_at', 'is', null)
      .execute()
    assert.deepEqual(live, [])
  })

  it('answer all of their first requests, which come at once', async () => {
    for (let round = 0; round < 5; round++) {
      const visitor = await signIn(t, clock)
      const pages = await Promise.all(Array.from({ length: 8 }, () => visitor.get(SETTINGS)))
      assert.deepEqual([...new Set(pages.map(({ status }) => status))], [200])
    }
  })

  it('are ended by no access token, whatever its scopes', async () => {
    const visitor = await signIn(t, clock)
    assert.ok(await isSignedIn(visitor))
    const { token } = expectCreated(
      await t.call('POST', '/v1/user/token', {
        body: { name: 'x', scopes: SCOPES, workspaceId: t.workspaceId },
      }),
    )
    const tokens = await t.database.read
      .selectFrom('tokens')
      .select('token_id')
      .where('origin', 'in', ['session', 'member'])
      .where('revoked_at', 'is', null)
      .execute()
    assert.ok(tokens.length > 1)
    for (const { token_id } of tokens)
      expectError(
        await t.call('DELETE', `/v1/user/token/${token_id}`, { token }),
        'token_not_found',
      )
    assert.ok(await isSignedIn(visitor))
  })

  it('that run out are recorded as ended, and deleted with their tokens 30 days later', async () => {
    await waitUntilChained(t)
    await t.database.transaction((trx) => trx.deleteFrom('audit_events').execute())
    const visitor = await signIn(t, clock)
    assert.ok(await isSignedIn(visitor))
    await sweep()
    assert.deepEqual(await listEnds(), [], 'not yet')
    now += 12 * HOUR_MS
    await sweep()
    await sweep()
    const ends = await listEnds()
    assert.ok(
      ends.length > 0 && ends.every(([kind, reason]) => kind === 'system' && reason === 'expired'),
    )
    const count = async (table: 'console_sessions' | 'session_tokens') =>
      (await t.database.read.selectFrom(table).select('session_id').execute()).length
    const countTokens = async () =>
      (
        await t.database.read
          .selectFrom('tokens')
          .select('token_id')
          .where('origin', '=', 'session')
          .execute()
      ).length
    now += 29 * DAY_MS
    await sweep()
    assert.ok((await count('console_sessions')) > 0)
    now += 2 * DAY_MS
    await sweep()
    assert.deepEqual(
      [await count('console_sessions'), await count('session_tokens'), await countTokens()],
      [0, 0, 0],
    )
    const claims = await t.database.read.selectFrom('sign_in_claims').selectAll().execute()
    assert.deepEqual(claims, [])
    assert.ok(await isSignedIn(await signIn(t, clock)), 'a new one begins')
  })

  it('have their access token once, however many requests need it first', async () => {
    const visitor = await signIn(t, clock)
    const pages = await Promise.all(
      Array.from({ length: 12 }, () => visitor.get('/console/connections')),
    )
    assert.deepEqual([...new Set(pages.map(({ status }) => status))], [200])
  })

  it('end at the same instant as elevations and requests of theirs, none of which is an unexpected error', async () => {
    const path = '/console/elevate?to=%2Fconsole'
    for (let round = 0; round < 10; round += 1) {
      const visitor = await signIn(t, clock)
      await visitor.get(path)
      const codes = [await createSignInCode(t, clock), await createSignInCode(t, clock)]
      const results = await Promise.all([
        ...codes.map((code) => visitor.post(path, { code })),
        visitor.post('/console/sign-out'),
        visitor.get('/console/connections'),
        visitor.get('/console/links'),
      ])
      for (const { status, text } of results) assert.ok(status < 500, text)
    }
  })
})
