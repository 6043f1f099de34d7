import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type MutableResponse, OAuth2Server } from 'oauth2-mock-server'
import {
  expectCreated,
  expectOk,
  type TestContext,
  testContext,
} from '../../../test/test-context.ts'
import { newBrowser } from './test/browser.ts'

describe('the OAuth flow with oauth2-mock-server', () => {
  let t: TestContext
  let definitionId: string
  const server = new OAuth2Server()
  before(async () => {
    t = await testContext()
    await server.issuer.keys.generate('RS256')
    await server.start(0, '127.0.0.1')
    const { port } = server.address()
    const url = `http://127.0.0.1:${port}`
    const auth = {
      authorization_url: `${url}/authorize`,
      token_url: `${url}/token`,
      token_request_auth_method: 'basic',
      default_scopes: ['a', 'b'],
      scope_separator: ',',
    }
    const code = `exports.default = async (command, { config } = {}) => {
      if (command === 'SPEC') return ${JSON.stringify({ auth_specification: { OAuth2: auth } })}
      return { status: /^ey/.test(config.access_token) && config.scope.length > 0, error: 'no token' }
    }`
    definitionId = (await t.createDefinition({ code })).integrationDefinitionId
    const body = { integrationDefinitionId: definitionId, clientId: 'c+d', clientSecret: 's/e=c' }
    expectCreated(await t.call('POST', '/v1/integration_oauth', { body }))
  })
  after(async () => {
    await t.close()
    await server.stop()
  })

  async function connect(): Promise<URLSearchParams> {
    const body = {
      integrationDefinitionId: definitionId,
      integrationAccountName: 'Mock',
      redirectURL: 'http://localhost:9/back',
      confirm: false,
    }
    const { redirectURL } = expectOk(await t.call('POST', '/v1/oauth', { body }))
    const browser = newBrowser(t.app)
    const authorizationUrl = await browser.begin(redirectURL)
    assert.equal(new URL(authorizationUrl).searchParams.get('scope'), 'a,b')
    const callback = (await browser.get(authorizationUrl)).location ?? ''
    return new URL((await browser.get(callback)).location ?? '').searchParams
  }

  it('connects', async () => {
    assert.equal((await connect()).get('success'), 'true')
  })

  it('connects when expires_in is a string, and when there is no refresh token', async () => {
    changeResponse({ expires_in: '3600' })
    assert.equal((await connect()).get('success'), 'true')
    changeResponse({ refresh_token: undefined })
    const id = (await connect()).get('integrationAccountId')
    const account = expectOk(await t.call('GET', `/v1/integration_account/${id}`))
    assert.equal(account.statusReason, 'no_refresh_token')
  })

  it('rejects the invalid responses of its hooks', async () => {
    const malformedBodies = [
      { access_token: undefined },
      { access_token: 7 },
      { error: 'invalid_grant' },
    ]
    for (const body of malformedBodies) {
      changeResponse(body)
      assert.equal((await connect()).get('error'), 'token_exchange_failed', JSON.stringify(body))
    }
  })

  /** Overwrites fields of the next token response. */
  function changeResponse(fields: Record<string, unknown>): void {
    server.service.once('beforeResponse', (response: MutableResponse) => {
      if (typeof response.body === 'object') Object.assign(response.body, fields)
    })
  }
})
