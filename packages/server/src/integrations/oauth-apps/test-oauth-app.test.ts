import assert from 'node:assert/strict'
import { text } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import { itRequiresScope } from '../../../test/it-requires-scope.ts'
import { createMiniBundle, MINI_SPEC } from '../../../test/mini-bundle.ts'
import { registerOAuthApp, UNKNOWN_OAUTH_APP_ID } from '../../../test/register-oauth-app.ts'
import {
  expectError,
  expectKeys,
  expectOk,
  listAuditActions,
  type TestContext,
  testContext,
} from '../../../test/test-context.ts'
import { selectAuditEntries } from '../../platform/storage/audit-inbox.ts'
import type { OAuthAppCheck, OAuthAppReport } from './oauth-app-checks.ts'

const CANARY = 'canary-doctor-51c2e8'
const REDIRECT = 'http://localhost:3000/api/v1/oauth/callback'

describe('POST /v1/integration_oauth/{integrationOAuthAppId}/test', () => {
  let t: TestContext
  let count = 0
  before(async () => {
    t = await testContext()
  })
  after(() => t.close())

  const diagnose = (id: unknown, body?: unknown) =>
    t.call('POST', `/v1/integration_oauth/${id}/test`, { body })
  /** Creates an app for a definition whose token endpoint sends this response. */
  const createAppWithTokenEndpoint = async (
    respond: (body: URLSearchParams) => [status: number, body: unknown],
    { auth = {}, ...appFields }: { auth?: object; [field: string]: unknown } = {},
  ) => {
    const token_url = t.stubServer.serve(`/token/${++count}`, async (request, response) => {
      const [status, body] = respond(new URLSearchParams(await text(request)))
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(JSON.stringify(body))
    })
    const { OAuth2 } = MINI_SPEC.auth_specification
    const auth_specification = { OAuth2: { ...OAuth2, token_url, ...auth } }
    const { integrationDefinitionId } = await t.createDefinition({
      code: createMiniBundle({ auth_specification }),
    })
    const registered = await registerOAuthApp(t, {
      integrationDefinitionId,
      clientSecret: CANARY,
      ...appFields,
    })
    return String(registered.integrationOAuthAppId)
  }
  const report = async (id: string) => expectOk(await diagnose(id)) as OAuthAppReport
  const check = async (id: string, name: OAuthAppCheck['name']) => {
    const result = (await report(id)).checks.find((one) => one.name === name)
    assert.ok(result)
    return result
  }

  it('200: returns the redirect URI, six checks in order and the scopes', async () => {
    const id = await createAppWithTokenEndpoint(() => [400, { error: 'invalid_grant' }])
    const result = await report(id)
    expectKeys(result, ['checks', 'redirectUri', 'scopes'])
    assert.equal(result.redirectUri, REDIRECT)
    assert.deepEqual(
      result.checks.map(({ name, status }) => `${name} ${status}`),
      [
        'redirect_uri warning',
        'token_endpoint ok',
        'client_credentials ok',
        'scopes ok',
        'refresh_tokens warning',
        'authorization_request ok',
      ],
    )
    assert.deepEqual(await listAuditActions(t, id), ['oauth_app.created', 'oauth_app.tested'])
    assert.deepEqual(expectOk(await diagnose(id, {})), result)
  })

  it('sends one token request with the client, a random code and the redirect URI', async () => {
    const received: URLSearchParams[] = []
    const id = await createAppWithTokenEndpoint((body) => {
      received.push(body)
      return [400, { error: 'invalid_grant' }]
    })
    await report(id)
    await report(id)
    assert.equal(received.length, 2)
    for (const body of received) {
      assert.equal(body.get('grant_type'), 'authorization_code')
      assert.equal(body.get('client_id'), 'client-of-ours')
      assert.equal(body.get('client_secret'), CANARY)
      assert.equal(body.get('redirect_uri'), REDIRECT)
      assert.ok((body.get('code_verifier') ?? '').length >= 43)
    }
    assert.equal(new Set(received.map((body) => body.get('code'))).size, 2)
  })

  for (const [status, httpStatus, body] of [
    ['ok', 400, { error: 'invalid_grant', error_description: 'no' }],
    ['ok', 200, { error: 'bad_verification_code' }],
    ['ok', 200, { ok: false, error: 'invalid_code' }],
    ['ok', 400, { error: 'invalid_request', error_description: 'Malformed auth code.' }],
    ['ok', 400, { status: 'BAD_AUTH_CODE', message: 'missing or unknown auth code' }],
    ['ok', 400, { error: 'invalid_request', reason: 'Invalid authorization code' }],
    ['failed', 400, { error: 'invalid_client_id: Invalid client_id or client_secret' }],
    ['failed', 401, { error: 'invalid_client' }],
    ['failed', 200, { error: 'incorrect_client_credentials' }],
    ['failed', 400, { error: 'unauthorized_client' }],
    ['unknown', 400, { error: 'invalid_request', error_description: 'Missing client_id or code' }],
    ['unknown', 400, { error: 'invalid_request', error_description: 'bad code_verifier' }],
    ['unknown', 400, { error: 'no_such_thing' }],
    ['unknown', 401, {}],
    ['unknown', 200, { access_token: 'at-made-up', token_type: 'bearer' }],
    ['unknown', 500, { error: 'invalid_client' }],
    ['unknown', 429, { error: 'invalid_client' }],
    ['unknown', 302, {}],
  ] as const)
    it(`client_credentials is ${status} for ${httpStatus} ${JSON.stringify(body)}`, async () => {
      const id = await createAppWithTokenEndpoint(() => [httpStatus, body])
      assert.equal((await check(id, 'client_credentials')).status, status)
    })

  for (const [status, httpStatus, body] of [
    ['ok', 401, { error: 'invalid_client' }],
    ['warning', 200, { access_token: 'at-made-up', token_type: 'bearer' }],
    ['warning', 500, {}],
    ['failed', 200, 'hello'],
  ] as const)
    it(`token_endpoint is ${status} for ${httpStatus} ${JSON.stringify(body)}`, async () => {
      assert.equal(
        (await check(await createAppWithTokenEndpoint(() => [httpStatus, body]), 'token_endpoint'))
          .status,
        status,
      )
    })

  it('reports an unreachable token endpoint and a forbidden address', async () => {
    for (const token_url of ['http://127.0.0.1:9/token', 'http://10.0.0.1/token']) {
      const id = await createAppWithTokenEndpoint(() => [200, {}], { auth: { token_url } })
      assert.equal((await check(id, 'token_endpoint')).status, 'failed')
      assert.equal((await check(id, 'client_credentials')).status, 'unknown')
    }
  })

  it('sends no request if the token endpoint depends on user input', async () => {
    const token_url = `${t.stubServer.url}/\${tenant}/token`
    const id = await createAppWithTokenEndpoint(() => [200, {}], { auth: { token_url } })
    t.stubServer.requests.length = 0
    assert.equal((await check(id, 'token_endpoint')).status, 'unknown')
    assert.deepEqual(t.stubServer.requests, [])
  })

  it('fills the client ID if the spec uses it under another name', async () => {
    const id = await createAppWithTokenEndpoint(
      (body) => [400, { error: body.get('client_key') ? 'invalid_grant' : 'invalid_request' }],
      // biome-ignore lint/suspicious/noTemplateCurlyInString: placeholders of specs use this syntax
      { auth: { token_params: { client_key: '${client_id}' } } },
    )
    assert.equal((await check(id, 'client_credentials')).status, 'ok')
  })

  it('does not push an authorization request', async () => {
    const pushed_authorization_request_url = `${t.stubServer.url}/par`
    const id = await createAppWithTokenEndpoint(() => [400, { error: 'invalid_grant' }], {
      auth: { pushed_authorization_request_url },
    })
    t.stubServer.requests.length = 0
    assert.equal((await check(id, 'authorization_request')).status, 'unknown')
    assert.deepEqual(
      t.stubServer.requests.filter((request) => JSON.stringify(request).includes('/par')),
      [],
    )
    assert.equal(t.stubServer.requests.length, 1)
  })

  it('redirect_uri is failed if the provider reports a mismatch', async () => {
    for (const body of [
      { error: 'redirect_uri_mismatch' },
      { ok: false, error: 'bad_redirect_uri' },
      { error: 'invalid_redirect_uri' },
      { status: 'BAD_REDIRECT_URI', message: 'no' },
    ])
      assert.equal(
        (await check(await createAppWithTokenEndpoint(() => [400, body]), 'redirect_uri')).status,
        'failed',
      )
  })

  it("never returns the secret or the probe's code, even if the provider echoes them", async () => {
    const id = await createAppWithTokenEndpoint((body) => [
      400,
      {
        error: 'invalid_client',
        error_description: `wrong: ${body.get('client_secret')} ${encodeURIComponent(CANARY)}`,
      },
    ])
    const echoingApp = await createAppWithTokenEndpoint((body) => [
      400,
      { error: body.get('client_secret') },
    ])
    const tokens = await createAppWithTokenEndpoint(() => [
      200,
      { access_token: `${CANARY}-at`, refresh_token: CANARY },
    ])
    const texts = await Promise.all(
      [id, echoingApp, tokens].map(async (one) => (await diagnose(one)).text),
    )
    const audit = await selectAuditEntries(t.database.read).selectAll().execute()
    for (const each of [...texts, JSON.stringify(audit), t.logs.join('\n')])
      assert.doesNotMatch(String(each), new RegExp(CANARY))
  })

  it('404: for an app of another workspace, without sending a request', async () => {
    const { token } = await t.otherUser()
    const foreign = await registerOAuthApp(t, { token })
    for (const id of [foreign.integrationOAuthAppId, UNKNOWN_OAUTH_APP_ID, 'nonsense'])
      expectError(await diagnose(id), 'oauth_app_not_found')
  })

  it('400: rejects any field', async () => {
    expectError(await diagnose(UNKNOWN_OAUTH_APP_ID, { code: 'x' }), 'validation_failed')
  })

  itRequiresScope(() => t, 'POST', `/v1/integration_oauth/${UNKNOWN_OAUTH_APP_ID}/test`, {
    scope: 'apps:write',
  })
})
