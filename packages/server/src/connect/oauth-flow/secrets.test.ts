import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { databaseBytes, expectOk, testContext } from '../../../test/test-context.ts'
import { type BrowserResponse, newBrowser } from './test/browser.ts'
import { CLIENT } from './test/oauth-test-context.ts'
import {
  getReturnParams,
  ISSUER,
  respondWithJson,
  type StubProviderContext,
} from './test/stub-provider-context.ts'

describe('secrets of an OAuth connection', () => {
  let t: StubProviderContext
  const outputs: string[] = []
  const secrets = new Map<string, string>()
  const CODE = 'canary-code-0123456789abcdef'

  before(async () => {
    t = await testContext({ provider: true })
    await runSuccessfulFlow()
    await runFailingFlows()
  })
  after(() => t.close())

  const recordOutput = (response: BrowserResponse) => {
    outputs.push(
      response.text,
      JSON.stringify([...response.headers]).replaceAll(secrets.get('cookie') ?? '\0', ''),
    )
    return response
  }

  async function runSuccessfulFlow(): Promise<void> {
    t.respondToToken = respondWithJson(200, {
      access_token: 'canary-access-0123456789abcdef',
      refresh_token: 'canary-refresh-0123456789abcdef',
      id_token: 'canary-id-token-0123456789abcdef',
    })
    const page = await t.start({
      confirm: true,
      config: { webhook_secret: 'canary-config-0123456789abcdef' },
    })
    const state = await t.begin(page)
    const response = await t.callback({ state, code: CODE, iss: ISSUER })
    const { confirmToken = '', integrationAccountId } = getReturnParams(response)
    secrets.set('client secret', CLIENT.clientSecret)
    secrets.set('code', CODE)
    secrets.set('page token', page.split('/').at(-1) ?? '')
    secrets.set('state', state)
    secrets.set('cookie', t.browser.jar.get('localhost:3000')?.get('linchpin-oauth') ?? '')
    secrets.set('code verifier', t.tokenRequests[0]?.get('code_verifier') ?? '')
    secrets.set('access token', 'canary-access-0123456789abcdef')
    secrets.set('refresh token', 'canary-refresh-0123456789abcdef')
    secrets.set('id token', 'canary-id-token-0123456789abcdef')
    secrets.set('config', 'canary-config-0123456789abcdef')
    secrets.set('confirm token', confirmToken)
    outputs.push((response.location ?? '').replace(confirmToken, ''))
    const confirmed = await t.call('POST', '/v1/oauth/confirm', { body: { confirmToken } })
    outputs.push(confirmed.text)
    for (const path of [
      `/v1/integration_account/${integrationAccountId}`,
      '/v1/integration_account',
    ])
      outputs.push((await t.call('GET', path)).text)
    expectOk(confirmed)
  }

  /** Sessions that fail, because error messages tend to repeat their input. */
  async function runFailingFlows(): Promise<void> {
    const echo = [...secrets.values()].join(' ')
    const responders = [
      respondWithJson(400, { error: 'invalid_grant', error_description: echo }),
      respondWithJson(400, { error: CODE, error_description: echo }),
      respondWithJson(200, { access_token: { nested: echo } }),
      respondWithJson(500, { echo }),
      respondWithJson(200, {
        access_token: 'refused',
        refresh_token: 'canary-refresh-0123456789abcdef',
      }),
    ]
    for (const responder of responders) {
      t.respondToToken = responder
      const state = await t.begin(await t.start())
      const response = recordOutput(await t.callback({ state, code: CODE, iss: ISSUER }))
      outputs.push(response.location ?? '')
    }
    const state = await t.begin(await t.start(), newBrowser(t.app))
    recordOutput(await t.callback({ state, code: CODE, iss: ISSUER }))
    recordOutput(
      await t.callback({ state, code: CODE, iss: ISSUER, error: CODE, error_description: echo }),
    )
    recordOutput(
      await t.browser.get(`http://localhost:3000/oauth/connect/${secrets.get('page token')}`),
    )
    const body = { confirmToken: secrets.get('confirm token') }
    outputs.push((await t.call('POST', '/v1/oauth/confirm', { body })).text)
  }

  it('are all known to this test', () => {
    assert.equal(secrets.size, 11)
    for (const [name, secret] of secrets) assert.ok(secret.length >= 24, name)
    assert.ok(outputs.length > 10 && t.logs.length > 20)
  })

  it('appear in no response, page or URL of the service', () => {
    for (const [name, secret] of secrets)
      assert.ok(!outputs.some((text) => text.includes(secret)), name)
  })

  it('appear in no log line', () => {
    for (const [name, secret] of secrets)
      assert.ok(!t.logs.some((line) => line.includes(secret)), name)
  })

  it('are not stored in plain text', async () => {
    const bytes = await databaseBytes(t)
    assert.ok(bytes.includes('canary') === false && bytes.length > 1_000)
    for (const [name, secret] of secrets) assert.ok(!bytes.includes(secret), name)
  })
})
