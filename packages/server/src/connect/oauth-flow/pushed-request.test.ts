import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { countRows, expectOk, testContext } from '../../../test/test-context.ts'
import { BASE_URL, newBrowser } from './test/browser.ts'
import { CLIENT, type OAuthTestContext, RETURN_URL } from './test/oauth-test-context.ts'

const pushedRequestAuth = (url: string) => ({ pushed_authorization_request_url: `${url}/request` })
const features = (requirePushedAuthorizationRequests: boolean) => ({
  features: { pushedAuthorizationRequests: { enabled: true, requirePushedAuthorizationRequests } },
})
const query = (url: string | undefined) => Object.fromEntries(new URL(url ?? '').searchParams)
const calls = (t: OAuthTestContext, request: string) =>
  t.provider.requests.filter((each) => each === request).length

describe('a certified provider that requires pushed authorization requests', () => {
  let t: OAuthTestContext
  before(async () => {
    t = await testContext({ oauth: { configuration: features(true), spec: pushedRequestAuth } })
  })
  after(() => t.close())

  it('connects, and exposes only the request_uri to the browser', async () => {
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

  it('rejects a modified request_uri, which results in no connection', async () => {
    const url = new URL(await t.browser.begin(await t.start()))
    url.searchParams.set('request_uri', `${query(url.href).request_uri}x`)
    const returnParams = query((await t.browser.get(url.href)).location)
    assert.deepEqual([returnParams.error, returnParams.state], ['invalid_request_uri', undefined])
    const tokens = calls(t, 'POST /token')
    const callback = `${BASE_URL}/api/v1/oauth/callback?${new URLSearchParams(returnParams)}`
    assert.equal((await t.browser.get(callback)).status, 400)
    assert.equal(calls(t, 'POST /token'), tokens)
  })

  it('ignores parameters beside the request_uri', async () => {
    const url = new URL(await t.browser.begin(await t.start({ confirm: false })))
    url.searchParams.set('redirect_uri', 'https://evil.example/')
    url.searchParams.set('state', 'evil')
    url.searchParams.set('code_challenge', 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM')
    const response = await t.browser.get(await t.browser.signIn(url.href))
    assert.equal(query(response.location).success, 'true')
  })

  it("does not let an attacker's request sign in a victim", async () => {
    const [accounts, tokens] = [await countRows(t, 'accounts'), calls(t, 'POST /token')]
    const attacker = newBrowser(t.app)
    const url = await attacker.begin(await t.start())
    const victim = newBrowser(t.app)
    assert.equal((await victim.get(await victim.signIn(url, 'victim'))).status, 400)
    assert.equal(calls(t, 'POST /token'), tokens)
    assert.equal(await countRows(t, 'accounts'), accounts)
  })

  it('receives one push for concurrent submits of many browsers, and another when the same browser submits again', async () => {
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

  it('rejects a wrong client secret, which is reported to the host application without a redirect to sign-in', async () => {
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

describe('a certified provider that supports pushed authorization requests', () => {
  let t: OAuthTestContext
  before(async () => {
    t = await testContext({ oauth: { configuration: features(false), spec: pushedRequestAuth } })
  })
  after(() => t.close())

  it('connects with a pushed authorization request', async () => {
    const response = await t.browser.connect(await t.start({ confirm: false }))
    assert.equal(query(response.location).success, 'true')
    assert.equal(calls(t, 'POST /request'), 1)
  })
})

describe('a certified provider that requires pushed authorization requests, with a spec without pushed_authorization_request_url', () => {
  let t: OAuthTestContext
  before(async () => {
    t = await testContext({ oauth: { configuration: features(true) } })
  })
  after(() => t.close())

  it('rejects the request, which is reported to the host application', async () => {
    const response = await t.browser.connect(await t.start())
    assert.equal(query(response.location).error, 'token_exchange_failed')
    assert.equal(calls(t, 'POST /request'), 0)
  })
})

describe('a certified provider without pushed authorization requests, with a spec that requires them', () => {
  let t: OAuthTestContext
  before(async () => {
    const disabledProvider = { features: { pushedAuthorizationRequests: { enabled: false } } }
    t = await testContext({ oauth: { configuration: disabledProvider, spec: pushedRequestAuth } })
  })
  after(() => t.close())

  it('makes the session fail at the push', async () => {
    const page = await t.start()
    const response = await t.browser.post(page)
    assert.ok(response.location?.startsWith(RETURN_URL), response.location)
    assert.equal(query(response.location).error, 'authorization_request_failed')
    assert.deepEqual(t.provider.requests, ['POST /request'])
    assert.equal((await t.browser.post(page)).status, 404)
  })
})
