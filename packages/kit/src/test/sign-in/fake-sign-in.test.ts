import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { reply } from '../reply.ts'
import { startTestSandbox, type TestSandbox } from '../test-sandbox.ts'
import { type FakeSignIn, simulateSignIn } from './fake-sign-in.ts'
import { readSignIn } from './read-sign-in.ts'
import { createSignInClient, type SignInClient } from './sign-in-client.ts'

const spec = {
  auth_specification: {
    OAuth2: {
      authorization_url: 'https://acme.test/authorize',
      token_url: 'https://acme.test/token',
      revocation_url: 'https://acme.test/revoke',
      callback_params: ['realm'],
    },
  },
}

describe('createFakeSignIn', () => {
  let sandbox: TestSandbox
  let fake: FakeSignIn
  let client: SignInClient
  before(async () => {
    sandbox = await startTestSandbox()
  })
  after(() => sandbox.close())

  function start(): void {
    const signIn = readSignIn(spec, 'OAuth2')
    assert.ok(signIn)
    fake = simulateSignIn(signIn, { callback: { realm: 'r-1' } }, {})
    client = createSignInClient(sandbox, signIn, {})
    sandbox.provider.respondWith((response) => fake.respond(response) ?? reply(404))
  }
  async function authorize(verifier = 'v'.repeat(43)): Promise<URLSearchParams> {
    const { location } = await sandbox.request(await client.authorize('s-1', verifier))
    return new URL(location ?? '').searchParams
  }
  const signIn = async () =>
    client.exchange(String((await authorize()).get('code')), 'v'.repeat(43))

  it('redirects the user with a code, the state, and the additional parameters', async () => {
    start()
    const callbackParams = await authorize()
    assert.deepEqual([...callbackParams.keys()].sort(), ['code', 'realm', 'state'])
    assert.deepEqual([callbackParams.get('state'), callbackParams.get('realm')], ['s-1', 'r-1'])
  })

  it('shows the authorization page to browsers only, and accepts token requests by POST only', async () => {
    start()
    for (const [method, url] of [
      ['POST', 'https://acme.test/authorize'],
      ['GET', 'https://acme.test/token'],
      ['POST', 'https://acme.test/other'],
      ['POST', 'https://other.test/token'],
    ] as const)
      assert.equal((await sandbox.request(url, { method })).status, 404, `${method} ${url}`)
    assert.deepEqual(fake.requestedEndpoints, [])
  })

  it('accepts a code once, and only with the verifier of its challenge', async () => {
    start()
    const verifier = 'w'.repeat(43)
    const code = String((await authorize(verifier)).get('code'))
    await assert.rejects(client.exchange(code, 'x'.repeat(43)), /returned 400/)
    assert.deepEqual(fake.errors, ['the code verifier does not match the challenge'])
    await client.exchange(code, verifier)
    await assert.rejects(client.exchange(code, verifier), /returned 400/)
  })

  it('revokes a refresh token when it issues the next, and all tokens when one is revoked', async () => {
    start()
    const first = await signIn()
    const second = await client.refresh(String(first.refresh_token))
    assert.notEqual(second.refresh_token, first.refresh_token)
    await assert.rejects(client.refresh(String(first.refresh_token)), /invalid_grant/)
    assert.deepEqual(
      [first, second].map((each) => fake.isActive(each.access_token)),
      [true, true],
    )
    await client.revoke({ refresh_token: second.refresh_token })
    assert.equal(fake.isActive(second.access_token), false)
    await assert.rejects(client.refresh(String(second.refresh_token)), /invalid_grant/)
  })

  it('redirects the user with an error after a denial, and only then', async () => {
    start()
    fake.deny()
    const callbackParams = await authorize()
    assert.deepEqual(
      [callbackParams.get('error'), callbackParams.has('code')],
      ['access_denied', false],
    )
    assert.ok((await authorize()).has('code'))
  })
})
