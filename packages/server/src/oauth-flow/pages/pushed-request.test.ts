import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { countRows, expectOk } from '../../../test/test-context.ts'
import { BASE_URL, newBrowser } from '../test/browser.ts'
import {
  CLIENT,
  type OAuthTestContext,
  RETURN_URL,
  startOAuthTestContext,
} from '../test/oauth-test-context.ts'

const pushedRequestAuth = (url: string) => ({ pushed_authorization_request_url: `${url}/request` })
const features = (requirePushedAuthorizationRequests: boolean) => ({
  features: { pushedAuthorizationRequests: { enabled: true, requirePushedAuthorizationRequests } },
})
const query = (url: string | undefined) => Object.fromEntries(new URL(url ?? '').searchParams)
const calls = (t: OAuthTestContext, request: string) =>
  t.provider.requests.filter((each) => each === request).length

describe('with a certified provider that takes pushed requests only', () => {
  let t: OAuthTestContext
  before(async () => {
    t = await startOAuthTestContext({ provider: features(true), spec: pushedRequestAuth })
  })
  after(() => t.close())

  it('connects, and shows the browser nothing of the request but its name', async () => {
    const pushed = calls(t, 'POST /request')
    const url = await t.browser.begin(await t.start({ confirm: false }))
    assert.deepEqual(Object.keys(query(url)), ['client_id', 'request_uri'])
    assert.match(query(url).request_uri ?? '', /^urn:ietf:params:oauth:request_uri:/)
    assert.equal(calls(t, 'POST /request'), pushed + 1)
    const response = await t.browser.get(await t.browser.signIn(url))
    const { success, integrationAccountId } = query(response.location)
    assert.equal(success, 'true')
    const account = expectOk(await t.call('GET', `/v1/integration_account/${integrationAccountId}`))
    assert.equal(account.status, 'active')
  })

  it('leads an altered name to no sign-in, and its refusal to no connection', async () => {
    const url = new URL(await t.browser.begin(await t.start()))
    url.searchParams.set('request_uri', `${query(url.href).request_uri}x`)
    const returnParams = query((await t.browser.get(url.href)).location)
    assert.deepEqual([returnParams.error, returnParams.state], ['invalid_request_uri', undefined])
    const tokens = calls(t, 'POST /token')
    const callback = `${BASE_URL}/api/v1/oauth/callback?${new URLSearchParams(returnParams)}`
    assert.equal((await t.browser.get(callback)).status, 400)
    assert.equal(calls(t, 'POST /token'), tokens)
  })

  it('leads parameters beside the name to nothing: only what was pushed counts', async () => {
    const url = new URL(await t.browser.begin(await t.start({ confirm: false })))
    url.searchParams.set('redirect_uri', 'https://evil.example/')
    url.searchParams.set('state', 'evil')
    url.searchParams.set('code_challenge', 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM')
    const response = await t.browser.get(await t.browser.signIn(url.href))
    assert.equal(query(response.location).success, 'true')
  })

  it('lets no victim be signed in to the request of an attacker', async () => {
    const [accounts, tokens] = [await countRows(t, 'accounts'), calls(t, 'POST /token')]
    const attacker = newBrowser(t.app)
    const url = await attacker.begin(await t.start())
    const victim = newBrowser(t.app)
    assert.equal((await victim.get(await victim.signIn(url, 'victim'))).status, 400)
    assert.equal(calls(t, 'POST /token'), tokens)
    assert.equal(await countRows(t, 'accounts'), accounts)
  })

  it('pushes once for a page that many browsers press, and anew when its own comes back to it', async () => {
    const page = await t.start()
    const pushed = calls(t, 'POST /request')
    const browsers = Array.from({ length: 20 }, () => newBrowser(t.app))
    const responses = await Promise.all(browsers.map((browser) => browser.post(page)))
    assert.equal(responses.filter(({ status }) => status === 303).length, 1)
    assert.equal(calls(t, 'POST /request'), pushed + 1)
    const owner = browsers[responses.findIndex(({ status }) => status === 303)]
    assert.equal((await owner?.post(page))?.status, 303)
    assert.equal(calls(t, 'POST /request'), pushed + 2)
  })

  it('tells the host when the secret of the app is wrong, and sends nobody to sign in', async () => {
    const path = `/v1/integration_oauth/${t.appId}`
    const wrongSecret = 'canary-wrong-secret-0123456789'
    expectOk(await t.call('POST', path, { body: { clientSecret: wrongSecret } }))
    const response = await t.browser.post(await t.start())
    assert.ok(response.location?.startsWith(RETURN_URL), response.location)
    assert.equal(query(response.location).error, 'authorization_request_failed')
    assert.ok(t.logs.some((line) => line.includes('invalid_client')))
    for (const text of [...t.logs, response.location]) assert.ok(!text?.includes(wrongSecret))
    const { clientSecret } = CLIENT
    expectOk(await t.call('POST', path, { body: { clientSecret } }))
  })
})

describe('with a certified provider that takes pushed requests and others', () => {
  let t: OAuthTestContext
  before(async () => {
    t = await startOAuthTestContext({ provider: features(false), spec: pushedRequestAuth })
  })
  after(() => t.close())

  it('connects with a pushed request', async () => {
    const response = await t.browser.connect(await t.start({ confirm: false }))
    assert.equal(query(response.location).success, 'true')
    assert.equal(calls(t, 'POST /request'), 1)
  })
})

describe('with a certified provider that takes pushed requests only, and a spec that does not say so', () => {
  let t: OAuthTestContext
  before(async () => {
    t = await startOAuthTestContext({ provider: features(true) })
  })
  after(() => t.close())

  it('gets no consent, and tells the host', async () => {
    const response = await t.browser.connect(await t.start())
    assert.equal(query(response.location).error, 'token_exchange_failed')
    assert.equal(calls(t, 'POST /request'), 0)
  })
})

describe('with a certified provider that takes no pushed requests, and a spec that says so', () => {
  let t: OAuthTestContext
  before(async () => {
    const disabledProvider = { features: { pushedAuthorizationRequests: { enabled: false } } }
    t = await startOAuthTestContext({ provider: disabledProvider, spec: pushedRequestAuth })
  })
  after(() => t.close())

  it('is sent nobody: there is no way on without a pushed request', async () => {
    const page = await t.start()
    const response = await t.browser.post(page)
    assert.ok(response.location?.startsWith(RETURN_URL), response.location)
    assert.equal(query(response.location).error, 'authorization_request_failed')
    assert.deepEqual(t.provider.requests, ['POST /request'])
    assert.equal((await t.browser.post(page)).status, 404)
  })
})
