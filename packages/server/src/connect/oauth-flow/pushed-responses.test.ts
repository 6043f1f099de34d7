import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { after, before, describe, it } from 'node:test'
import { testContext } from '../../../test/test-context.ts'
import { type BrowserResponse, newBrowser } from './test/browser.ts'
import { CLIENT, createOidcBundle } from './test/oauth-test-context.ts'
import {
  expectPage,
  getReturnParams,
  ISSUER,
  respondWithJson,
  type StubProviderContext,
} from './test/stub-provider-context.ts'

type PushedResponder = (response: ServerResponse, form: URLSearchParams) => unknown

const respondPushed = (uri: unknown): PushedResponder =>
  respondWithJson(201, { request_uri: uri, expires_in: 60 })
const respondText = (status: number, type: string, body: string): PushedResponder => {
  return (response) => response.writeHead(status, { 'content-type': type }).end(body)
}

const FAILED = 'authorization_request_failed'
const CASES: readonly [title: string, responder: PushedResponder, error: string][] = [
  ['no request_uri', respondWithJson(201, { expires_in: 60 }), FAILED],
  ['a numeric request_uri', respondPushed(7), FAILED],
  ['a request_uri that is null', respondPushed(null), FAILED],
  ['an empty request_uri', respondPushed(''), FAILED],
  ['a request_uri that is not a URI', respondPushed('just-a-name'), FAILED],
  ['a request_uri with a space', respondPushed('urn:a b'), FAILED],
  ['a request_uri with a line break', respondPushed('urn:a\r\nb'), FAILED],
  ['a request_uri with non-ASCII characters', respondPushed('urn:ä'), FAILED],
  ['a request_uri of 2,000 characters', respondPushed(`urn:${'x'.repeat(2_000)}`), FAILED],
  [
    'a request_uri that contains the client secret',
    respondPushed(`urn:x:${CLIENT.clientSecret}`),
    FAILED,
  ],
  ['an array', respondWithJson(201, [{ request_uri: 'urn:x:1' }]), FAILED],
  ['nothing', (response) => response.writeHead(201).end(), FAILED],
  ['HTML', respondText(200, 'text/html', '<!doctype html><title>Welcome</title>'), FAILED],
  ['an HTML page with 404', respondText(404, 'text/html', '<h1>Not found</h1>'), FAILED],
  ['truncated JSON', respondText(201, 'application/json', '{"request_uri":"urn:x'), FAILED],
  ['an error', respondWithJson(400, { error: 'invalid_request', request_uri: 'urn:x:1' }), FAILED],
  ['a client error with 401', respondWithJson(401, { error: 'invalid_client' }), FAILED],
  [
    'an error with 200',
    respondWithJson(200, { error: 'invalid_scope', request_uri: 'urn:x:1' }),
    FAILED,
  ],
  ['a redirect', (response) => response.writeHead(307, { location: '/authorize' }).end(), FAILED],
  ['500', respondText(500, 'text/plain', 'boom'), 'provider_error'],
  ['503', respondWithJson(503, { request_uri: 'urn:x:1' }), 'provider_error'],
  ['429', respondWithJson(429, { error: 'slow_down' }), 'provider_error'],
  [
    'temporarily_unavailable',
    respondWithJson(400, { error: 'temporarily_unavailable' }),
    'provider_error',
  ],
  ['a broken connection', (response) => response.destroy(), 'provider_error'],
  ['a body of 10 MB', respondText(201, 'application/json', `{"a":"${'x'.repeat(1e7)}"}`), FAILED],
  [
    'an echo of the request',
    (response, form) =>
      respondWithJson(400, { error: FAILED, error_description: `${form}` })(response),
    FAILED,
  ],
]

describe('a pushed authorization request endpoint that responds', () => {
  let t: StubProviderContext
  let respond: PushedResponder
  let pushed: URLSearchParams[]
  let pendingRequest: Promise<BrowserResponse>
  const browser = () => newBrowser(t.app)

  before(async () => {
    const code = (url: string, auth: Record<string, unknown>) =>
      createOidcBundle(url, { ...auth, pushed_authorization_request_url: `${url}/par` })
    t = await testContext({ provider: { code } })
    pushed = []
    const arrived = new EventTarget()
    t.stubServer.serve('/par', async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(Buffer.from(chunk))
      const form = new URLSearchParams(Buffer.concat(chunks).toString())
      pushed.push(form)
      arrived.dispatchEvent(new Event('request'))
      await respond(response, form)
    })
    respond = () => undefined
    const first = once(arrived, 'request')
    pendingRequest = browser().post(await t.start())
    await first
  })
  after(() => t.close())

  for (const [title, responder, error] of CASES)
    it(`with ${title} makes the user return with ${error}`, async () => {
      respond = responder
      const [before, logged] = [pushed.length, t.logs.length]
      const response = await browser().post(await t.start())
      assert.equal(getReturnParams(response).error, error)
      assert.equal(pushed.length, before + 1)
      const form = pushed.at(-1)
      assert.equal(form?.has('code_verifier'), false)
      const challenge = form?.get('code_challenge') ?? ''
      assert.match(challenge, /^[\w-]{43}$/)
      const output = [response.location, response.text, ...t.logs.slice(logged)].join('\n')
      for (const secret of [CLIENT.clientSecret, form?.get('state') ?? '-'])
        assert.ok(!output.includes(secret))
    })

  it('with a valid request_uri makes the flow continue, also with status 200 or without expires_in', async () => {
    respond = respondWithJson(200, { request_uri: 'https://provider.example/requests/1' })
    const response = await browser().post(await t.start())
    const { searchParams } = new URL(response.location ?? '')
    assert.deepEqual(Object.fromEntries(searchParams), {
      client_id: CLIENT.clientId,
      request_uri: 'https://provider.example/requests/1',
    })
  })

  it('too late makes the session fail', async () => {
    assert.equal(getReturnParams(await pendingRequest).error, 'provider_timeout')
  })

  it('with an error leaves no state that a callback could use', async () => {
    respond = respondWithJson(400, { error: 'invalid_request' })
    const userBrowser = browser()
    await userBrowser.post(await t.start())
    const state = pushed.at(-1)?.get('state') ?? ''
    const returnParams = await t.callback({ state, code: 'a-code', iss: ISSUER }, userBrowser)
    assert.equal(getReturnParams(returnParams).error, 'oauth_attempt_invalid')
    assert.equal(t.tokenRequests.length, 0)
    assert.equal(await t.countAccounts(), 0)
  })

  it('with an error shows an error page without a redirectURL', async () => {
    respond = respondWithJson(400, { error: 'invalid_request' })
    const userBrowser = browser()
    const response = await userBrowser.post(await t.start({ redirectURL: null }))
    const page = await userBrowser.get(response.location ?? '')
    expectPage(page, 200)
    assert.match(page.text, /accept the sign-in request/)
  })
})
