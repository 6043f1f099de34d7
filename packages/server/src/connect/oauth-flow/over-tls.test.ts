import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { createServiceSetup, startService } from '../../../test/reliability/service-process.ts'
import { startStubServer } from '../../../test/stub-server.ts'
import { CLIENT, createOidcBundle, RETURN_URL } from './test/oauth-test-context.ts'
import { createStrictBrowser, type StrictBrowser } from './test/strict-browser.ts'
import { startTlsProxy } from './test/tls-proxy.ts'

describe('an OAuth connection over https, behind a proxy', () => {
  let context: TlsTestContext
  before(async () => {
    context = await startTlsTestContext()
  })
  after(() => context?.close())
  beforeEach(() => {
    context.codes.length = 0
  })

  it('is bound to the browser by a __Host- cookie', async () => {
    const browser = context.browser()
    const page = await context.start()
    assert.ok(page.startsWith(`${context.url}/oauth/connect/`))
    assert.deepEqual((await browser.get(page)).setCookie, [])
    const response = await browser.submit(page)
    assert.equal(response.status, 303, response.text)
    assert.equal(response.setCookie.length, 1)
    const [cookie = ''] = response.setCookie
    const [pair = '', ...attributes] = cookie.split('; ')
    assert.match(pair, /^__Host-linchpin-oauth=[\w-]{43}$/)
    assert.deepEqual(attributes, ['Max-Age=600', 'Path=/', 'HttpOnly', 'SameSite=Lax', 'Secure'])
    const query = new URL(response.location).searchParams
    assert.equal(query.get('redirect_uri'), `${context.url}/api/v1/oauth/callback`)
    const returnParams = await browser.get(context.callback(query.get('state')))
    assert.ok(returnParams.location.startsWith(RETURN_URL), returnParams.text)
    const { success, confirmToken } = Object.fromEntries(
      new URL(returnParams.location).searchParams,
    )
    assert.equal(success, 'true')
    const { body } = await context.call('POST', '/v1/oauth/confirm', { confirmToken })
    assert.equal(body.status, 'active')
    assert.deepEqual(context.codes, ['a-code'])
  })

  it('accepts a browser without Sec-Fetch-Site only with the matching https Origin', async () => {
    const page = await context.start()
    const plainUrl = context.url.replace('https:', 'http:')
    for (const origin of [plainUrl, 'https://localhost', 'null'])
      assert.equal((await context.browser().submit(page, { origin })).status, 403)
    assert.equal((await context.browser().submit(page, { origin: context.url })).status, 303)
  })

  it('cannot be completed by another browser, over http, or with a cookie without the prefix', async () => {
    const listAccounts = async () => (await context.call('GET', '/v1/integration_account')).body
    const accounts = await listAccounts()
    const begin = async (browser: StrictBrowser) => {
      const { location } = await browser.submit(await context.start())
      return context.callback(new URL(location).searchParams.get('state'))
    }
    const browser = context.browser()
    assert.equal((await context.browser().get(await begin(browser))).status, 400)
    const overHttp = (await begin(browser)).replace(context.url, context.plainUrl)
    assert.equal((await browser.get(overHttp)).status, 400)
    const callback = await begin(browser)
    const secret = browser.cookies.get('__Host-linchpin-oauth')?.value ?? ''
    browser.cookies.clear()
    browser.cookies.set('linchpin-oauth', { value: secret, secure: false })
    assert.equal((await browser.get(callback)).status, 400)
    const onPlainHttp = context.browser()
    const response = await onPlainHttp.submit(
      (await context.start()).replace(context.url, context.plainUrl),
    )
    assert.equal(onPlainHttp.cookies.size, 0)
    const state = new URL(response.location).searchParams.get('state')
    assert.equal((await onPlainHttp.get(context.callback(state))).status, 400)
    assert.deepEqual(context.codes, [])
    assert.deepEqual(await listAccounts(), accounts)
  })
})

type TlsTestContext = Awaited<ReturnType<typeof startTlsTestContext>>

/** A service process behind a proxy that terminates TLS, and a provider that issues a token for every code. */
async function startTlsTestContext() {
  const origin = await startStubServer()
  const proxy = await startTlsProxy()
  const testService = await createServiceSetup({
    settings: { LINCHPIN_PUBLIC_URL: proxy.url, LINCHPIN_TRUST_PROXY: '127.0.0.1' },
  })
  const service = await startService(testService)
  proxy.target = service.url
  const codes: string[] = []
  origin.serve('/token', async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(Buffer.from(chunk))
    codes.push(new URLSearchParams(Buffer.concat(chunks).toString()).get('code') ?? '')
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ access_token: 'at', refresh_token: 'rt', expires_in: 3600 }))
  })
  origin.serve('/me', (_request, response) => response.end(JSON.stringify({ sub: 'alice' })))
  const { call } = service
  const auth = { authorization_url: `${origin.url}/authorize`, token_url: `${origin.url}/token` }
  const definition = await call('POST', '/v1/integration_definition', {
    name: 'Tool',
    integrationType: 'OTHER',
    sourceUrl: origin.bundle(createOidcBundle(origin.url, auth)),
  })
  const { integrationDefinitionId, workspaceId } = definition.body
  await call('POST', '/v1/integration_oauth', { integrationDefinitionId, ...CLIENT })
  await call('POST', `/v1/workspace/${workspaceId}`, { allowedRedirectURLs: [RETURN_URL] })
  return {
    url: proxy.url,
    /** The URL of the service behind the proxy. */
    plainUrl: service.url,
    codes,
    call,
    browser: () => createStrictBrowser(proxy.cert),
    async start(): Promise<string> {
      const { body } = await call('POST', '/v1/oauth', {
        integrationDefinitionId,
        integrationAccountName: 'An account',
        redirectURL: RETURN_URL,
      })
      return body.redirectURL
    },
    callback: (state: string | null) =>
      `${proxy.url}/api/v1/oauth/callback?${new URLSearchParams({ state: state ?? '', code: 'a-code' })}`,
    async close() {
      await service.stop()
      await Promise.all([proxy.close(), origin.close(), testService.remove()])
    },
  }
}
