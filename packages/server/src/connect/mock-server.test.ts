import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type MutableResponse, OAuth2Server } from 'oauth2-mock-server'
import { created, fine, startWorld, type World } from '../../test/fixtures.ts'
import { newBrowser } from './test/browser.ts'

describe('with a second provider implementation', () => {
  let t: World
  let definitionId: string
  const server = new OAuth2Server()
  before(async () => {
    t = await startWorld()
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
    definitionId = String((await t.define({ code })).integrationDefinitionId)
    const body = { integrationDefinitionId: definitionId, clientId: 'c+d', clientSecret: 's/e=c' }
    created(await t.call('POST', '/v1/integration_oauth', { body }))
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
    const { redirectURL } = fine(await t.call('POST', '/v1/oauth', { body }))
    const browser = newBrowser(t.app)
    const begun = await browser.begin(redirectURL)
    assert.equal(new URL(begun).searchParams.get('scope'), 'a,b')
    const callback = (await browser.get(begun)).location ?? ''
    return new URL((await browser.get(callback)).location ?? '').searchParams
  }

  it('connects', async () => {
    assert.equal((await connect()).get('success'), 'true')
  })

  it('connects when the expiry is text, and when no refresh token comes', async () => {
    change({ expires_in: '3600' })
    assert.equal((await connect()).get('success'), 'true')
    change({ refresh_token: undefined })
    const id = (await connect()).get('integrationAccountId')
    const account = fine(await t.call('GET', `/v1/integration_account/${id}`))
    assert.equal(account.statusReason, 'no_refresh_token')
  })

  it('refuses what its hooks make of the answer', async () => {
    const odd = [{ access_token: undefined }, { access_token: 7 }, { error: 'invalid_grant' }]
    for (const body of odd) {
      change(body)
      assert.equal((await connect()).get('error'), 'token_exchange_failed', JSON.stringify(body))
    }
  })

  /** Lays fields over the next answer of the token endpoint. */
  function change(fields: Record<string, unknown>): void {
    server.service.once('beforeResponse', (answer: MutableResponse) => {
      if (typeof answer.body === 'object') Object.assign(answer.body, fields)
    })
  }
})
