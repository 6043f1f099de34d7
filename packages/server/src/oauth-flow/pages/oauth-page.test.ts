import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { registerOAuthApp } from '../../../test/register-oauth-app.ts'
import { expectOk } from '../../../test/test-context.ts'
import { BASE_URL, newBrowser, readViewField } from '../test/browser.ts'
import { CLIENT, oidcBundle } from '../test/oauth-test-context.ts'
import {
  expectPage,
  getReturnParams,
  ISSUER,
  type StubProviderContext,
  startStubProviderContext,
} from '../test/stub-provider-context.ts'

describe('the page of a start', () => {
  let t: StubProviderContext
  let clock = 0
  before(async () => {
    t = await startStubProviderContext({ now: () => Date.now() + clock })
  })
  after(() => t.close())

  it('names the workspace, the tool, the host, and what nobody has checked; it sets no cookie', async () => {
    const response = await t.browser.get(await t.start())
    expectPage(response, 200)
    for (const text of ['North', 'Stub', t.stubServer.host, 'been reviewed'])
      assert.ok(response.text.includes(text), text)
    assert.equal(response.headers.get('set-cookie'), null)
    assert.equal(response.text.match(/<button/g)?.length, 1)
  })

  it('may be looked at by scanners of links without being used up', async () => {
    const page = await t.start()
    for (const _ of [1, 2, 3]) expectPage(await newBrowser(t.app).get(page), 200)
    await t.begin(page)
  })

  it('shows names as text, whatever they are', async () => {
    const name = `\u202e<img src=x onerror=alert(1)>"'&\``
    expectOk(await t.call('POST', `/v1/workspace/${t.workspaceId}`, { body: { name } }))
    const response = await t.browser.get(await t.start())
    expectPage(response, 200)
    assert.ok(
      !response.text.includes('\u202e') &&
        !response.text.includes('<img') &&
        !response.text.includes(`"'`),
    )
    assert.ok(response.text.includes('&#60;img'), response.text)
    expectOk(await t.call('POST', `/v1/workspace/${t.workspaceId}`, { body: { name: 'North' } }))
  })

  it('reads no body, and refuses a large one on a page', async () => {
    const page = await t.start()
    expectPage(await t.browser.post(page, { x: 'y'.repeat(2_000) }), 413)
    assert.equal((await t.browser.post(page, { x: 'y' })).status, 303)
  })

  it('belongs to the browser that pressed first, of two at once too', async () => {
    const page = await t.start()
    const both = [newBrowser(t.app), newBrowser(t.app)]
    const statuses = await Promise.all(
      both.map(
        async (browser) =>
          (await browser.post(page, readViewField(await browser.get(page)))).status,
      ),
    )
    assert.deepEqual(statuses.toSorted(), [303, 404])
    const [owner, other] = statuses[0] === 303 ? both : both.toReversed()
    assert.equal((await owner?.post(page))?.status, 303)
    for (const response of [await other?.get(page), await other?.post(page)]) {
      assert.ok(response)
      expectPage(response, 404)
      assert.equal(response.headers.get('set-cookie'), null)
    }
  })

  it('survives a double click: two presses of one showing are one browser, and the last state counts', async () => {
    const page = await t.start()
    const browser = newBrowser(t.app)
    const view = readViewField(await browser.get(page))
    const states: string[] = []
    for (const _ of [1, 2]) {
      // The second press leaves before the cookie of the first has arrived.
      browser.jar.clear()
      const { location } = await browser.post(page, view)
      states.push(new URL(location ?? '').searchParams.get('state') ?? '')
    }
    const [first = '', last = ''] = states
    assert.notEqual(first, last)
    expectPage(await t.callback({ state: first, code: 'c', iss: ISSUER }, browser), 400)
    const response = await t.callback({ state: last, code: 'c', iss: ISSUER }, browser)
    assert.equal(getReturnParams(response).success, 'true')
  })

  it('can be gone back to until the provider has sent the person on, by the same browser', async () => {
    const page = await t.start()
    const browser = newBrowser(t.app)
    await t.begin(page, browser)
    expectPage(await newBrowser(t.app).get(page), 404)
    const state = await t.begin(page, browser)
    const response = await t.callback({ state, code: 'c', iss: ISSUER }, browser)
    assert.equal(getReturnParams(response).success, 'true')
    expectPage(await browser.get(page), 404)
    expectPage(await browser.post(page), 404)
  })

  it('takes nothing but a secret of its own kind for one', async () => {
    for (const view of ['', 'x', 'A'.repeat(44), '"><script>']) {
      const response = await newBrowser(t.app).post(await t.start(), { view })
      assert.equal(response.status, 303)
      assert.match(response.headers.get('set-cookie') ?? '', /^linchpin-oauth=[\w-]{43};/)
    }
  })

  it('leads to a provider over plain http that the operator has opened, and to no other', async () => {
    const auth = {
      authorization_url: 'http://10.9.8.7:8443/authorize',
      token_url: 'https://as.example/token',
    }
    const { integrationDefinitionId } = await t.createDefinition({
      name: 'Inside',
      code: oidcBundle('http://10.9.8.7:8443', auth),
    })
    await registerOAuthApp(t, {
      integrationDefinitionId: String(integrationDefinitionId),
      ...CLIENT,
    })
    const response = await t.browser.get(await t.start({ integrationDefinitionId }))
    expectPage(response, 200)
    const policy = response.headers.get('content-security-policy') ?? ''
    const formTargets = /form-action ([^;]*)/.exec(policy)?.[1]?.split(' ')
    const anyOrigin = ["'self'", 'https:', 'http://localhost:*', 'http://127.0.0.1:*']
    assert.deepEqual(formTargets, [...anyOrigin, 'http://10.9.8.7:8443'])
  })

  it('ends after ten minutes', async () => {
    const page = await t.start()
    clock = 10 * 60_000 + 1
    expectPage(await t.browser.get(page), 404)
    expectPage(await t.browser.post(page), 404)
    clock = 0
  })

  it('is not known by any other token', async () => {
    for (const token of ['A'.repeat(43), 'x', '%00', '..%2f..%2f', '<script>', '%'])
      expectPage(await t.browser.get(`${BASE_URL}/oauth/connect/${token}`), 404)
  })

  const crossOriginHeaders: Record<string, Record<string, string>> = {
    'another site': { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
    'a sister host': { 'sec-fetch-site': 'same-site', origin: 'http://x.localhost:3000' },
    'another origin that claims to be ours': {
      'sec-fetch-site': 'same-origin',
      origin: 'https://evil.example',
    },
    'nowhere (typed)': { 'sec-fetch-site': 'none', origin: 'null' },
    'an old browser on another site': { 'sec-fetch-site': '', origin: 'https://evil.example' },
    'a client that says nothing': { 'sec-fetch-site': '', origin: '' },
  }
  for (const [name, headers] of Object.entries(crossOriginHeaders))
    it(`does nothing for a button pressed from ${name}`, async () => {
      const page = await t.start()
      const sent: Record<string, string> = {
        'content-type': 'application/x-www-form-urlencoded',
        ...Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== '')),
      }
      const response = await t.app.inject({
        method: 'POST',
        url: page.slice(BASE_URL.length),
        headers: sent,
      })
      assert.equal(response.statusCode, 403)
      assert.equal(response.headers['set-cookie'], undefined)
      await t.begin(page)
    })

  it('takes an old browser that names our origin only', async () => {
    const page = await t.start()
    const headers = { origin: BASE_URL, 'content-type': 'application/x-www-form-urlencoded' }
    const response = await t.app.inject({
      method: 'POST',
      url: page.slice(BASE_URL.length),
      headers,
    })
    assert.equal(response.statusCode, 303)
  })

  it('sends to the provider with state, S256 challenge and our callback, and sets the cookie', async () => {
    const browser = newBrowser(t.app)
    const response = await browser.post(await t.start())
    const url = new URL(response.location ?? '')
    assert.equal(url.origin + url.pathname, `${t.stubServer.url}/authorize`)
    const sent = Object.fromEntries(url.searchParams)
    assert.equal(sent.redirect_uri, `${BASE_URL}/api/v1/oauth/callback`)
    assert.equal(sent.code_challenge_method, 'S256')
    assert.match(sent.code_challenge ?? '', /^[\w-]{43}$/)
    assert.match(sent.state ?? '', /^[\w-]{43}$/)
    assert.match(
      response.headers.get('set-cookie') ?? '',
      /^linchpin-oauth=[\w-]{43}; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/,
    )
    assert.equal(response.headers.get('referrer-policy'), 'no-referrer')
  })

  it('lets several attempts of one browser end well, in any order', async () => {
    const browser = newBrowser(t.app)
    const states: string[] = []
    for (const _ of [1, 2, 3]) states.push(await t.begin(await t.start(), browser))
    for (const state of states.reverse())
      assert.equal(
        getReturnParams(await t.callback({ state, code: 'c', iss: ISSUER }, browser)).success,
        'true',
      )
  })

  it('cannot be used once the definition or the app is gone', async () => {
    const { integrationDefinitionId } = await t.createDefinition({ name: 'Short lived' })
    const body = { integrationDefinitionId, clientId: 'x', clientSecret: 'y' }
    const { body: app } = await t.call('POST', '/v1/integration_oauth', { body })
    const page = await t.start({ integrationDefinitionId })
    expectOk(await t.call('DELETE', `/v1/integration_oauth/${app.integrationOAuthAppId}`))
    expectPage(await t.browser.get(page), 400)
    expectPage(await t.browser.post(page), 400)
  })
})
