import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { startOrigin } from '../../test/origin.ts'
import { newPlace, startService } from '../../test/reliability/service-process.ts'
import { CLIENT, HOME, oidcBundle } from './test/oauth-world.ts'
import { type StrictBrowser, strictBrowser } from './test/strict-browser.ts'
import { startTlsProxy } from './test/tls-proxy.ts'

describe('a connection by sign-in over https, behind a proxy', () => {
  it('binds itself to the browser with a cookie that only this host can set, over https only', async (t) => {
    const world = await startTlsWorld(t)
    const browser = world.browser()
    const page = await world.start()
    assert.ok(page.startsWith(`${world.url}/oauth/connect/`))
    assert.deepEqual((await browser.get(page)).setCookie, [])
    const begun = await browser.press(page)
    assert.equal(begun.status, 303, begun.text)
    assert.equal(begun.setCookie.length, 1)
    const [cookie = ''] = begun.setCookie
    const [pair = '', ...attributes] = cookie.split('; ')
    assert.match(pair, /^__Host-linchpin-oauth=[\w-]{43}$/)
    assert.deepEqual(attributes, ['Max-Age=600', 'Path=/', 'HttpOnly', 'SameSite=Lax', 'Secure'])
    const asked = new URL(begun.location).searchParams
    assert.equal(asked.get('redirect_uri'), `${world.url}/api/v1/oauth/callback`)
    const back = await browser.get(world.callback(asked.get('state')))
    assert.ok(back.location.startsWith(HOME), back.text)
    const { success, confirmToken } = Object.fromEntries(new URL(back.location).searchParams)
    assert.equal(success, 'true')
    const { body } = await world.call('POST', '/v1/oauth/confirm', { confirmToken })
    assert.equal(body.status, 'active')
    assert.deepEqual(world.codes, ['a-code'])
  })

  it('takes an old browser at its word only for our own origin, over https', async (t) => {
    const world = await startTlsWorld(t)
    const page = await world.start()
    const plain = world.url.replace('https:', 'http:')
    for (const origin of [plain, 'https://localhost', 'null'])
      assert.equal((await world.browser().press(page, { origin })).status, 403)
    assert.equal((await world.browser().press(page, { origin: world.url })).status, 303)
  })

  it('cannot be finished by another browser, nor over plain http, nor with a cookie without the prefix', async (t) => {
    const world = await startTlsWorld(t)
    const begin = async (browser: StrictBrowser) => {
      const { location } = await browser.press(await world.start())
      return world.callback(new URL(location).searchParams.get('state'))
    }
    const browser = world.browser()
    assert.equal((await world.browser().get(await begin(browser))).status, 400)
    const overHttp = (await begin(browser)).replace(world.url, world.plainUrl)
    assert.equal((await browser.get(overHttp)).status, 400)
    const callback = await begin(browser)
    const secret = browser.cookies.get('__Host-linchpin-oauth')?.value ?? ''
    browser.cookies.clear()
    browser.cookies.set('linchpin-oauth', { value: secret, secure: false })
    assert.equal((await browser.get(callback)).status, 400)
    const onPlainHttp = world.browser()
    const pressed = await onPlainHttp.press(
      (await world.start()).replace(world.url, world.plainUrl),
    )
    assert.equal(onPlainHttp.cookies.size, 0)
    const state = new URL(pressed.location).searchParams.get('state')
    assert.equal((await onPlainHttp.get(world.callback(state))).status, 400)
    assert.deepEqual(world.codes, [])
    const { body } = await world.call('GET', '/v1/integration_account')
    assert.deepEqual(body, [])
  })
})

/** A service of its own process behind a proxy that ends TLS, and a provider that gives a token for every code. */
async function startTlsWorld(t: TestContext) {
  const origin = await startOrigin()
  const proxy = await startTlsProxy()
  const place = await newPlace({
    settings: { LINCHPIN_PUBLIC_URL: proxy.url, LINCHPIN_TRUST_PROXY: '127.0.0.1' },
  })
  const service = await startService(place)
  proxy.target = service.url
  t.after(async () => {
    await service.stop()
    await Promise.all([proxy.close(), origin.close(), place.remove()])
  })
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
    sourceUrl: origin.bundle(oidcBundle(origin.url, auth)),
  })
  const { integrationDefinitionId, workspaceId } = definition.body
  await call('POST', '/v1/integration_oauth', { integrationDefinitionId, ...CLIENT })
  await call('POST', `/v1/workspace/${workspaceId}`, { allowedRedirectURLs: [HOME] })
  return {
    url: proxy.url,
    /** The service itself, behind the proxy. */
    plainUrl: service.url,
    codes,
    call,
    browser: () => strictBrowser(proxy.cert),
    async start(): Promise<string> {
      const { body } = await call('POST', '/v1/oauth', {
        integrationDefinitionId,
        integrationAccountName: 'An account',
        redirectURL: HOME,
      })
      return body.redirectURL
    },
    callback: (state: string | null) =>
      `${proxy.url}/api/v1/oauth/callback?${new URLSearchParams({ state: state ?? '', code: 'a-code' })}`,
  }
}
