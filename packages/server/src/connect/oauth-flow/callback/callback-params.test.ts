// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the protocol's own placeholder
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { expectOk, testContext } from '../../../../test/test-context.ts'
import {
  getReturnParams,
  ISSUER,
  respondWithJson,
  type StubProviderContext,
} from '../test/stub-provider-context.ts'

/** A bundle that returns its configuration in headers. */
const echoingBundle = (url: string, auth: Record<string, unknown>): string => `
const spec = ${JSON.stringify({
  api_base_url: `${url}/company/\${realmId}`,
  auth_specification: {
    OAuth2: { ...auth, refresh_url: `${url}/company/\${realmId}/token` },
  },
})}
exports.default = async (command, { config } = {}) => {
  if (command === 'SPEC') return spec
  if (command === 'CHECK') return { status: true, error: '' }
  if (command === 'HEADERS')
    return Object.fromEntries(['realmId', 'shop', 'evil'].map((name) => ['x-' + name, String(config[name])]))
  throw new Error('There is no command ' + command)
}
`

const AUTH = {
  callback_params: ['realmId', 'shop'],
  input_specification: {
    type: 'object',
    required: ['shop'],
    properties: {
      realmId: { type: 'string', 'x-secret': false },
      shop: { type: 'string', pattern: '^[a-z]{3,10}$', 'x-secret': false },
    },
  },
}

describe('callback parameters', () => {
  let t: StubProviderContext
  let clockOffset = 0
  before(async () => {
    t = await testContext({
      provider: { auth: AUTH, code: echoingBundle },
      now: () => Date.now() + clockOffset,
    })
  })
  after(() => t.close())

  /** Runs the flow with these callback parameters; returns the account. */
  async function connect(callbackParams: string, body: Record<string, unknown> = {}) {
    const state = await t.begin(await t.start(body))
    const query = new URLSearchParams({ state, code: 'a-code', iss: ISSUER })
    const returnParams = getReturnParams(
      await t.callback(`${query}${callbackParams === '' ? '' : `&${callbackParams}`}`),
    )
    assert.equal(returnParams.success, 'true', JSON.stringify(returnParams))
    const path = `/v1/integration_account/${returnParams.integrationAccountId}`
    const account = expectOk(await t.call('GET', path))
    const { headers } = expectOk(await t.call('GET', `${path}/credentials`))
    return { account, headers, path }
  }

  it('are stored if the spec lists them, and only then', async () => {
    const { account, headers } = await connect('realmId=4620816365&evil=1&shop=north')
    assert.deepEqual(account.integrationConfiguration, { realmId: '4620816365', shop: 'north' })
    assert.deepEqual(headers, {
      'x-realmId': '4620816365',
      'x-shop': 'north',
      'x-evil': 'undefined',
    })
  })

  it('fill placeholders in URLs used after the callback, percent-encoded', async () => {
    const { path } = await connect('realmId=a%2Fb%3Fc%20d')
    const requestedPaths: string[] = []
    t.stubServer.serve('/company/a%2Fb%3Fc%20d/invoices', (request, response) => {
      requestedPaths.push(request.url ?? '')
      response.end('{}')
    })
    expectOk(await t.call('GET', `${path}/proxy/invoices`))
    assert.deepEqual(requestedPaths, ['/company/a%2Fb%3Fc%20d/invoices'])
  })

  for (const [title, value] of [
    ['longer than 256 characters', `realmId=${'1'.repeat(257)}`],
    ['containing a line break', 'realmId=1%0d%0aX-Evil:%201'],
    ['containing a NUL', 'realmId=1%00'],
    ['not valid UTF-8', 'realmId=%ff'],
    ['empty', 'realmId='],
    ['repeated', 'realmId=1&realmId=2'],
    ['in another case', 'REALMID=1&realmid=2'],
    ['missing', ''],
  ] as const)
    it(`are dropped if ${title}`, async () => {
      const { account, headers } = await connect(value)
      assert.deepEqual(account.integrationConfiguration, {})
      assert.equal(headers['x-realmId'], 'undefined')
    })

  it('are stored up to 256 characters', async () => {
    const { headers } = await connect(`realmId=${'1'.repeat(256)}`)
    assert.equal(headers['x-realmId'], '1'.repeat(256))
  })

  it("are dropped when the spec's field of that name does not allow them", async () => {
    for (const shop of ['evil.example.com', 'NORTH', 'ab', 'north%20', 'evil.example.com%23'])
      assert.equal((await connect(`shop=${shop}`)).headers['x-shop'], 'undefined', shop)
  })

  it('do not overwrite input of the start, which is validated by the same field', async () => {
    const { headers } = await connect('shop=south', { config: { shop: 'north' } })
    assert.equal(headers['x-shop'], 'north')
    const response = await t.call('POST', '/v1/oauth', {
      body: {
        integrationDefinitionId: t.definitionId,
        integrationAccountName: 'An account',
        confirm: false,
        config: { shop: 'evil.example.com' },
      },
    })
    assert.deepEqual(Object.keys(response.body.errors), ['config.shop'])
  })

  it('do not overwrite values of the token response', async () => {
    const before = t.respondToToken
    t.respondToToken = respondWithJson(200, {
      access_token: 'at',
      refresh_token: 'rt',
      realmId: 'from-the-provider',
    })
    const { headers } = await connect('realmId=from-the-browser')
    t.respondToToken = before
    assert.equal(headers['x-realmId'], 'from-the-provider')
  })

  it('are replaced by a reconnect, and removed when the callback omits them', async () => {
    const first = await connect('realmId=1&shop=north')
    const reconnect = { integrationAccountId: first.account.integrationAccountId }
    const second = await connect('realmId=2', reconnect)
    assert.equal(second.path, first.path)
    assert.deepEqual(second.headers, {
      'x-realmId': '2',
      'x-shop': 'undefined',
      'x-evil': 'undefined',
    })
  })

  it('stay stored through a token refresh, and fill its URL', async () => {
    t.stubServer.serve('/company/7/token', (_request, response) =>
      respondWithJson(200, { access_token: 'at_2', expires_in: 3600 })(response),
    )
    const { path } = await connect('realmId=7')
    clockOffset += 3_590_000
    const { headers } = expectOk(await t.call('GET', `${path}/credentials`))
    assert.equal(headers['x-realmId'], '7')
    assert.ok(t.stubServer.requests.includes('POST /company/7/token'))
  })
})

describe('callback parameters that the spec does not list', () => {
  let t: StubProviderContext
  before(async () => {
    t = await testContext({
      provider: {
        auth: { input_specification: AUTH.input_specification },
        code: echoingBundle,
      },
    })
  })
  after(() => t.close())

  it('are not stored, and their fields are required at the start', async () => {
    const body = {
      integrationDefinitionId: t.definitionId,
      integrationAccountName: 'An account',
      confirm: false,
    }
    const response = await t.call('POST', '/v1/oauth', { body })
    assert.deepEqual(Object.keys(response.body.errors), ['config.shop'])
    const state = await t.begin(await t.start({ config: { shop: 'north', realmId: '1' } }))
    const returnParams = getReturnParams(
      await t.callback({ state, code: 'c', iss: ISSUER, realmId: '2', shop: 'south' }),
    )
    const account = expectOk(
      await t.call('GET', `/v1/integration_account/${returnParams.integrationAccountId}`),
    )
    assert.deepEqual(account.integrationConfiguration, { shop: 'north', realmId: '1' })
  })
})
