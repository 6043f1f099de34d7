import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, it } from 'node:test'
import { expectCreated, expectOk } from '../../../test/expect-response.ts'
import { describeOnBothDatabases } from '../../../test/postgres.ts'
import { type TestApp, testApp } from '../../../test/test-app.ts'
import {
  completeConsent,
  SPECIAL_CHARACTER_SECRET,
  startTestOidcProvider,
} from '../../integrations/oauth/test/oidc-provider.ts'
import { createAuthenticator, readPasskeyOptions } from '../test/authenticator.ts'
import {
  type ConsoleVisitor,
  createConsoleVisitor,
  createSignInCode,
  signIn,
} from '../test/console-visitor.ts'

const CALLBACK = 'http://localhost:3000/console/oidc/callback'
const COOKIE = 'linchpin-console'
const SETTINGS = '/console/settings/sign-in'
const OWNER = 'owner@localhost'
const ROLES = [
  { claim: 'groups', value: 'platform', role: 'admin' },
  { claim: 'groups', value: 'support', role: 'support' },
] as const

/** What the provider says of the account of an e-mail. */
function describeAccount(email: string) {
  return {
    sub: `sub-of-${email}`,
    email: email.replace('unverified-', ''),
    email_verified: !email.startsWith('unverified-'),
    groups: email.startsWith('outsider') ? ['sales'] : ['sales', 'support'],
  }
}

function startProvider(
  scope: { after(end: () => unknown): void },
  overrides: Parameters<typeof startTestOidcProvider>[1] = {},
): Promise<string> {
  return startTestOidcProvider(scope as Parameters<typeof startTestOidcProvider>[0], {
    clients: [
      {
        client_id: 'linchpin',
        client_secret: SPECIAL_CHARACTER_SECRET,
        redirect_uris: [CALLBACK],
      },
    ],
    scopes: ['openid', 'email', 'profile'],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['groups'] },
    findAccount: (_context, id) => ({
      accountId: id,
      claims: async () => ({ ...describeAccount(id), sub: id }),
    }),
    ...overrides,
  })
}

describeOnBothDatabases('Single sign-on', (newUrl) => {
  let t: TestApp
  let issuer: URL
  const ends: (() => unknown)[] = []
  before(async () => {
    issuer = new URL(await startProvider({ after: (end) => void ends.push(end) }))
    t = await openApp()
  })
  after(async () => {
    await t.close()
    for (const end of ends) await end()
  })

  const openApp = async (options: { isOnly?: boolean; roles?: typeof ROLES; issuer?: URL } = {}) =>
    testApp({
      url: await newUrl(),
      oidc: {
        issuer,
        clientId: 'linchpin',
        clientSecret: SPECIAL_CHARACTER_SECRET,
        isOnly: false,
        ...options,
      },
    })
  /** The path of the provider's response, for the person with an e-mail. */
  const consent = async (
    visitor: ConsoleVisitor,
    login: string,
    {
      path = '/console/oidc',
      change = (url: URL) => url,
      cookieJar = new Map<string, string>(),
    } = {},
  ) => {
    const { location = '' } = await visitor.get(path)
    const url = change(new URL(location)).href
    const end = await completeConsent(url, { redirectUri: CALLBACK, login, cookieJar })
    return end.pathname + end.search
  }
  const open = async (login: string, app = t) => {
    const visitor = createConsoleVisitor(app)
    return { visitor, page: await visitor.get(await consent(visitor, login)) }
  }

  it('signs in the user whose e-mail the provider has verified, and leads back to a page of the console', async () => {
    const visitor = createConsoleVisitor(t)
    const { text } = await visitor.get('/console/open?to=%2Fconsole%2Flinks')
    assert.match(text, /href="\/console\/oidc\?to&?[^"]*=%2Fconsole%2Flinks"[^>]*>.*single sign-on/)
    const path = await consent(visitor, OWNER, { path: '/console/oidc?to=%2Fconsole%2Flinks' })
    const page = await visitor.get(path)
    assert.deepEqual([page.status, page.location], [303, '/console/links'])
    assert.match((await visitor.get(SETTINGS)).visible, /Method Single sign-on/)
  })

  it('forgets a page with a long address, so that browsers accept the cookie', async () => {
    const visitor = createConsoleVisitor(t)
    await visitor.get(
      `/console/oidc?to=${encodeURIComponent(`/console/links?q=${'x'.repeat(3_500)}`)}`,
    )
    assert.ok((visitor.cookies.get('linchpin-console-oidc') ?? '').length < 4_000)
  })

  it('takes no e-mail for that of a user because of letters that become others in lower case, and none that is no address', async () => {
    expectCreated(await t.call('POST', '/v1/user', { body: { email: 'kim@example.com' } }))
    assert.equal((await open('KIM@example.com')).page.status, 303)
    for (const login of [
      '\u212aim@example.com',
      'kim',
      'kim@example.com\0',
      `${'k'.repeat(255)}@x`,
    ])
      assert.equal((await open(login)).page.status, 403, login)
    assert.equal((await open('kim@example.com', t)).page.status, 303)
  })

  it('does not begin with a link of another page', async () => {
    for (const site of ['cross-site', 'same-site'])
      for (const path of ['/console/oidc?to=%2Fconsole%2Flinks', '/console/oidc?confirm']) {
        const visitor = createConsoleVisitor(t)
        const page = await visitor.get(path, { 'sec-fetch-site': site })
        assert.deepEqual([page.status, visitor.cookies.size], [200, 0])
        assert.match(page.text, /single sign-on/)
        const person = await signIn(t)
        const { location } = await person.get(path, {
          'sec-fetch-site': site,
          'sec-fetch-mode': 'navigate',
          'sec-fetch-dest': 'document',
        })
        assert.match(location ?? '', /^\/console(?:\/links)?$/)
      }
  })

  it('asks for a code with PKCE, a state and a nonce, and stores nothing before the response', async () => {
    const claims = () => t.database.read.selectFrom('sign_in_claims').selectAll().execute()
    const before = (await claims()).length
    const visitor = createConsoleVisitor(t)
    const { location = '', headers } = await visitor.get('/console/oidc')
    const { searchParams } = new URL(location)
    assert.equal(searchParams.get('response_type'), 'code')
    assert.equal(searchParams.get('code_challenge_method'), 'S256')
    assert.equal(searchParams.get('redirect_uri'), CALLBACK)
    for (const name of ['state', 'nonce', 'code_challenge'])
      assert.match(searchParams.get(name) ?? '', /^[\w-]{43}$/, name)
    assert.match(String(headers['set-cookie']), /linchpin-console-oidc=.*HttpOnly; SameSite=Lax/)
    assert.equal((await claims()).length, before)
  })

  it('refuses a response in another browser, with another state or issuer, and a second time', async () => {
    const visitor = createConsoleVisitor(t)
    const path = await consent(visitor, OWNER)
    const { status } = await createConsoleVisitor(t).get(path)
    assert.equal(status, 422, 'another browser')
    const other = createConsoleVisitor(t)
    await other.get('/console/oidc')
    assert.equal((await other.get(path)).status, 422, 'another sign-in')
    assert.equal((await visitor.get(path.replace(/state=[^&]*/, 'state=x'))).status, 422)
    const cookie = visitor.cookies.get('linchpin-console-oidc') ?? ''
    assert.equal((await visitor.get(path)).status, 303)
    visitor.cookies.set('linchpin-console-oidc', cookie)
    assert.equal((await visitor.get(path)).status, 403, 'a second time')
    const mixedUp = createConsoleVisitor(t)
    const ofOther = (await consent(mixedUp, OWNER)).replace(
      /iss=[^&]*/,
      'iss=https%3A%2F%2Fevil.example',
    )
    assert.equal((await mixedUp.get(ofOther)).status, 403, 'another issuer')
  })

  it('refuses a code of another sign-in under the state of this one: verifier and nonce differ', async () => {
    const attacker = createConsoleVisitor(t)
    const stolen = await consent(attacker, OWNER)
    const code = new URLSearchParams(stolen.split('?')[1]).get('code') ?? ''
    const visitor = createConsoleVisitor(t)
    const own = await consent(visitor, OWNER)
    assert.equal((await visitor.get(own.replace(/code=[^&]*/, `code=${code}`))).status, 403)
  })

  it('gives one session to 20 uses of one response at once', async () => {
    const visitor = createConsoleVisitor(t)
    const path = await consent(visitor, OWNER)
    const copies = Array.from({ length: 20 }, () => {
      const copy = createConsoleVisitor(t)
      for (const [name, value] of visitor.cookies) copy.cookies.set(name, value)
      return copy
    })
    const pages = await Promise.all(copies.map((copy) => copy.get(path)))
    assert.equal(pages.filter(({ status }) => status === 303).length, 1)
  })

  it('refuses an e-mail that is not verified, and one that no user has', async () => {
    const unverified = (await open(`unverified-${OWNER}`)).page
    assert.equal(unverified.status, 403)
    assert.match(unverified.text, /does not say that your e-mail is verified/)
    const unknown = (await open('ada@example.com')).page
    assert.equal(unknown.status, 403)
    assert.match(unknown.text, /Ask an admin of your workspace/)
    assert.match(t.logs.join(), /the identity provider signed no one in/)
  })

  it('tells of a sign-in that was cancelled, and of a provider that cannot be reached', async () => {
    const visitor = createConsoleVisitor(t)
    const { location = '' } = await visitor.get('/console/oidc')
    const { searchParams } = new URL(location)
    const params = new URLSearchParams({
      error: 'access_denied',
      state: searchParams.get('state') ?? '',
      iss: issuer.href.replace(/\/$/, ''),
    })
    assert.equal((await visitor.get(`/console/oidc/callback?${params}`)).status, 403)
    const app = await openApp({ issuer: new URL('http://127.0.0.1:9') })
    const page = await createConsoleVisitor(app).get('/console/oidc')
    assert.equal(page.status, 502)
    assert.match(page.text, /cannot be reached/)
    await app.close()
  })

  it('refuses people to whom the settings give no role', async () => {
    const app = await openApp({ roles: ROLES })
    assert.equal((await open(OWNER, app)).page.status, 303)
    const { page } = await open('outsider@example.com', app)
    assert.equal(page.status, 403)
    assert.match(page.text, /you have no access here/)
    await app.close()
  })

  it('makes people members with the role of the provider, ends their tokens when it allows less, and leaves the owner alone', async () => {
    const app = await openApp({ roles: ROLES })
    const email = 'grace@example.com'
    const { invitationUrl } = expectOk(
      await app.call('POST', '/v1/member', { body: { email, role: 'developer' } }),
    )
    const visitor = createConsoleVisitor(app)
    await visitor.send('/console/join', { code: invitationUrl })
    await visitor.post('/console/join', { name: 'Grace' })
    assert.equal((await open('linus@example.com', app)).page.status, 303)
    assert.equal((await visitor.get(SETTINGS)).status, 200)
    const { visitor: again } = await open(email, app)
    assert.match((await again.get(SETTINGS)).visible, /Role support/)
    const members = expectOk(await app.call('GET', '/v1/member'))
    assert.deepEqual(
      members.map((member: { role: string }) => member.role),
      ['owner', 'support', 'support'],
    )
    const revoked = await app.database.read
      .selectFrom('tokens')
      .select('token_id')
      .where('origin', '=', 'session')
      .where('revoked_at', 'is not', null)
      .execute()
    assert.ok(revoked.length > 0, 'those of the first session')
    assert.equal((await open(OWNER, app)).page.status, 303)
    await app.close()
  })

  it('does not take the e-mail of the ID token for that which the user information says is verified', async () => {
    const issuer = await startProvider(
      { after: (end) => void ends.push(end) },
      {
        claims: { openid: ['sub', 'email'], email: ['email_verified'], profile: [] },
        findAccount: (_context, id) => ({
          accountId: id,
          claims: async (use) =>
            use === 'id_token'
              ? { sub: id, email: OWNER }
              : { sub: id, email: id, email_verified: true },
        }),
      },
    )
    const app = await openApp({ issuer: new URL(issuer) })
    const { page } = await open('mallory@example.com', app)
    assert.equal(page.status, 403)
    assert.match(page.text, /you have no access here/)
    assert.equal((await open(OWNER, app)).page.status, 303)
    await app.close()
  })

  it('asks a provider that is down once for many who begin at the same time', async () => {
    let count = 0
    const server = createServer((_request, response) => {
      count += 1
      setTimeout(() => response.writeHead(500).end(), 100)
    }).listen(0, '127.0.0.1')
    ends.push(() => server.close())
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const app = await openApp({ issuer: new URL(`http://127.0.0.1:${port}`) })
    const pages = await Promise.all(
      Array.from({ length: 20 }, () => createConsoleVisitor(app).get('/console/oidc')),
    )
    assert.deepEqual([...new Set(pages.map(({ status }) => status))], [502])
    assert.equal(count, 1)
    await app.close()
  })

  it('lets a new person accept an invitation of their verified e-mail, and of no other', async () => {
    const app = await openApp({ isOnly: true })
    const invite = async (email: string) =>
      expectOk(await app.call('POST', '/v1/member', { body: { email, role: 'support' } }))
    const { invitationUrl } = await invite('grace@example.com')
    const visitor = createConsoleVisitor(app)
    const page = await visitor.send('/console/join', { code: invitationUrl })
    assert.doesNotMatch(page.text, /name="name"/)
    const forced = { code: invitationUrl, name: 'Grace', confirm: 'yes' }
    await visitor.send('/console/join', forced)
    assert.ok(!visitor.cookies.has(COOKIE), 'not without the provider')
    const other = await visitor.get(await consent(visitor, 'mallory@example.com'))
    assert.equal(other.status, 403)
    const joined = await visitor.get(await consent(visitor, 'grace@example.com'))
    assert.equal(joined.status, 303)
    assert.match((await visitor.get(SETTINGS)).visible, /grace@example\.com/)
    await app.close()
  })

  it('confirms who a person is only after they have signed in again, as the same person', async () => {
    const path = '/console/oidc?confirm&to=%2Fconsole%2Flinks'
    const cookieJar = new Map<string, string>()
    const visitor = await signIn(t)
    const first = await consent(visitor, OWNER, { path, cookieJar })
    const before = visitor.cookies.get(COOKIE)
    assert.equal((await visitor.get(first)).location, '/console/links')
    assert.notEqual(visitor.cookies.get(COOKIE), before)
    assert.match((await visitor.get(SETTINGS)).visible, /Confirmed rights End in/)
    const other = await signIn(t)
    const withoutAge = (url: URL) => {
      url.searchParams.delete('max_age')
      return url
    }
    const silent = await consent(other, OWNER, { path, cookieJar, change: withoutAge })
    const refused = await other.get(silent)
    assert.equal(refused.location, '/console/elevate?failed&to=%2Fconsole%2Flinks')
    assert.match((await other.follow()).text, /did not confirm that it is you/)
    const { userId } = await t.otherUser()
    const { email } = await t.database.read
      .selectFrom('users')
      .select('email')
      .where('user_id', '=', userId as `usr_${string}`)
      .executeTakeFirstOrThrow()
    assert.match((await other.get(await consent(other, email, { path }))).location ?? '', /failed/)
    assert.equal((await createConsoleVisitor(t).get(path)).location, '/console/open')
  })

  it('allows a network ten attempts per minute, and does not count requests without the cookie', async () => {
    const visitor = createConsoleVisitor(t)
    for (let attempt = 0; attempt < 12; attempt++)
      assert.equal((await visitor.get('/console/oidc/callback?state=x&code=y')).status, 422)
    const statuses: number[] = []
    for (let attempt = 0; attempt < 12; attempt++) {
      const { location = '' } = await visitor.get('/console/oidc')
      const state = new URL(location).searchParams.get('state')
      statuses.push((await visitor.get(`/console/oidc/callback?state=${state}&error=x`)).status)
    }
    assert.deepEqual(statuses, [...Array(10).fill(403), 429, 429])
  })

  it('is the only way in with LINCHPIN_OIDC_ONLY, except for a code of the command', async () => {
    const app = await openApp({ isOnly: true })
    const authenticator = createAuthenticator()
    const visitor = await signIn(app)
    const { visible } = await visitor.get(SETTINGS)
    assert.match(visible, /passkeys are off/)
    const response = authenticator.create(
      '{"challenge":"","rp":{"id":"localhost"},"user":{"id":""}}',
    )
    const page = await createConsoleVisitor(app).get('/console/open')
    assert.equal(readPasskeyOptions(page), '')
    const sent = await createConsoleVisitor(app).send('/console/open/passkey', { response })
    assert.equal(sent.status, 422)
    const code = await createSignInCode(app)
    assert.equal((await createConsoleVisitor(app).send('/console/open', { code })).status, 303)
    await app.close()
  })
})
