import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createMiniBundle, MINI_SPEC } from '../../../test/mini-bundle.ts'
import { registerOAuthApp } from '../../../test/register-oauth-app.ts'
import { expectOk, type TestContext, testContext } from '../../../test/test-context.ts'
import {
  createMcpBundle,
  startAuthorizationServer,
} from '../../connect/oauth-flow/test/mcp-servers.ts'
import { type ConsoleVisitor, signIn } from '../test/console-visitor.ts'

const CANARY = 'canary-secret-77c1'

describe('/console/integrations/:integrationDefinitionId/oauth-app', () => {
  let t: TestContext
  let visitor: ConsoleVisitor
  let count = 0
  before(async () => {
    t = await testContext()
    visitor = await signIn(t)
  })
  after(() => t.close())

  /** The path of the wizard of a new integration, whose token endpoint responds with this. */
  const createWizard = async (response: object = { error: 'invalid_grant' }) => {
    const token_url = t.stubServer.serve(`/token/${++count}`, (_request, reply) =>
      reply.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify(response)),
    )
    const OAuth2 = {
      ...MINI_SPEC.auth_specification.OAuth2,
      token_url,
      default_scopes: ['read:all'],
    }
    const code = createMiniBundle({ auth_specification: { OAuth2 } })
    const { integrationDefinitionId } = await t.createDefinition({ code })
    return {
      integrationDefinitionId,
      path: `/console/integrations/${integrationDefinitionId}/oauth-app`,
    }
  }
  const listApps = async (id: string) =>
    (await t.call('GET', '/v1/integration_oauth')).body.filter(
      (app: { integrationDefinitionId: string }) => app.integrationDefinitionId === id,
    )
  const save = async (path: string, fields: Record<string, string>) => {
    await visitor.get(path)
    return visitor.post(`${path}/save`, fields)
  }

  it('asks for the issuer where the spec names no server, once', async (test) => {
    const as = await startAuthorizationServer(test)
    const { integrationDefinitionId } = await t.createDefinition({ code: createMcpBundle() })
    const path = `/console/integrations/${integrationDefinitionId}/oauth-app`
    assert.match((await visitor.get(path)).text, /name="issuer"/)
    const fields = { clientId: 'ours', scopesMode: 'add' }
    const wrong = await save(path, { ...fields, issuer: `${as.issuer}/other` })
    assert.equal(wrong.status, 422)
    assert.ok(wrong.text.includes(`value="${as.issuer}/other"`), wrong.visible)
    assert.equal((await save(path, { ...fields, issuer: as.issuer })).status, 303)
    const [app, ...others] = await listApps(integrationDefinitionId)
    assert.deepEqual([app.issuer, others.length], [as.issuer, 0])
    const stored = await visitor.get(path)
    assert.doesNotMatch(stored.text, /name="issuer"/)
    assert.ok(stored.visible.includes(`Issuer: ${as.issuer}`))
    const apps = `/console/integrations/${integrationDefinitionId}/oauth-apps`
    await visitor.get(apps)
    const second = await startAuthorizationServer(test)
    const added = { clientId: 'second', issuer: second.issuer }
    assert.equal((await visitor.post(`${apps}/add`, added)).status, 303)
    const issuers = (await listApps(integrationDefinitionId)).map(
      ({ issuer }: { issuer: string }) => issuer,
    )
    assert.deepEqual(issuers.sort(), [as.issuer, second.issuer].sort())
    const { path: plain } = await createWizard()
    assert.doesNotMatch((await visitor.get(plain)).text, /name="issuer"/)
  })

  it('shows the redirect URI, the permissions to allow, and where customers sign in', async () => {
    const { path } = await createWizard()
    const { text, visible } = await visitor.get(path)
    assert.match(text, /data-copy="http:\/\/localhost:3000\/api\/v1\/oauth\/callback"/)
    assert.match(visible, /Allow these permissions there: read:all/)
    assert.match(visible, /Customers sign in at provider\.example/)
    assert.match(visible, /3\. Check it Save the OAuth app first/)
  })

  it('creates the app once, and never shows the secret', async () => {
    const { path, integrationDefinitionId } = await createWizard()
    const fields = { clientId: ' client-1 ', clientSecret: CANARY, scopes: 'a\nb, c' }
    const saved = await save(path, fields)
    assert.deepEqual([saved.status, saved.location], [303, path])
    const [app] = await listApps(integrationDefinitionId)
    assert.deepEqual([app.clientId, app.scopes], ['client-1', ['a', 'b', 'c']])
    const { text, visible } = await visitor.follow()
    assert.doesNotMatch(text, new RegExp(CANARY))
    assert.match(visible, /A stored secret is never shown/)
  })

  it('changes only what was typed, and keeps the secret when its field is empty', async () => {
    const { path, integrationDefinitionId } = await createWizard({ error: 'invalid_client' })
    await registerOAuthApp(t, { integrationDefinitionId, clientSecret: CANARY, scopes: ['a'] })
    assert.equal((await save(path, { clientId: 'client-2' })).status, 303)
    const [app] = await listApps(integrationDefinitionId)
    assert.deepEqual([app.clientId, app.scopes], ['client-2', ['a']])
  })

  it('asks for the secret again when a host is added, and keeps what was typed', async () => {
    const { path, integrationDefinitionId } = await createWizard()
    await registerOAuthApp(t, { integrationDefinitionId, clientSecret: CANARY })
    const { status, visible, text } = await save(path, { allowedHosts: 'other.example' })
    assert.equal(status, 422)
    assert.match(visible, /Enter the client secret again together with this change/)
    assert.match(text, />other\.example<\/textarea>/)
  })

  it('says what is wrong with a field', async () => {
    const { path } = await createWizard()
    const empty = await save(path, { clientId: ' ' })
    assert.match(empty.visible, /Enter the client ID that the provider gave you/)
    const invalid = await save(path, { clientId: 'ünïcode', clientSecret: CANARY })
    assert.equal(invalid.status, 422)
    assert.match(invalid.text, /id="clientId"[^>]*aria-invalid="true"/)
    assert.doesNotMatch(invalid.text, new RegExp(CANARY))
  })

  it('adds or replaces the permissions of the integration, and lets links ask for others', async () => {
    const { path, integrationDefinitionId } = await createWizard()
    const fields = { clientId: 'c', scopes: 'read:all', optionalScopes: 'admin\nwrite:all' }
    await save(path, { ...fields, scopesMode: 'replace' })
    const [created] = await listApps(integrationDefinitionId)
    assert.deepEqual(
      [created.scopesMode, created.scopes, created.optionalScopes],
      ['replace', ['read:all'], ['admin', 'write:all']],
    )
    const { text } = await visitor.get(path)
    assert.match(text, /name="scopesMode" value="replace" checked/)
    assert.match(text, />admin\nwrite:all<\/textarea>/)
    await save(path, { ...fields, optionalScopes: '', scopesMode: 'add' })
    const [updated] = await listApps(integrationDefinitionId)
    assert.deepEqual([updated.scopesMode, updated.optionalScopes], ['add', []])
  })

  it('says at the field what the API says about permissions, and loses nothing that was entered', async () => {
    const { path, integrationDefinitionId } = await createWizard()
    const fields = { clientId: 'c', scopes: 'fine', scopesMode: 'replace', optionalScopes: 'a"b' }
    const { status, text } = await save(path, fields)
    assert.equal(status, 422)
    assert.match(text, /id="optionalScopes"[^>]*aria-invalid="true"[^>]*>a&#34;b<\/textarea>/)
    assert.match(text, /id="optionalScopes-error">.+a&#34;b: Must match/s)
    assert.match(text, /<details class="help" open>/)
    assert.match(text, /name="scopesMode" value="replace" checked/)
    assert.match(text, />fine<\/textarea>/)
    const mode = await save(path, { ...fields, optionalScopes: '', scopesMode: 'drop' })
    assert.equal(mode.status, 422)
    assert.match(mode.text, /id="scopesMode-error"/)
    assert.deepEqual(await listApps(integrationDefinitionId), [])
  })

  it('shows twenty of many permissions, and opens the others', async () => {
    const default_scopes = Array.from({ length: 300 }, (_, index) => `scope-${index}.read`)
    const OAuth2 = { ...MINI_SPEC.auth_specification.OAuth2, default_scopes }
    const code = createMiniBundle({ auth_specification: { OAuth2 } })
    const { integrationDefinitionId } = await t.createDefinition({ code })
    const { text } = await visitor.get(`/console/integrations/${integrationDefinitionId}/oauth-app`)
    const [shown = '', folded = ''] = text.split('<details class="help more-items">')
    assert.equal(shown.match(/scope-\d+\.read/g)?.length, 20)
    assert.match(folded, /^<summary>Show 280 more<\/summary>/)
    assert.equal(folded.match(/scope-\d+\.read/g)?.length, 280)
  })

  it('explains the six checks, each with what to do', async () => {
    const { path, integrationDefinitionId } = await createWizard({ error: 'invalid_client' })
    await registerOAuthApp(t, { integrationDefinitionId, clientSecret: CANARY })
    await visitor.get(path)
    const { text, visible } = await visitor.post(`${path}/check`)
    assert.match(text, /<ul class="rows" aria-label="3. Check it" tabindex="-1" autofocus>/)
    assert.match(visible, /Redirect URI Look at this/)
    assert.match(visible, /Token endpoint Good/)
    assert.match(visible, /Client ID and secret Failed .*Copy the client ID and the secret again/)
    assert.match(visible, /Permissions Good/)
    assert.match(visible, /Lasting access Look at this/)
    assert.match(visible, /Authorization request Good/)
  })

  it('creates a page for a real sign-in', async () => {
    const { path, integrationDefinitionId } = await createWizard()
    await registerOAuthApp(t, { integrationDefinitionId })
    await visitor.get(path)
    const { text, visible } = await visitor.post(`${path}/sign-in`)
    assert.match(visible, /Sign in with an account of yours/)
    assert.match(text, /href="http:\/\/localhost:3000\/connect\/cnt_/)
  })

  it('shows the connection that a real sign-in has made', async () => {
    const { path, integrationDefinitionId } = await createWizard()
    await registerOAuthApp(t, { integrationDefinitionId })
    assert.doesNotMatch((await visitor.get(path)).visible, /Connected in this way/)
    const body = {
      integrationDefinitionId,
      integrationAccountName: 'Mine',
      accountIdentifier: 'console-test',
      authType: 'OAuth2',
      externalId: 'ada',
      tokens: { refreshToken: CANARY },
    }
    expectOk(await t.call('POST', '/v1/integration_account/import', { body }))
    assert.match((await visitor.get(path)).visible, /Connected in this way: Mine /)
  })

  it('shows optional fields at once only if one is filled', async () => {
    const { path, integrationDefinitionId } = await createWizard()
    assert.match((await visitor.get(path)).text, /<details class="help"><summary>Name/)
    await registerOAuthApp(t, { integrationDefinitionId, scopes: ['a'] })
    assert.match((await visitor.get(path)).text, /<details class="help" open><summary>Name/)
  })

  it('deletes the app', async () => {
    const { path, integrationDefinitionId } = await createWizard()
    await registerOAuthApp(t, { integrationDefinitionId })
    await visitor.get(path)
    assert.equal((await visitor.post(`${path}/delete`)).status, 303)
    assert.deepEqual(await listApps(integrationDefinitionId), [])
  })

  it('says when an integration needs no OAuth app', async () => {
    const { integrationDefinitionId } = await t.createDefinition({
      code: createMiniBundle({
        auth_specification: { 'Api Key': MINI_SPEC.auth_specification['Api Key'] },
      }),
    })
    const { visible } = await visitor.get(
      `/console/integrations/${integrationDefinitionId}/oauth-app`,
    )
    assert.match(visible, /it needs no OAuth app/)
  })
})
