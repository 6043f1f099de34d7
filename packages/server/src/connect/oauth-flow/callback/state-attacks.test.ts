import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { testContext } from '../../../../test/test-context.ts'
import { type Browser, newBrowser } from '../test/browser.ts'
import {
  expectPage,
  getReturnParams,
  ISSUER,
  type StubProviderContext,
} from '../test/stub-provider-context.ts'

describe('an invalid OAuth callback', () => {
  let t: StubProviderContext
  let clock = 0
  before(async () => {
    t = await testContext({ provider: true, now: () => Date.now() + clock })
  })
  after(() => t.close())
  beforeEach(() => {
    t.tokenRequests.length = 0
    clock = 0
  })

  /** Asserts that no request was sent to the provider and nothing was stored. */
  async function expectNoChange(accounts: number): Promise<void> {
    assert.equal(t.tokenRequests.length, 0, 'no token request')
    assert.equal(await t.countAccounts(), accounts, 'no account')
  }

  const code = 'a-code'
  const iss = ISSUER
  const UNUSED = 'A'.repeat(43)

  const noState: Record<string, string> = {
    'no parameters at all': '',
    'no state': 'code=a-code',
    'an empty state': 'state=&code=a-code',
    'an unknown state': `state=${UNUSED}&code=a-code`,
    'a malformed state': 'state=../../etc/passwd&code=a-code',
    'a state with NUL': 'state=%00&code=a-code',
    'a state that is not valid UTF-8': 'state=%ff%fe&code=a-code',
    'a broken escape': 'state=%zz&code=a-code',
    'a state of 4,000 characters': `state=${'A'.repeat(3_900)}&code=a-code`,
    'a state as a list': `state[]=${UNUSED}&code=a-code`,
    'markup as state': 'state=<script>alert(1)</script>&code=a-code',
    'an error without a state': 'error=access_denied&error_description=<b>no</b>',
  }
  for (const [name, query] of Object.entries(noState))
    it(`shows an error page with ${name}`, async () => {
      const accounts = await t.countAccounts()
      const response = await t.browser.get(`http://localhost:3000/api/v1/oauth/callback?${query}`)
      expectPage(response, 400)
      assert.doesNotMatch(response.text, /alert|<b>|a-code/)
      await expectNoChange(accounts)
    })

  it('shows an error page when its URL is too long', async () => {
    const response = await t.browser.get(
      `http://localhost:3000/api/v1/oauth/callback?state=${'A'.repeat(13_000)}`,
    )
    expectPage(response, 414)
  })

  const wrongBrowsers: Record<string, (browser: Browser) => Browser> = {
    'no cookie': () => newBrowser(t.app),
    "another browser's cookie": () => newBrowser(t.app),
    'a malformed cookie': (browser) => withCookie(browser, 'nonsense'),
    'an empty cookie': (browser) => withCookie(browser, ''),
    'two cookies': (browser) => {
      const ownBrowser = browser.jar.get('localhost:3000')?.get('linchpin-oauth')
      return withCookie(browser, `${UNUSED}; linchpin-oauth=${ownBrowser}`)
    },
    'the cookie under another name': (browser) => {
      const ownBrowser = browser.jar.get('localhost:3000')?.get('linchpin-oauth') ?? ''
      const otherBrowser = newBrowser(t.app)
      otherBrowser.jar.set('localhost:3000', new Map([['Linchpin-OAuth', ownBrowser]]))
      return otherBrowser
    },
  }
  for (const [name, otherBrowser] of Object.entries(wrongBrowsers))
    it(`is rejected with ${name}, and uses up the state`, async () => {
      const accounts = await t.countAccounts()
      const victim = newBrowser(t.app)
      const state = await t.begin(await t.start(), victim)
      const attacker = otherBrowser(victim)
      if (name.startsWith('another')) await t.begin(await t.start(), attacker)
      expectPage(await t.callback({ state, code, iss }, attacker), 400)
      expectPage(await t.callback({ state, code, iss }, victim), 400)
      await expectNoChange(accounts)
    })

  const repeated = ['code', 'state', 'iss', 'error', 'error_description', 'error_uri']
  for (const name of repeated)
    it(`is rejected when ${name} is repeated`, async () => {
      const accounts = await t.countAccounts()
      const state = await t.begin(await t.start())
      const query = new URLSearchParams({ state, code, iss })
      query.append(name, name === 'state' ? UNUSED : 'x')
      if (query.getAll(name).length === 1) query.append(name, 'y')
      const response = await t.browser.get(`http://localhost:3000/api/v1/oauth/callback?${query}`)
      if (name === 'state') expectPage(response, 400)
      else assert.equal(getReturnParams(response).success, 'false')
      await expectNoChange(accounts)
    })

  it('is rejected ten minutes after the start', async () => {
    const accounts = await t.countAccounts()
    const state = await t.begin(await t.start())
    clock = 10 * 60_000 + 1
    expectPage(await t.callback({ state, code, iss }), 400)
    await expectNoChange(accounts)
  })

  it('is rejected after it succeeded, and creates no second account', async () => {
    const accounts = await t.countAccounts()
    const state = await t.begin(await t.start())
    assert.equal(getReturnParams(await t.callback({ state, code, iss })).success, 'true')
    const replayed = await t.callback({ state, code, iss })
    expectPage(replayed, 400)
    assert.match(replayed.text, /already done/)
    assert.equal(t.tokenRequests.length, 1)
    assert.equal(await t.countAccounts(), accounts + 1)
  })

  it('is rejected after it failed, even with another code', async () => {
    const accounts = await t.countAccounts()
    const state = await t.begin(await t.start())
    assert.equal(
      getReturnParams(await t.callback({ state, error: 'access_denied', iss })).error,
      'access_denied',
    )
    expectPage(await t.callback({ state, code: 'another', iss }), 400)
    await expectNoChange(accounts)
  })

  it('does not use up the state as a HEAD request, which link scanners send', async () => {
    const state = await t.begin(await t.start())
    const url = `/api/v1/oauth/callback?state=${state}&code=a-code&iss=${iss}`
    const head = await t.app.inject({ method: 'HEAD', url })
    assert.ok(head.statusCode >= 400)
    assert.equal(getReturnParams(await t.callback({ state, code, iss })).success, 'true')
  })

  const issuers: Record<string, Record<string, string>> = {
    'no issuer': {},
    'another issuer': { iss: 'https://other.example' },
    'the issuer with a slash': { iss: `${ISSUER}/` },
    'the issuer in uppercase': { iss: ISSUER.toUpperCase() },
    'the issuer over http': { iss: ISSUER.replace('https', 'http') },
    'the issuer with a port': { iss: `${ISSUER}:443` },
    'the issuer as a prefix': { iss: `${ISSUER}.evil.example` },
  }
  for (const [name, issuerParams] of Object.entries(issuers)) {
    it(`is rejected with a code and ${name}`, async () => {
      const accounts = await t.countAccounts()
      const state = await t.begin(await t.start())
      const { error } = getReturnParams(await t.callback({ state, code, ...issuerParams }))
      assert.equal(error, 'oauth_issuer_mismatch')
      await expectNoChange(accounts)
    })
  }
  it('is rejected with an empty issuer', async () => {
    const state = await t.begin(await t.start())
    assert.equal(getReturnParams(await t.callback({ state, code, iss: '' })).success, 'false')
    assert.equal(t.tokenRequests.length, 0)
  })

  it('is rejected with an error of another issuer', async () => {
    const state = await t.begin(await t.start())
    const response = await t.callback({
      state,
      error: 'access_denied',
      iss: 'https://other.example',
    })
    assert.equal(getReturnParams(response).error, 'oauth_issuer_mismatch')
  })

  it('is rejected without a code, and with an invalid code', async () => {
    const accounts = await t.countAccounts()
    for (const invalidCode of ['', 'x'.repeat(8_193), 'a\u0000b']) {
      const state = await t.begin(await t.start())
      const response = await t.callback({ state, code: invalidCode, iss })
      if (response.status === 414) continue
      assert.equal(getReturnParams(response).success, 'false')
    }
    await expectNoChange(accounts)
  })

  const foreign: Record<string, [query: string, status: number, page: string]> = {
    'an install from an app directory': ['code=a-code', 400, 'startedElsewhere'],
    'an install with the parameters of a shop': ['code=c&shop=a.b&hmac=1', 400, 'startedElsewhere'],
    'a visit of the bare address': ['', 400, 'startedElsewhere'],
    'the consent of an administrator': ['admin_consent=True&tenant=t1', 200, 'adminConsent'],
    "the consent with the portal's state": [
      'admin_consent=true&state=12345&tenant=t1',
      200,
      'adminConsent',
    ],
    'no consent of an administrator': [
      'admin_consent=False&error=access_denied',
      400,
      'startedElsewhere',
    ],
  }
  for (const [name, [query, status, page]] of Object.entries(foreign))
    it(`says that the sign-in was not started here: ${name}`, async () => {
      const accounts = await t.countAccounts()
      const response = await t.browser.get(`http://localhost:3000/api/v1/oauth/callback?${query}`)
      expectPage(response, status)
      assert.match(response.text, new RegExp(`data-state="${page}"`))
      await expectNoChange(accounts)
    })

  it("reports an administrator's consent without a code as such", async () => {
    const accounts = await t.countAccounts()
    const state = await t.begin(await t.start())
    const response = await t.callback({ state, admin_consent: 'True', tenant: 't1' })
    assert.equal(getReturnParams(response).error, 'admin_consent_granted')
    await expectNoChange(accounts)
  })

  const errors = [
    ['access_denied', 'access_denied'],
    ['temporarily_unavailable', 'provider_error'],
    ['server_error', 'provider_error'],
    ['invalid_scope', 'token_exchange_failed'],
    ['<script>alert(1)</script>', 'token_exchange_failed'],
    ['x\r\nset-cookie: evil=1', 'token_exchange_failed'],
    ['javascript:alert(1)', 'token_exchange_failed'],
  ] as const
  for (const [error, expectedCode] of errors)
    it(`reports ${JSON.stringify(error)} as ${expectedCode}, without the provider's text`, async () => {
      const accounts = await t.countAccounts()
      const state = await t.begin(await t.start())
      const description = 'Evil <img src=x onerror=alert(1)> words'
      const response = await t.callback({ state, error, error_description: description, iss })
      assert.equal(getReturnParams(response).error, expectedCode)
      assert.doesNotMatch(`${response.location}${response.text}`, /Evil|script|evil|alert/i)
      await expectNoChange(accounts)
    })

  it('causes one token request and one account when repeated 100 times concurrently', async () => {
    const accounts = await t.countAccounts()
    const state = await t.begin(await t.start())
    const responses = await Promise.all(
      Array.from({ length: 100 }, () => t.callback({ state, code, iss })),
    )
    const redirects = responses.filter(({ status }) => status === 303)
    assert.equal(redirects.length, 1)
    for (const response of responses.filter(({ status }) => status !== 303))
      expectPage(response, 400)
    assert.equal(t.tokenRequests.length, 1)
    assert.equal(await t.countAccounts(), accounts + 1)
  })
})

function withCookie(browser: Browser, value: string): Browser {
  browser.jar.set('localhost:3000', new Map([['linchpin-oauth', value]]))
  return browser
}
