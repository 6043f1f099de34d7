import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { after, before, describe, it } from 'node:test'
import { newBrowser, type Visit } from '../test/browser.ts'
import { CLIENT, oidcBundle } from '../test/oauth-world.ts'
import {
  ISSUER,
  isPage,
  json,
  returned,
  type StubWorld,
  startStubWorld,
} from '../test/stub-world.ts'

type Answer = (response: ServerResponse, form: URLSearchParams) => unknown

const good = (uri: unknown): Answer => json(201, { request_uri: uri, expires_in: 60 })
const text = (status: number, type: string, body: string): Answer => {
  return (response) => response.writeHead(status, { 'content-type': type }).end(body)
}

const FAILED = 'authorization_request_failed'
const CASES: readonly [title: string, answer: Answer, error: string][] = [
  ['no name', json(201, { expires_in: 60 }), FAILED],
  ['a name that is a number', good(7), FAILED],
  ['a name that is null', good(null), FAILED],
  ['an empty name', good(''), FAILED],
  ['a name that is no URI', good('just-a-name'), FAILED],
  ['a name with a blank', good('urn:a b'), FAILED],
  ['a name with a line break', good('urn:a\r\nb'), FAILED],
  ['a name with other letters', good('urn:ä'), FAILED],
  ['a name of 2,000 characters', good(`urn:${'x'.repeat(2_000)}`), FAILED],
  ['a name with our secret in it', good(`urn:x:${CLIENT.clientSecret}`), FAILED],
  ['a list', json(201, [{ request_uri: 'urn:x:1' }]), FAILED],
  ['nothing', (response) => response.writeHead(201).end(), FAILED],
  ['HTML', text(200, 'text/html', '<!doctype html><title>Welcome</title>'), FAILED],
  ['HTML that is not there', text(404, 'text/html', '<h1>Not found</h1>'), FAILED],
  ['half of JSON', text(201, 'application/json', '{"request_uri":"urn:x'), FAILED],
  ['a refusal', json(400, { error: 'invalid_request', request_uri: 'urn:x:1' }), FAILED],
  ['a refusal of the client', json(401, { error: 'invalid_client' }), FAILED],
  ['a refusal with 200', json(200, { error: 'invalid_scope', request_uri: 'urn:x:1' }), FAILED],
  ['a redirect', (response) => response.writeHead(307, { location: '/authorize' }).end(), FAILED],
  ['500', text(500, 'text/plain', 'boom'), 'provider_error'],
  ['503', json(503, { request_uri: 'urn:x:1' }), 'provider_error'],
  ['429', json(429, { error: 'slow_down' }), 'provider_error'],
  ['not now', json(400, { error: 'temporarily_unavailable' }), 'provider_error'],
  ['a broken line', (response) => response.destroy(), 'provider_error'],
  ['10 MB', text(201, 'application/json', `{"a":"${'x'.repeat(1e7)}"}`), FAILED],
  [
    'all that it got',
    (response, form) => json(400, { error: FAILED, error_description: `${form}` })(response),
    FAILED,
  ],
]

describe('an endpoint for pushed requests that answers', () => {
  let t: StubWorld
  let answer: Answer
  let pushed: URLSearchParams[]
  let hanging: Promise<Visit>
  const browser = () => newBrowser(t.app)

  before(async () => {
    const code = (url: string, auth: Record<string, unknown>) =>
      oidcBundle(url, { ...auth, pushed_authorization_request_url: `${url}/par` })
    t = await startStubWorld({ code })
    pushed = []
    const arrived = new EventTarget()
    t.origin.serve('/par', async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(Buffer.from(chunk))
      const form = new URLSearchParams(Buffer.concat(chunks).toString())
      pushed.push(form)
      arrived.dispatchEvent(new Event('request'))
      await answer(response, form)
    })
    answer = () => undefined
    const first = once(arrived, 'request')
    hanging = browser().post(await t.start())
    await first
  })
  after(() => t.close())

  for (const [title, odd, error] of CASES)
    it(`with ${title} sends the person back with ${error}, and nowhere else`, async () => {
      answer = odd
      const [before, logged] = [pushed.length, t.logs.length]
      const visit = await browser().post(await t.start())
      assert.equal(returned(visit).error, error)
      assert.equal(pushed.length, before + 1)
      const form = pushed.at(-1)
      assert.equal(form?.has('code_verifier'), false)
      const challenge = form?.get('code_challenge') ?? ''
      assert.match(challenge, /^[\w-]{43}$/)
      const told = [visit.location, visit.text, ...t.logs.slice(logged)].join('\n')
      for (const secret of [CLIENT.clientSecret, form?.get('state') ?? '-'])
        assert.ok(!told.includes(secret))
    })

  it('with a name that is one sends the person on, with 200 and without a time too', async () => {
    answer = json(200, { request_uri: 'https://provider.example/requests/1' })
    const visit = await browser().post(await t.start())
    const { searchParams } = new URL(visit.location ?? '')
    assert.deepEqual(Object.fromEntries(searchParams), {
      client_id: CLIENT.clientId,
      request_uri: 'https://provider.example/requests/1',
    })
  })

  it('too late ends the attempt for good', async () => {
    assert.equal(returned(await hanging).error, 'provider_timeout')
  })

  it('with a refusal leaves no state behind that a callback could use', async () => {
    answer = json(400, { error: 'invalid_request' })
    const person = browser()
    await person.post(await t.start())
    const state = pushed.at(-1)?.get('state') ?? ''
    const back = await t.back({ state, code: 'a-code', iss: ISSUER }, person)
    assert.equal(returned(back).error, 'oauth_attempt_invalid')
    assert.equal(t.tokenRequests.length, 0)
    assert.equal(await t.accounts(), 0)
  })

  it('with a refusal tells a person who has nowhere to go back to', async () => {
    answer = json(400, { error: 'invalid_request' })
    const person = browser()
    const visit = await person.post(await t.start({ redirectURL: null }))
    const page = await person.get(visit.location ?? '')
    isPage(page, 200)
    assert.match(page.text, /did not take the request to sign you in/)
  })
})
