// biome-ignore-all lint/suspicious/noTemplateCurlyInString: templates of specs are written like this.
import assert from 'node:assert/strict'
import { text } from 'node:stream/consumers'
import { after, before, beforeEach, describe, it } from 'node:test'
import { type StubServer, startStubServer } from '../../../test/stub-server.ts'
import { expectCreated, expectError, expectOk, testContext } from '../../../test/test-context.ts'
import { selectAuditEntries } from '../../platform/storage/audit-inbox.ts'
import { CLIENT } from './test/oauth-test-context.ts'
import { getReturnParams, ISSUER, type StubProviderContext } from './test/stub-provider-context.ts'

const SECRET = CLIENT.clientSecret
const APP = '/v1/integration_oauth'

/** A bundle that refreshes tokens itself, at a host from the configuration. */
const createBundle = (spec: object) => `
  const form = (values) => new URLSearchParams(values).toString()
  const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
  const send = ({ how, base_url, client_id, client_secret, hop }) => {
    const url = base_url + '/token'
    const parameters = { grant_type: 'client_credentials', client_id, client_secret }
    if (how === 'query') return fetch(url + '?' + form(parameters))
    if (how === 'Basic') {
      const authorization = 'Basic ' + Buffer.from(client_id + ':' + client_secret).toString('base64')
      return fetch(url, { method: 'POST', headers: { ...FORM, authorization }, body: 'a=b' })
    }
    if (how === 'JSON') return fetch(url, { method: 'POST', body: JSON.stringify(parameters) })
    const to = how === 'redirect' ? hop + '/hop?' + form({ to: url }) : url
    return fetch(to, { method: 'POST', headers: FORM, body: form(parameters) })
  }
  exports.default = async (command, { config } = {}) => {
    if (command === 'SPEC') return ${JSON.stringify(spec)}
    if (command === 'IDENTITY') return { id: 'alice' }
    if (config.how === 'header') return command === 'CHECK' ? { status: true } : { 'x-secret': config.client_secret }
    try {
      const response = await send(config)
      if (command === 'CHECK') return { status: response.ok, error: 'refused' }
      return { authorization: 'Bearer ' + (await response.json()).access_token }
    } catch (error) {
      if (config.how === 'throw') throw error
      return command === 'CHECK' ? { status: false, error: error.message } : {}
    }
  }`

describe('the client secret of an OAuth app in a bundle', () => {
  let t: StubProviderContext
  let otherOrigin: StubServer
  let id: string
  let appId: string
  /** The requests that the other host received. */
  const received: string[] = []
  before(async () => {
    t = await testContext({ provider: true })
    otherOrigin = await startStubServer()
    const receive = (path: string) =>
      otherOrigin.serve(path, async (request, response) => {
        received.push(`${request.url} ${JSON.stringify(request.headers)} ${await text(request)}`)
        response.end(JSON.stringify({ access_token: 'theirs' }))
      })
    receive('/token')
    receive('/api')
    t.stubServer.serve('/hop', (request, response) => {
      const to = new URL(request.url ?? '', t.stubServer.url).searchParams.get('to') ?? ''
      response.writeHead(307, { location: to }).end()
    })
    const publicField = { type: 'string', 'x-secret': false }
    const properties = {
      base_url: { ...publicField, format: 'uri' },
      how: publicField,
      hop: publicField,
    }
    const OAuth2 = {
      authorization_url: `${t.stubServer.url}/authorize`,
      token_url: `${t.stubServer.url}/token`,
      'x-issuer': ISSUER,
      api_base_url: '${base_url}',
      input_specification: { type: 'object', properties },
    }
    const code = createBundle({ version: '1.0.0', auth_specification: { OAuth2 } })
    const definition = await t.createDefinition({ code, name: 'Moving' })
    id = definition.integrationDefinitionId
    const body = { integrationDefinitionId: id, ...CLIENT }
    appId = String(expectCreated(await t.call('POST', APP, { body })).integrationOAuthAppId)
  })
  after(async () => {
    await t.close()
    await otherOrigin.close()
  })
  beforeEach(() => {
    received.length = 0
  })

  const connect = async (config: object) => {
    const body = {
      integrationDefinitionId: id,
      config: { hop: t.stubServer.url, how: 'form', ...config },
    }
    const state = await t.begin(await t.start(body))
    return getReturnParams(await t.callback({ state, code: 'a-code', iss: ISSUER }))
  }
  const allow = async (...allowedHosts: string[]) =>
    expectOk(
      await t.call('POST', `${APP}/${appId}`, { body: { allowedHosts, clientSecret: SECRET } }),
    )
  const listWithheldSecrets = async () => {
    const rows = await selectAuditEntries(t.database.read)
      .select('detail')
      .where('subject', '=', appId)
      .where('action', '=', 'oauth_app.secret_withheld')
      .execute()
    return rows.map(({ detail }) => JSON.parse(detail))
  }

  for (const how of ['form', 'JSON', 'query', 'Basic', 'redirect', 'throw'])
    it(`the OAuth flow fails with oauth_app_secret_required when CHECK sends it to another host: ${how}`, async () => {
      const { error } = await connect({ base_url: otherOrigin.url, how })
      assert.equal(error, 'oauth_app_secret_required')
      assert.deepEqual(received, [])
      const rows = await listWithheldSecrets()
      assert.deepEqual(rows.at(-1)?.origin, otherOrigin.url)
      assert.equal(rows.length, 1, 'automatic attempts are recorded once an hour')
    })

  it('CHECK sends it to the endpoints of the app and to allowedHosts', async () => {
    assert.equal((await connect({ base_url: t.stubServer.url })).success, 'true')
    await allow('127.0.0.1')
    assert.equal((await connect({ base_url: otherOrigin.url })).success, 'true')
    assert.ok(received.join().includes(SECRET))
    await allow()
  })

  it('POST /v1/integration_account/{id}: 409 for a host that may not receive it, and nothing is stored', async () => {
    const { integrationAccountId } = await connect({ base_url: t.stubServer.url })
    const path = `/v1/integration_account/${integrationAccountId}`
    const body = { config: { base_url: otherOrigin.url } }
    const response = await t.call('POST', path, { body })
    const { errors } = expectError(response, 'oauth_app_secret_required')
    assert.deepEqual(Object.keys(errors), ['clientSecret'])
    assert.equal(response.text.includes(otherOrigin.host), false)
    assert.deepEqual(received, [])
    assert.equal(
      expectOk(await t.call('GET', path)).integrationConfiguration.base_url,
      t.stubServer.url,
    )
  })

  it('GET …/credentials: 409 for HEADERS that sends it to another host, recorded once for many uses', async () => {
    await allow('127.0.0.1')
    const { integrationAccountId } = await connect({ base_url: otherOrigin.url })
    await allow()
    received.length = 0
    const before = (await listWithheldSecrets()).length
    const path = `/v1/integration_account/${integrationAccountId}`
    for (let times = 0; times < 3; times += 1)
      expectError(await t.call('GET', `${path}/credentials`), 'oauth_app_secret_required')
    expectError(await t.call('GET', `${path}/proxy/api`), 'oauth_app_secret_required')
    assert.deepEqual(received, [])
    assert.ok((await listWithheldSecrets()).length <= before + 1)
    assert.equal(expectOk(await t.call('GET', path)).status, 'active')
    await allow('127.0.0.1')
    expectOk(await t.call('GET', `${path}/credentials`))
    await allow()
  })

  it('proxy: 409 for headers that contain it and a host from the configuration', async () => {
    const { integrationAccountId } = await connect({ base_url: otherOrigin.url, how: 'header' })
    const path = `/v1/integration_account/${integrationAccountId}/proxy/api`
    expectError(await t.call('GET', path), 'oauth_app_secret_required')
    assert.deepEqual(received, [])
    await allow('127.0.0.1')
    assert.equal((await t.call('GET', path)).status, 200)
    assert.ok(received.join().includes(SECRET))
  })
})
