import assert from 'node:assert/strict'
import { text } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import { testContext } from '../../../../test/test-context.ts'
import { CLIENT } from '../test/oauth-test-context.ts'
import {
  getReturnParams,
  respondWithJson,
  type StubProviderContext,
} from '../test/stub-provider-context.ts'

describe('The configuration that CHECK receives', () => {
  const checkConfigs: Record<string, unknown>[] = []
  let t: StubProviderContext
  before(async () => {
    t = await testContext({ provider: { code: reportingBundle } })
    t.stubServer.serve('/seen', async (request, response) => {
      checkConfigs.push(JSON.parse(await text(request)))
      response.end()
    })
  })
  after(() => t.close())

  it('OAuth callback: CHECK receives the tokens with the client of the OAuth app, as existing bundles expect', async () => {
    const tokens = { access_token: 'at', refresh_token: 'rt', scope: 'read', token_type: 'Bearer' }
    t.respondToToken = respondWithJson(200, tokens)
    assert.equal(getReturnParams(await t.completeFlow()).success, 'true')
    assert.equal(checkConfigs.length, 1)
    const { client_id, client_secret, ...rest } = checkConfigs[0] ?? {}
    const [request] = t.tokenRequests
    assert.equal(client_id, CLIENT.clientId)
    assert.equal(client_secret, CLIENT.clientSecret)
    assert.equal(request?.get('code'), 'a-code')
    const { access_token, refresh_token, scope, token_type } = rest
    assert.deepEqual({ access_token, refresh_token, scope, token_type }, tokens)
  })

  /** A bundle that exposes the input of its CHECK. */
  function reportingBundle(url: string, auth: Record<string, unknown>): string {
    const input_specification = { type: 'object', properties: {} }
    const spec = { auth_specification: { OAuth2: { input_specification, ...auth } } }
    return `module.exports = async (command, { config } = {}) => {
    if (command === 'SPEC') return ${JSON.stringify(spec)}
    if (command === 'HEADERS') return { Authorization: 'Bearer ' + config.access_token }
    if (command !== 'CHECK') return undefined
    await fetch('${url}/seen', { method: 'POST', body: JSON.stringify(config) })
    return { status: true, error: '' }
  }`
  }
})
