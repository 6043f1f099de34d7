import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { itRequiresScope } from '../../../test/it-requires-scope.ts'
import { createMiniBundle, MINI_SPEC } from '../../../test/mini-bundle.ts'
import { OAUTH_APP_KEYS, registerOAuthApp } from '../../../test/register-oauth-app.ts'
import {
  countRows,
  databaseBytes,
  expectCreated,
  expectError,
  expectKeys,
  expectOk,
  ISO_TIMESTAMP,
  listAuditActions,
  type TestContext,
  testContext,
} from '../../../test/test-context.ts'
import { selectAuditEntries } from '../../platform/storage/audit-inbox.ts'
import type { OAuthAppId } from './oauth-app.ts'

const CANARY = 'canary-7f3a9c-client-secret'

describe('POST /v1/integration_oauth', () => {
  let t: TestContext
  before(async () => {
    t = await testContext()
  })
  after(() => t.close())

  const post = (body: unknown, token = t.token) =>
    t.call('POST', '/v1/integration_oauth', { body, token })
  const createOAuthDefinition = async (appFields = {}) =>
    (await t.createDefinition(appFields)).integrationDefinitionId

  it('201: returns exactly the fields of the app, without the secret', async () => {
    const integrationDefinitionId = await createOAuthDefinition()
    const appFields = {
      integrationDefinitionId,
      integrationOAuthAppName: 'Acme Books',
      clientId: 'acme-books',
      scopes: ['read', 'https://www.provider.example/auth/x.y'],
    }
    const app = expectCreated(await post({ ...appFields, clientSecret: CANARY }))
    expectKeys(app, OAUTH_APP_KEYS)
    const { integrationOAuthAppId, createdAt, updatedAt, ...rest } = app
    assert.match(integrationOAuthAppId, /^oap_[0-9a-z]{26}$/)
    assert.match(createdAt, ISO_TIMESTAMP)
    assert.equal(updatedAt, createdAt)
    const unset = {
      scopesMode: 'add',
      optionalScopes: [],
      redirectName: null,
      allowedHosts: [],
      failingSince: null,
      isDefault: true,
      accountIdentifier: null,
      successorId: null,
      kind: 'registered',
      issuer: null,
      accounts: 0,
    }
    assert.deepEqual(rest, { ...appFields, ...unset, workspaceId: t.workspaceId })
    assert.deepEqual(await listAuditActions(t, integrationOAuthAppId), ['oauth_app.created'])
  })

  it('201: defaults to the name of the definition, no scopes and no secret', async () => {
    const registered = await t.createDefinition({ name: 'Widgets' })
    const app = await registerOAuthApp(t, {
      integrationDefinitionId: registered.integrationDefinitionId,
      clientSecret: null,
      scopes: null,
      integrationOAuthAppName: null,
      workspaceId: null,
    })
    assert.deepEqual([app.integrationOAuthAppName, app.scopes], ['Widgets', []])
    const row = await t.database.read
      .selectFrom('oauth_apps')
      .select('sealed_secret')
      .where('oauth_app_id', '=', app.integrationOAuthAppId as OAuthAppId)
      .executeTakeFirstOrThrow()
    assert.equal(row.sealed_secret, null)
  })

  it('encrypts the secret: it is in no response, log line, audit event or database page', async () => {
    const secret = `${CANARY}-everywhere`
    const registered = await post({
      integrationDefinitionId: await createOAuthDefinition(),
      clientId: 'quiet',
      clientSecret: secret,
    })
    const id = expectCreated(registered).integrationOAuthAppId
    const texts = [registered.text]
    for (const [method, path, body] of [
      ['POST', `/v1/integration_oauth/${id}`, { clientSecret: `${secret}-2` }],
      ['POST', `/v1/integration_oauth/${id}`, { clientSecret: `${secret} \n` }],
      ['GET', `/v1/integration_oauth/${id}`, undefined],
      ['GET', '/v1/integration_oauth', undefined],
      ['GET', '/v1/integration_oauth/just_ids', undefined],
      ['DELETE', `/v1/integration_oauth/${id}`, undefined],
    ] as const)
      texts.push((await t.call(method, path, { body })).text)
    const audit = await selectAuditEntries(t.database.read).selectAll().execute()
    texts.push(JSON.stringify(audit), t.logs.join('\n'))
    for (const text of texts) assert.doesNotMatch(text, new RegExp(CANARY))
    assert.equal((await databaseBytes(t)).includes(CANARY), false)
  })

  it('409: allows one default app per definition and workspace, also for concurrent requests', async () => {
    const integrationDefinitionId = await createOAuthDefinition()
    const body = { integrationDefinitionId, clientId: 'one' }
    const responses = await Promise.all([post(body), post(body), post(body)])
    assert.deepEqual(responses.map(({ status }) => status).sort(), [201, 409, 409])
    const { errors } = expectError(await post(body), 'already_exists')
    assert.deepEqual(Object.keys(errors), ['integrationDefinitionId'])
  })

  it('403: the same error for a foreign workspace and one that does not exist', async () => {
    const { workspaceId } = await t.otherUser()
    const body = { integrationDefinitionId: await createOAuthDefinition(), clientId: 'x' }
    for (const id of [workspaceId, 'wsp_00000000000000000000000000', 'nonsense'])
      expectError(await post({ ...body, workspaceId: id }), 'workspace_not_accessible')
  })

  it('400: the same error for the definition of another workspace, a deleted one and one that does not exist', async () => {
    const { token } = await t.otherUser()
    const deleted = await createOAuthDefinition()
    expectOk(await t.call('DELETE', `/v1/integration_definition/${deleted}`))
    const second = expectCreated(await t.call('POST', '/v1/workspace', {})).workspaceId
    const before = await countRows(t, 'oauth_apps')
    const distinctErrors = new Set<string>()
    for (const id of [
      await createOAuthDefinition({ token }),
      await createOAuthDefinition({ workspaceId: second }),
      deleted,
      'def_01m7yye6z6e6m8f814qshnwdjc',
      'nonsense',
    ]) {
      const response = await post({ integrationDefinitionId: id, clientId: 'x' })
      const { timestamp: _, ...errorBody } = expectError(response, 'unknown_reference')
      distinctErrors.add(JSON.stringify(errorBody))
    }
    assert.equal(distinctErrors.size, 1)
    assert.equal(await countRows(t, 'oauth_apps'), before)
  })

  it('400: rejects a definition without an OAuth type', async () => {
    const { OAuth2, ...others } = MINI_SPEC.auth_specification
    const { token_url: _, ...withoutTokenUrl } = OAuth2
    for (const auth_specification of [others, { ...others, OAuth2: withoutTokenUrl }]) {
      const code = createMiniBundle({ auth_specification })
      const body = { integrationDefinitionId: await createOAuthDefinition({ code }), clientId: 'x' }
      const { errors } = expectError(await post(body), 'auth_type_not_allowed')
      assert.deepEqual(Object.keys(errors), ['integrationDefinitionId'])
    }
  })

  it('201 and 400: a redirect name where the provider assigns one, and nowhere else', async () => {
    const plain = await createOAuthDefinition()
    const { OAuth2 } = MINI_SPEC.auth_specification
    const named = { OAuth2: { ...OAuth2, 'x-redirect-name': 'RuName' } }
    const code = createMiniBundle({ auth_specification: named })
    const integrationDefinitionId = await createOAuthDefinition({ code })
    const body = { integrationDefinitionId, clientId: 'x' }
    const missing = expectError(await post(body), 'validation_failed')
    assert.deepEqual(Object.keys(missing.errors), ['redirectName'])
    assert.match(missing.message, /expects its RuName in place of the redirect URI/)
    const app = expectCreated(await post({ ...body, redirectName: 'Acme-Books-x' }))
    assert.equal(app.redirectName, 'Acme-Books-x')
    const wrong = { integrationDefinitionId: plain, clientId: 'x', redirectName: 'y' }
    const refused = expectError(await post(wrong), 'validation_failed')
    assert.deepEqual(Object.keys(refused.errors), ['redirectName'])

    const update = (id: string, change: object) =>
      t.call('POST', `/v1/integration_oauth/${id}`, { body: change })
    const id = app.integrationOAuthAppId ?? ''
    assert.equal(expectOk(await update(id, { redirectName: 'z' })).redirectName, 'z')
    assert.equal(expectOk(await update(id, { clientId: 'y' })).redirectName, 'z')
    const other = await registerOAuthApp(t, { integrationDefinitionId: plain })
    expectError(
      await update(other.integrationOAuthAppId ?? '', { redirectName: 'z' }),
      'validation_failed',
    )
  })

  describe('refusals', () => {
    itRequiresScope(() => t, 'POST', '/v1/integration_oauth', { scope: 'apps:write', body: {} })

    it('400: lists all missing and unknown fields', async () => {
      const { errors } = expectError(await post({ secret: 'x' }), 'validation_failed')
      assert.deepEqual(Object.keys(errors).sort(), [
        'clientId',
        'integrationDefinitionId',
        'secret',
      ])
    })

    for (const [field, values] of Object.entries({
      integrationDefinitionId: ['', 7, null, 'x'.repeat(256)],
      clientId: ['', 7, null, ' x', 'x ', 'a\nb', 'é', 'x'.repeat(1_025)],
      clientSecret: ['', 7, ' x', 'x\n', 'a\tb', 'é', 'x'.repeat(8_193)],
      redirectName: ['', 7, ' x', 'a\nb', 'x'.repeat(1_025)],
      integrationOAuthAppName: ['', ' ', 7, 'x'.repeat(201)],
      scopes: ['read', ['a', 'a'], ['a b'], [''], ['"'], ['\\'], [7], Array(201).fill('x')],
      allowedHosts: [
        'a.example',
        ['a.example', 'a.example'],
        [''],
        ['*'],
        ['*.com'],
        ['a.*.example'],
        ['https://a.example'],
        ['a.example/path'],
        ['a.example:8443'],
        ['a..example'],
        ['a.example.'],
        [7],
        [`${'a'.repeat(250)}.com`],
        Array.from({ length: 101 }, (_, index) => `h${index}.example`),
      ],
    }))
      it(`400: ${field} must be well-formed`, async () => {
        const validBody = { integrationDefinitionId: await createOAuthDefinition(), clientId: 'x' }
        for (const value of values) {
          const { errors } = expectError(
            await post({ ...validBody, [field]: value }),
            'validation_failed',
          )
          assert.ok(
            Object.keys(errors).every((key) => key.split('.', 1)[0] === field),
            JSON.stringify(errors),
          )
        }
      })
  })
})
