import assert from 'node:assert/strict'
import { after, before, beforeEach, it } from 'node:test'
import { describeOnBothDatabases } from '../../../test/postgres.ts'
import { type TestApp, testApp } from '../../../test/test-app.ts'
import { expectOk, waitUntilChained } from '../../../test/test-context.ts'
import { selectAuditEntries } from '../../platform/storage/audit-inbox.ts'
import {
  type Authenticator,
  createAuthenticator,
  type Forgery,
  readPasskeyOptions,
} from '../test/authenticator.ts'
import {
  type ConsoleVisitor,
  createConsoleVisitor,
  createSignInCode,
  signIn,
} from '../test/console-visitor.ts'
import { createFormToken } from './form-guard.ts'

const MINUTE_MS = 60_000
const COOKIE = 'linchpin-console'
const SETTINGS = '/console/settings/sign-in'
const ADD = `${SETTINGS}/passkeys`
const ELEVATE = '/console/elevate?to=%2Fconsole'
const OPEN = '/console/open/passkey'

describeOnBothDatabases('Passkeys', (newUrl) => {
  let t: TestApp
  let now = Date.now()
  const clock = { now: () => now }
  before(async () => {
    t = await testApp({ url: await newUrl(), now: () => now })
  })
  beforeEach(() => t.database.transaction((trx) => trx.deleteFrom('passkeys').execute()))
  after(() => t.close())

  const listPasskeys = () => t.database.read.selectFrom('passkeys').selectAll().execute()
  const add = async (visitor: ConsoleVisitor, authenticator: Authenticator, forgery?: Forgery) => {
    const page = await visitor.get(SETTINGS)
    const response = authenticator.create(readPasskeyOptions(page), forgery)
    return visitor.post(ADD, { name: 'Laptop', response })
  }
  const elevateWithCode = async (visitor: ConsoleVisitor) => {
    await visitor.get(ELEVATE)
    const { status } = await visitor.post(ELEVATE, { code: await createSignInCode(t, clock) })
    assert.equal(status, 303)
  }
  const open = async (authenticator: Authenticator, forgery?: Forgery) => {
    const visitor = createConsoleVisitor(t)
    const page = await visitor.get('/console/open')
    const response = authenticator.get(readPasskeyOptions(page), forgery)
    return { visitor, response, ...(await visitor.send(OPEN, { response })) }
  }
  const addFirst = async () => {
    const visitor = await signIn(t, clock)
    const authenticator = createAuthenticator()
    const { location, text } = await add(visitor, authenticator)
    assert.equal(location, SETTINGS, text)
    return { visitor, authenticator }
  }

  it('sign their person in, and are offered only once there is one', async () => {
    const { text } = await createConsoleVisitor(t).get('/console/open')
    assert.doesNotMatch(text, /passkey/i)
    const { authenticator } = await addFirst()
    const { visitor, status } = await open(authenticator)
    assert.equal(status, 303)
    assert.match((await visitor.get(SETTINGS)).visible, /Method Passkey/)
    const [{ counter, last_used_at } = {}] = await listPasskeys()
    assert.deepEqual([counter, last_used_at], [2, now])
  })

  it('sign in once with an assertion: of 100 browsers that send it at once, one gets a session', async () => {
    const { authenticator } = await addFirst()
    const page = await createConsoleVisitor(t).get('/console/open')
    const response = authenticator.get(readPasskeyOptions(page))
    const visitors = Array.from({ length: 100 }, () => createConsoleVisitor(t))
    const responses = await Promise.all(visitors.map((each) => each.send(OPEN, { response })))
    const statuses = responses.map(({ status }) => status)
    assert.equal(statuses.filter((status) => status === 303).length, 1)
    assert.equal(statuses.filter((status) => status === 422).length, 99)
    assert.equal((await createConsoleVisitor(t).send(OPEN, { response })).status, 422, 'later')
  })

  it('use a challenge once, although the authenticator signs it twice', async () => {
    const { authenticator } = await addFirst()
    const options = readPasskeyOptions(await createConsoleVisitor(t).get('/console/open'))
    const statuses: number[] = []
    for (const response of [authenticator.get(options), authenticator.get(options)])
      statuses.push((await createConsoleVisitor(t).send(OPEN, { response })).status)
    assert.deepEqual(statuses, [303, 422])
  })

  it('refuse what is signed for another origin or domain, without verification, or for something else', async () => {
    const { authenticator } = await addFirst()
    const forgeries: readonly Forgery[] = [
      { origin: 'https://evil.example' },
      { origin: 'http://localhost:3001' },
      { rpId: 'evil.example' },
      { isVerified: false },
      { type: 'webauthn.create' },
      { challenge: Buffer.alloc(54).toString('base64url') },
      { challenge: '' },
      { userHandle: Buffer.from('usr_other').toString('base64url') },
    ]
    for (const forgery of forgeries)
      assert.equal((await open(authenticator, forgery)).status, 422, JSON.stringify(forgery))
    assert.equal((await open(createAuthenticator())).status, 422, 'an unknown credential')
    for (const response of ['', '{', 'null', '[]', '{"id":"x"}', '{"id":"x","response":null}'])
      assert.equal((await createConsoleVisitor(t).send(OPEN, { response })).status, 422, response)
    assert.equal((await open(authenticator)).status, 303)
  })

  it('refuse a signature of another key under a known ID', async () => {
    const { authenticator } = await addFirst()
    const other = createAuthenticator()
    const page = await createConsoleVisitor(t).get('/console/open')
    const own = JSON.parse(authenticator.get(readPasskeyOptions(page)))
    const forged = JSON.parse(other.get(readPasskeyOptions(page)))
    const response = JSON.stringify({ ...forged, id: own.id, rawId: own.rawId })
    assert.equal((await createConsoleVisitor(t).send(OPEN, { response })).status, 422)
  })

  it('refuse a counter that does not increase, and log it', async () => {
    const { authenticator } = await addFirst()
    assert.equal((await open(authenticator, { counter: 7 })).status, 303)
    for (const counter of [7, 6, 0])
      assert.equal((await open(authenticator, { counter })).status, 422, String(counter))
    assert.match(t.logs.at(-1) + t.logs.join(), /its counter did not increase/)
    assert.equal((await open(authenticator, { counter: 8 })).status, 303)
  })

  it('of authenticators without a counter sign in again and again', async () => {
    const visitor = await signIn(t, clock)
    const authenticator = createAuthenticator()
    await add(visitor, authenticator, { counter: 0 })
    for (const _ of [1, 2]) assert.equal((await open(authenticator, { counter: 0 })).status, 303)
  })

  it('refuse a challenge after 15 minutes, and one of the sign-in for a confirmation', async () => {
    const { visitor, authenticator } = await addFirst()
    const page = await createConsoleVisitor(t).get('/console/open')
    const signed = authenticator.get(readPasskeyOptions(page))
    await visitor.get(ELEVATE)
    assert.equal((await visitor.post(ELEVATE, { response: signed })).status, 422)
    now += 15 * MINUTE_MS
    assert.equal((await createConsoleVisitor(t).send(OPEN, { response: signed })).status, 422)
  })

  it('confirm who a person is, in their own session only', async () => {
    const { visitor, authenticator } = await addFirst()
    const other = await signIn(t, clock)
    const ofOther = readPasskeyOptions(await other.get(ELEVATE))
    const own = await visitor.get(ELEVATE)
    assert.match(own.visible, /Confirm with a passkey/)
    assert.equal(
      (await visitor.post(ELEVATE, { response: authenticator.get(ofOther) })).status,
      422,
      'a challenge of another session',
    )
    const before = visitor.cookies.get(COOKIE)
    const options = readPasskeyOptions(await visitor.get(ELEVATE))
    const done = await visitor.post(ELEVATE, { response: authenticator.get(options) })
    assert.deepEqual([done.status, done.location], [303, '/console'])
    assert.notEqual(visitor.cookies.get(COOKIE), before)
    assert.match((await visitor.get(SETTINGS)).visible, /Confirmed rights End in/)
  })

  it('of another person confirm nothing', async () => {
    const { visitor } = await addFirst()
    const { userId } = await t.otherUser()
    const { email } = await t.database.read
      .selectFrom('users')
      .select('email')
      .where('user_id', '=', userId as `usr_${string}`)
      .executeTakeFirstOrThrow()
    const other = await signIn(t, { email, ...clock })
    const authenticator = createAuthenticator()
    assert.equal((await add(other, authenticator)).status, 303)
    const options = readPasskeyOptions(await visitor.get(ELEVATE))
    assert.doesNotMatch(options, /other/)
    const response = authenticator.get(options)
    assert.equal((await visitor.post(ELEVATE, { response })).status, 422)
    const { visitor: opened } = await open(authenticator)
    assert.match((await opened.get(SETTINGS)).visible, new RegExp(email))
  })

  it('are added right after a sign-in only as the first; later and others after a confirmation', async () => {
    const { visitor } = await addFirst()
    const page = await visitor.get(SETTINGS)
    assert.equal(readPasskeyOptions(page), '', 'a second one is not offered')
    const forged = await signIn(t, clock)
    await t.database.transaction((trx) => trx.deleteFrom('passkeys').execute())
    const options = readPasskeyOptions(await forged.get(SETTINGS))
    await add(visitor, createAuthenticator())
    const second = createAuthenticator()
    const refused = await forged.post(ADD, { response: second.create(options) })
    assert.equal(refused.status, 422)
    assert.match(refused.text, /Confirm that it is you first/)
    assert.equal((await listPasskeys()).length, 1)
    await elevateWithCode(forged)
    assert.equal((await add(forged, second)).status, 303)
    assert.equal((await add(forged, second)).status, 422, 'the same again')
    assert.equal((await listPasskeys()).length, 2)
    await t.database.transaction((trx) => trx.deleteFrom('passkeys').execute())
    const late = await signIn(t, clock)
    now += 10 * MINUTE_MS
    assert.equal(readPasskeyOptions(await late.get(SETTINGS)), '')
  })

  it('are one of two first ones that are added at once', async () => {
    const visitor = await signIn(t, clock)
    const options = readPasskeyOptions(await visitor.get(SETTINGS))
    const responses = Array.from({ length: 10 }, () => createAuthenticator().create(options))
    const added = await Promise.all(responses.map((response) => visitor.post(ADD, { response })))
    assert.equal(added.filter(({ status }) => status === 303).length, 1)
    assert.equal((await listPasskeys()).length, 1)
  })

  it('are not added without verification, for another origin, another session or with certificates', async () => {
    const visitor = await signIn(t, clock)
    const other = await signIn(t, clock)
    const foreign = JSON.parse(readPasskeyOptions(await other.get(SETTINGS))).challenge
    const forgeries: readonly Forgery[] = [
      { isVerified: false },
      { origin: 'https://evil.example' },
      { rpId: 'evil.example' },
      { challenge: foreign },
      { format: 'packed' },
      { format: 'fido-u2f' },
    ]
    for (const forgery of forgeries)
      assert.equal(
        (await add(visitor, createAuthenticator(), forgery)).status,
        422,
        JSON.stringify(forgery),
      )
    assert.deepEqual(await listPasskeys(), [])
  })

  it('are neither added nor used by an impostor whose requests meet the first sign-in of the person', async () => {
    for (let round = 0; round < 8; round++) {
      const email = `round-${round}@example.com`
      const impostor = createConsoleVisitor(t)
      const body = { email, role: 'viewer' }
      const { invitationUrl: code } = expectOk(await t.call('POST', '/v1/member', { body }))
      await impostor.send('/console/join', { code, confirm: 'yes', name: 'Eve' })
      const authenticator = createAuthenticator()
      assert.equal((await add(impostor, authenticator)).status, 303)
      const confirmation = readPasskeyOptions(await impostor.get(ELEVATE))
      await impostor.post(ELEVATE, { response: authenticator.get(confirmation) })
      const options = readPasskeyOptions(await impostor.get(SETTINGS))
      const additions = Array.from({ length: 6 }, () => createAuthenticator().create(options))
      const doors = Array.from({ length: 4 }, () => createConsoleVisitor(t))
      const assertions: string[] = []
      for (const door of doors)
        assertions.push(authenticator.get(readPasskeyOptions(await door.get('/console/open'))))
      const person = createConsoleVisitor(t)
      const ofPerson = await createSignInCode(t, { email, ...clock })
      const [signedIn] = await Promise.all([
        person.send('/console/open', { code: ofPerson }),
        ...additions.map((response) => impostor.post(ADD, { response })),
        ...doors.map((door, index) => door.send(OPEN, { response: assertions[index] ?? '' })),
      ])
      assert.equal(signedIn.status, 303)
      assert.match((await person.get(SETTINGS)).visible, /You have no passkey/, `round ${round}`)
      for (const door of doors)
        assert.match((await door.get(SETTINGS)).location ?? '', /open/, `round ${round}`)
    }
  })

  it('are renamed and removed by their person only, and removed only after a confirmation', async () => {
    const { visitor, authenticator } = await addFirst()
    const [{ passkey_id: passkey = '' } = {}] = await listPasskeys()
    const { userId } = await t.otherUser()
    const { email } = await t.database.read
      .selectFrom('users')
      .select('email')
      .where('user_id', '=', userId as `usr_${string}`)
      .executeTakeFirstOrThrow()
    const other = await signIn(t, { email, ...clock })
    await add(other, createAuthenticator())
    await other.get(ELEVATE)
    await other.post(ELEVATE, { code: await createSignInCode(t, { email, ...clock }) })
    await other.get(SETTINGS)
    await other.post(`${ADD}/rename`, { passkey, name: 'Mine' })
    await other.get(SETTINGS)
    await other.post(`${ADD}/remove`, { passkey })
    await visitor.get(SETTINGS)
    await visitor.post(`${ADD}/rename`, { passkey, name: '<b>Phone</b>' })
    const page = await visitor.get(SETTINGS)
    assert.match(page.visible, /<b>Phone<\/b>/)
    assert.doesNotMatch(page.text, /passkeys\/remove/, 'not before a confirmation')
    const secret = visitor.cookies.get(COOKIE) ?? ''
    const membership = { workspaceId: t.workspaceId }
    const form_token = createFormToken({ secret, membership }, `${ADD}/remove`)
    const unconfirmed = await visitor.send(`${ADD}/remove`, { form_token, passkey })
    assert.match(unconfirmed.location ?? '', /elevate/)
    assert.equal((await listPasskeys()).length, 2)
    await elevateWithCode(visitor)
    await visitor.get(SETTINGS)
    assert.equal((await visitor.post(`${ADD}/remove`, { passkey })).location, SETTINGS)
    assert.equal((await listPasskeys()).length, 1, 'that of the other')
    assert.equal((await open(authenticator)).status, 422)
  })

  it('with a NUL in an ID or a name are refused or stored without it, on both databases', async () => {
    const response = JSON.stringify({ id: '\0', response: {} })
    const other = createConsoleVisitor(t)
    assert.equal((await other.send(OPEN, { response })).status, 422)
    const { visitor } = await addFirst()
    await elevateWithCode(visitor)
    await visitor.get(SETTINGS)
    for (const action of ['rename', 'remove'])
      assert.equal(
        (await visitor.post(`${ADD}/${action}`, { passkey: '\0', name: 'x' })).status,
        303,
        action,
      )
    await visitor.post(`${ADD}/rename`, { name: 'My\0 laptop' })
    const [{ name } = {}] = await listPasskeys()
    assert.equal(name, 'My  laptop')
  })

  it('count as attempts to sign in, ten per minute and network', async () => {
    const visitor = createConsoleVisitor(t)
    const statuses: number[] = []
    for (let attempt = 0; attempt < 12; attempt++)
      statuses.push((await visitor.send(OPEN, { response: '{}' })).status)
    assert.deepEqual(statuses, [...Array(10).fill(422), 429, 429])
    for (const headers of [{ 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }])
      assert.equal((await visitor.send(OPEN, { response: '{}' }, headers)).status, 403)
  })

  it('are in the audit trail, with the sessions that they begin and confirm', async () => {
    await waitUntilChained(t)
    await t.database.transaction((trx) => trx.deleteFrom('audit_events').execute())
    const { visitor, authenticator } = await addFirst()
    const options = readPasskeyOptions(await visitor.get(ELEVATE))
    await visitor.post(ELEVATE, { response: authenticator.get(options) })
    const [{ passkey_id: passkey = '' } = {}] = await listPasskeys()
    await visitor.get(SETTINGS)
    await visitor.post(`${ADD}/rename`, { passkey, name: 'Phone' })
    await visitor.get(SETTINGS)
    await visitor.post(`${ADD}/remove`, { passkey })
    await visitor.get(SETTINGS)
    await visitor.post('/console/sign-out')
    const events = await selectAuditEntries(t.database.read)
      .select(['action', 'detail', 'subject', 'actor_kind', 'via', 'workspace_id', 'user_id'])
      .where('via', '=', 'console')
      .orderBy('event_id')
      .execute()
    assert.deepEqual(
      events.map(({ action, detail }) => [action, JSON.parse(detail)]),
      [
        ['session.created', { method: 'code' }],
        ['passkey.created', { name: 'Laptop' }],
        ['session.elevated', { method: 'passkey' }],
        ['passkey.updated', { name: 'Phone' }],
        ['passkey.deleted', { name: 'Phone' }],
        ['session.ended', { reason: 'signed out' }],
      ],
    )
    assert.ok(
      events.every(
        ({ workspace_id, actor_kind, user_id }) =>
          workspace_id === t.workspaceId && actor_kind === 'person' && user_id !== null,
      ),
    )
  })
})
