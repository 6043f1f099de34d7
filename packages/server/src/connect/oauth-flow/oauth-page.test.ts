import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { registerOAuthApp } from '../../../test/register-oauth-app.ts'
import { expectOk, testContext } from '../../../test/test-context.ts'
import { createPng } from '../../integrations/definitions/test/images.ts'
import { BASE_URL, newBrowser, readViewField } from './test/browser.ts'
import { CLIENT, createOidcBundle } from './test/oauth-test-context.ts'
import {
  expectPage,
  getReturnParams,
  ISSUER,
  type StubProviderContext,
} from './test/stub-provider-context.ts'

describe('the OAuth consent page', () => {
  let t: StubProviderContext
  let clock = 0
  before(async () => {
    t = await testContext({ provider: true, now: () => Date.now() + clock })
  })
  after(() => t.close())

  it('names the workspace, the tool and the host, warns about a custom integration, and sets no cookie', async () => {
    const response = await t.browser.get(await t.start())
    expectPage(response, 200)
    for (const text of ['North', 'Stub', t.stubServer.host, 'been reviewed'])
      assert.ok(response.text.includes(text), text)
    assert.equal(response.headers.get('set-cookie'), null)
    assert.equal(response.text.match(/<button/g)?.length, 1)
  })

  it('shows the icon that the workspace has set', async () => {
    const path = `/v1/integration_definition/${t.definitionId}/icon`
    const body = { icon: createPng(64, 64).toString('base64') }
    const { icon } = expectOk(await t.call('POST', path, { body }))
    const { text } = await t.browser.get(await t.start())
    assert.ok(text.includes(`<img src="${new URL(icon).pathname}"`), text)
    expectOk(await t.call('POST', path, { body: { icon: null } }))
  })

  it('is not used up by link scanners', async () => {
    const page = await t.start()
    for (const _ of [1, 2, 3]) expectPage(await newBrowser(t.app).get(page), 200)
    await t.begin(page)
  })

  it('escapes names', async () => {
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

  it('ignores other form fields, and shows an error page for a large body', async () => {
    const page = await t.start()
    expectPage(await t.browser.post(page, { x: 'y'.repeat(40_000) }), 413)
    assert.equal((await t.browser.post(page, { x: 'y' })).status, 303)
  })

  it('belongs to the browser that submitted first, also of two concurrent ones', async () => {
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

  it('supports a double click: two submits of one view are one browser, and the last state is valid', async () => {
    const page = await t.start()
    const browser = newBrowser(t.app)
    const view = readViewField(await browser.get(page))
    const states: string[] = []
    for (const _ of [1, 2]) {
      // The second submit is sent before the cookie of the first has arrived.
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

  it('can be submitted again by the same browser until the callback', async () => {
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

  it('accepts only well-formed browser secrets', async () => {
    for (const view of ['', 'x', 'A'.repeat(44), '"><script>']) {
      const response = await newBrowser(t.app).post(await t.start(), { view })
      assert.equal(response.status, 303)
      assert.match(response.headers.get('set-cookie') ?? '', /^linchpin-oauth=[\w-]{43};/)
    }
  })

  it('adds the origin of an http provider, and no other, to the form-action of its CSP', async () => {
    const auth = {
      authorization_url: 'http://10.9.8.7:8443/authorize',
      token_url: 'https://as.example/token',
    }
    const { integrationDefinitionId } = await t.createDefinition({
      name: 'Inside',
      code: createOidcBundle('http://10.9.8.7:8443', auth),
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

  it('expires after ten minutes', async () => {
    const page = await t.start()
    clock = 10 * 60_000 + 1
    expectPage(await t.browser.get(page), 404)
    expectPage(await t.browser.post(page), 404)
    clock = 0
  })

  it('is not found with any other token', async () => {
    for (const token of ['A'.repeat(43), 'x', '%00', '..%2f..%2f', '<script>', '%'])
      expectPage(await t.browser.get(`${BASE_URL}/oauth/connect/${token}`), 404)
  })

  const crossOriginHeaders: Record<string, Record<string, string>> = {
    'another site': { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
    'a sibling host': { 'sec-fetch-site': 'same-site', origin: 'http://x.localhost:3000' },
    'another origin that claims to be same-origin': {
      'sec-fetch-site': 'same-origin',
      origin: 'https://evil.example',
    },
    'a request without an initiator': { 'sec-fetch-site': 'none', origin: 'null' },
    'another site in a browser without Sec-Fetch-Site': {
      'sec-fetch-site': '',
      origin: 'https://evil.example',
    },
    'a client without Sec-Fetch-Site and Origin': { 'sec-fetch-site': '', origin: '' },
  }
  for (const [name, headers] of Object.entries(crossOriginHeaders))
    it(`rejects a submit from ${name}`, async () => {
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

  it('accepts a browser without Sec-Fetch-Site if its Origin matches', async () => {
    const page = await t.start()
    const headers = { origin: BASE_URL, 'content-type': 'application/x-www-form-urlencoded' }
    const response = await t.app.inject({
      method: 'POST',
      url: page.slice(BASE_URL.length),
      headers,
    })
    assert.equal(response.statusCode, 303)
  })

  it('redirects to the provider with state, S256 challenge and callback URL, and sets the cookie', async () => {
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

  it('lets one browser complete several sessions in any order', async () => {
    const browser = newBrowser(t.app)
    const states: string[] = []
    for (const _ of [1, 2, 3]) states.push(await t.begin(await t.start(), browser))
    for (const state of states.reverse())
      assert.equal(
        getReturnParams(await t.callback({ state, code: 'c', iss: ISSUER }, browser)).success,
        'true',
      )
  })

  it('cannot be used once the definition or the OAuth app is deleted', async () => {
    const { integrationDefinitionId } = await t.createDefinition({ name: 'Short lived' })
    const body = { integrationDefinitionId, clientId: 'x', clientSecret: 'y' }
    const { body: app } = await t.call('POST', '/v1/integration_oauth', { body })
    const page = await t.start({ integrationDefinitionId })
    expectOk(await t.call('DELETE', `/v1/integration_oauth/${app.integrationOAuthAppId}`))
    expectPage(await t.browser.get(page), 400)
    expectPage(await t.browser.post(page), 400)
  })
})
