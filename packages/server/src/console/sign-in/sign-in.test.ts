import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { describeOnBothDatabases } from '../../../test/postgres.ts'
import { type TestApp, testApp } from '../../../test/test-app.ts'
import { hashSecret } from '../../access/auth/access-token.ts'
import {
  createConsoleVisitor,
  createSignInCode,
  readText,
  signIn,
} from '../test/console-visitor.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const COOKIE = 'linchpin-console'

describeOnBothDatabases('The sign-in to the console', (newUrl) => {
  let t: TestApp
  let now = Date.now()
  before(async () => {
    t = await testApp({ url: await newUrl(), now: () => now })
  })
  after(() => t.close())

  const clock = { now: () => now }
  const countSessions = async () => {
    const rows = await t.database.read
      .selectFrom('console_sessions')
      .select('session_id')
      .where('ended_at', 'is', null)
      .execute()
    return rows.length
  }

  it('leads every page without a session to the sign-in, and from there back to a page of the console only', async () => {
    const visitor = createConsoleVisitor(t)
    const { status, location } = await visitor.get('/console/connections?status=error')
    assert.deepEqual(
      [status, location],
      [303, '/console/open?to=%2Fconsole%2Fconnections%3Fstatus%3Derror'],
    )
    await visitor.follow()
    const code = await createSignInCode(t, clock)
    assert.equal(
      (await visitor.post('/console/open', { code })).location,
      '/console/connections?status=error',
    )
    for (const to of [
      'https://evil.example',
      '//evil.example',
      '/console/../api/v1/user',
      '/consolex',
      '/console/\\evil.example',
      'javascript:alert(1)',
    ]) {
      const other = createConsoleVisitor(t)
      const response = await other.send('/console/open', {
        to,
        code: await createSignInCode(t, clock),
      })
      assert.match(response.location ?? '', /^\/console(?:\/welcome)?$/, to)
    }
  })

  it('waits for the button when a page of another origin, or someone who is signed in, has opened the address', async () => {
    const visitor = createConsoleVisitor(t)
    const isAsked = async (path: string, site: string) =>
      /data-code-form="ask"/.test((await visitor.get(path, { 'sec-fetch-site': site })).text)
    for (const site of ['cross-site', 'same-site'])
      assert.ok(await isAsked('/console/open', site), site)
    for (const site of ['none', 'same-origin'])
      assert.ok(!(await isAsked('/console/open', site)), site)
    assert.ok(await isAsked('/console/open?again', 'none'))
  })

  it('takes a code once: of 100 browsers that use it at once, one gets a session', async () => {
    const code = await createSignInCode(t, clock)
    const before = await countSessions()
    const visitors = Array.from({ length: 100 }, () => createConsoleVisitor(t))
    const responses = await Promise.all(
      visitors.map((visitor) => visitor.send('/console/open', { code })),
    )
    const statuses = responses.map(({ status }) => status)
    assert.equal(statuses.filter((status) => status === 303).length, 1)
    assert.equal(statuses.filter((status) => status === 422).length, 99)
    assert.equal((await countSessions()) - before, 1)
  })

  it('refuses a code after 15 minutes, and accepts it as people write it', async () => {
    const code = await createSignInCode(t, clock)
    now += 15 * MINUTE_MS
    const late = await createConsoleVisitor(t).send('/console/open', { code })
    assert.equal(late.status, 422)
    assert.match(late.visible, /has expired/)
    const typed = (await createSignInCode(t, clock)).toLowerCase().replaceAll('-', ' ')
    const pasted = `http://localhost:3000/console/open#${await createSignInCode(t, clock)}`
    const [, maxLength] = /name="code"[^>]*maxlength="(\d+)"/.exec(late.text) ?? []
    assert.ok(Number(maxLength) >= pasted.length, 'a browser cuts what is pasted')
    for (const text of [typed, pasted])
      assert.equal(
        (await createConsoleVisitor(t).send('/console/open', { code: text })).status,
        303,
      )
  })

  it('refuses a code that another site submits, and leaves it usable', async () => {
    const code = await createSignInCode(t, clock)
    const visitor = createConsoleVisitor(t)
    for (const headers of [
      { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
      { 'sec-fetch-site': 'same-site', origin: 'https://other.localhost' },
    ])
      assert.equal((await visitor.send('/console/open', { code }, headers)).status, 403)
    assert.equal((await visitor.send('/console/open', { code })).status, 303)
  })

  it('allows a network ten attempts per minute', async () => {
    const visitor = createConsoleVisitor(t)
    const statuses: number[] = []
    for (let attempt = 0; attempt < 12; attempt++)
      statuses.push((await visitor.send('/console/open', { code: 'WRONG' })).status)
    assert.deepEqual(statuses, [...Array(10).fill(422), 429, 429])
    assert.match(visitor.page?.visible ?? '', /Try again in \d+ seconds/)
  })

  it('stores neither the secret of a cookie nor the value of a token, and sends no token to a browser', async () => {
    const visitor = await signIn(t, clock)
    const secret = visitor.cookies.get(COOKIE) ?? ''
    assert.match(secret, /^[\w-]{43}$/)
    const { text } = await visitor.get('/console/connections')
    assert.doesNotMatch(text, /lp_[0-9A-Za-z]{20}/)
    assert.ok(!text.includes(secret))
    const sessions = await t.database.read.selectFrom('console_sessions').selectAll().execute()
    assert.ok(sessions.length > 0)
    assert.ok(!JSON.stringify(sessions).includes(secret))
    const plain = Buffer.from(hashSecret(secret))
    assert.ok(sessions.every(({ secret_hash }) => !plain.equals(secret_hash)))
  })

  it('ends after 12 hours without use, after 7 days in any case, and when the person signs out', async () => {
    const visitor = await signIn(t, clock)
    now += 12 * HOUR_MS - MINUTE_MS
    assert.equal((await visitor.get('/console/connections')).status, 200)
    now += 12 * HOUR_MS
    assert.equal((await visitor.get('/console/connections')).status, 303)
    const busy = await signIn(t, clock)
    for (let hour = 0; hour < 7 * 24 - 1; hour += 11) {
      assert.equal((await busy.get('/console/connections')).status, 200, `${hour} h`)
      now += 11 * HOUR_MS
    }
    assert.equal((await busy.get('/console/connections')).status, 303)
    const leaving = await signIn(t, clock)
    await leaving.get('/console/connections')
    const cookie = leaving.cookies.get(COOKIE) ?? ''
    assert.equal((await leaving.post('/console/sign-out')).location, '/console/open?out')
    leaving.cookies.set(COOKIE, cookie)
    assert.equal((await leaving.get('/console/connections')).status, 303, 'the old cookie')
    const tokens = await t.database.read
      .selectFrom('session_tokens')
      .innerJoin('tokens', 'tokens.token_id', 'session_tokens.token_id')
      .innerJoin('console_sessions', 'console_sessions.session_id', 'session_tokens.session_id')
      .select('tokens.revoked_at')
      .where('console_sessions.ended_at', 'is not', null)
      .execute()
    assert.ok(tokens.length > 0 && tokens.every(({ revoked_at }) => revoked_at !== null))
  })

  it('gives elevated rights for ten minutes to the code of the same person only, with another secret', async () => {
    const visitor = await signIn(t, clock)
    const before = visitor.cookies.get(COOKIE)
    const other = await t.otherUser()
    const { email } = await t.database.read
      .selectFrom('users')
      .select('email')
      .where('user_id', '=', other.userId as `usr_${string}`)
      .executeTakeFirstOrThrow()
    const path = '/console/elevate?to=%2Fconsole%2Fconnections'
    await visitor.get(path)
    const foreign = await createSignInCode(t, { email, ...clock })
    assert.equal((await visitor.post(path, { code: foreign })).status, 422)
    await visitor.get(path)
    const { location } = await visitor.post(path, { code: await createSignInCode(t, clock) })
    assert.equal(location, '/console/connections')
    assert.notEqual(visitor.cookies.get(COOKIE), before)
    assert.equal((await visitor.get('/console/connections')).status, 200)
    assert.equal((await visitor.get(path)).location, '/console/connections', 'already elevated')
    now += 10 * MINUTE_MS
    assert.equal((await visitor.get(path)).status, 200, 'no longer')
    const stolen = createConsoleVisitor(t)
    stolen.cookies.set(COOKIE, before ?? '')
    assert.equal((await stolen.get('/console/connections')).status, 303, 'the former secret')
  })
})

describeOnBothDatabases('A form of the console', (newUrl) => {
  let t: TestApp
  before(async () => {
    t = await testApp({ url: await newUrl() })
  })
  after(() => t.close())

  it('is refused without its token, with that of another session or form, and from another site', async () => {
    const visitor = await signIn(t)
    const other = await signIn(t)
    const readToken = (text: string, action: string) =>
      new RegExp(`action="${action}"[\\s\\S]*?name="form_token" value="([^"]+)"`).exec(text)?.[1] ??
      ''
    const { text } = await visitor.get('/console/connections')
    const own = readToken(text, '/console/theme')
    const foreign = readToken((await other.get('/console/connections')).text, '/console/theme')
    const ofOtherForm = readToken(text, '/console/sign-out')
    const send = (form_token: string, headers = {}) =>
      visitor.send('/console/theme', { form_token, theme: 'dark' }, headers)
    for (const token of ['', 'x', foreign, ofOtherForm, own.slice(1)]) {
      const refused = await send(token)
      assert.equal(refused.status, 403)
      assert.match(readText(refused.text), /Nothing was changed/)
    }
    for (const headers of [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none' },
      { host: 'evil.example', origin: 'http://evil.example', 'sec-fetch-site': 'cross-site' },
    ])
      assert.equal((await send(own, headers)).status, 403, JSON.stringify(headers))
    assert.ok(!visitor.cookies.has('linchpin-console-theme'))
    assert.equal((await send(own)).status, 303)
    assert.equal(visitor.cookies.get('linchpin-console-theme'), 'dark')
  })
})
