// biome-ignore-all lint/suspicious/noTemplateCurlyInString: templates of specs use this syntax
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { loadCatalogue } from '@linchpin/catalogue'
import { createMiniBundle } from '../../../../test/mini-bundle.ts'
import { describePostgres } from '../../../../test/postgres.ts'
import { registerOAuthApp } from '../../../../test/register-oauth-app.ts'
import { expectOk } from '../../../../test/test-context.ts'
import {
  type RefreshTestContext,
  startRefreshTestContext,
} from '../../../accounts/accounts/token-refresh/test/refresh-test-context.ts'
import { createCatalogueStore } from '../../../integrations/catalogue/catalogue-store.ts'
import { listBundledIntegrations } from '../../../integrations/catalogue/offered-integration.ts'
import { syncCatalogue } from '../../../integrations/catalogue/sync-catalogue.ts'
import { createBundleStore } from '../../../integrations/definitions/bundle-store.ts'
import { createLog } from '../../../platform/http/log.ts'
import { createPoozleReplica, type PoozleReplica } from '../../poozle-import/test/poozle-replica.ts'
import { runImportPoozle } from './test/run-import-poozle.ts'

const input_specification = {
  type: 'object',
  properties: { email_id: { type: 'string' }, api_key: { type: 'string' } },
}

/** The spec of a bundle as Poozle has published them: without a base URL and hosts. */
const JIRA_SPEC = {
  auth_specification: {
    'Api Key': {
      input_specification,
      headers: { Authorization: 'Bearer ${api_key}' },
      'x-headers': 'complete',
    },
    OAuth2: {
      input_specification: { type: 'object', properties: { client_id: { type: 'string' } } },
      authorization_url: 'https://auth.atlassian.com/authorize',
      token_url: 'https://auth.atlassian.com/oauth/token',
    },
  },
  other_inputs: {
    input_specification: { type: 'object', properties: { jira_domain: { type: 'string' } } },
  },
}

describePostgres('import poozle (bundles that Poozle has published)', (server) => {
  let context: RefreshTestContext
  let poozle: PoozleReplica
  before(async () => {
    context = await startRefreshTestContext()
    poozle = await createPoozleReplica(await server().createDatabase('published'))
    const { database } = context.t
    await syncCatalogue(
      {
        database,
        bundles: createBundleStore(database),
        catalogue: createCatalogueStore(database),
        log: createLog('silent'),
        now: Date.now,
      },
      listBundledIntegrations(await loadCatalogue()),
    )
  })
  after(async () => {
    await poozle.close()
    await context.close()
  })

  const insertDefinition = (key: string, name: string) =>
    poozle.insert('IntegrationDefinition', 'integrationDefinitionId', {
      key,
      name,
      sourceUrl: context.t.stubServer.bundle(createMiniBundle(JIRA_SPEC)),
      integrationType: 'TICKETING',
      workspaceId: poozle.workspaceId,
    })
  const insertAccount = (
    integrationDefinitionId: string,
    authType: string,
    integrationConfiguration: object,
  ) =>
    poozle.insert('IntegrationAccount', 'integrationAccountId', {
      integrationDefinitionId,
      authType,
      integrationConfiguration,
      integrationAccountName: 'Customer',
      workspaceId: poozle.workspaceId,
    })
  const getAccount = (id: string | undefined) =>
    context.t.call('GET', `/v1/integration_account/${id}`)

  it('become accounts of the catalogue with --map, under its auth types and fields', async () => {
    const { provider } = context
    const jira = await insertDefinition('jira', 'Jira')
    const github = await insertDefinition('github', 'GitHub')
    const slack = await insertDefinition('slack', 'Slack')
    await registerOAuthApp(context.t, { integrationDefinitionId: 'jira', clientId: 'c' })
    const keyed = await insertAccount(jira, 'Api Key', {
      email_id: 'a@acme.example',
      api_key: 'a-jira-key',
      jira_domain: 'acme.atlassian.net',
    })
    const signedIn = await insertAccount(jira, 'OAuth2', {
      jira_domain: 'acme.atlassian.net',
      client_id: 'c',
      client_secret: 's',
      refresh_token: provider.newFamily().refreshToken,
    })
    const withoutRefresh = await insertAccount(github, 'Api Key', { api_key: 'gho_x', org: 'acme' })
    const bot = await insertAccount(slack, 'Token', { token: 'xoxb-1' })
    const elsewhere = await insertAccount(jira, 'Api Key', {
      email_id: 'a@acme.example',
      api_key: 'k',
      jira_domain: 'jira.acme.example',
    })
    const map = ['jira=jira', 'github=github', 'slack=slack'].flatMap((one) => ['--map', one])
    for (const args of [map, [...map, '--apply']]) {
      const { rows, text } = await runImportPoozle(context, poozle, args)
      const find = (id: string) => rows.find((one) => one.id === id)
      const outcome = args.includes('--apply') ? 'imported' : 'would_import'
      for (const id of [keyed, signedIn, withoutRefresh, bot])
        assert.equal(find(id)?.outcome, outcome, text)
      assert.equal(find(elsewhere)?.reason, 'validation_failed config.site')
      assert.equal(find(withoutRefresh)?.warning, 'unused: org')
      assert.equal(find(signedIn)?.warning, 'unused: jira_domain')
      if (outcome === 'would_import') continue
      const read = async (id: string) => {
        const account = expectOk(await getAccount(find(id)?.newId))
        return [account.authType, await context.config(account.integrationAccountId)]
      }
      const config = { email: 'a@acme.example', api_token: 'a-jira-key', site: 'acme' }
      assert.deepEqual(await read(keyed), ['API Token', config])
      assert.deepEqual(await read(withoutRefresh), ['Token', { token: 'gho_x' }])
      assert.deepEqual(await read(bot), ['Bot Token', { bot_token: 'xoxb-1' }])
      assert.equal((await read(signedIn))[0], 'OAuth2')
    }
  })

  it('get the base URLs and hosts of the catalogue, without which the proxy sends nothing', async () => {
    const known = await insertDefinition('jira', 'Jira of ours')
    const unknown = await insertDefinition('wave', 'Wave')
    const { rows, text } = await runImportPoozle(context, poozle, ['--apply'])
    const find = (id: string) => rows.find((one) => one.id === id)
    assert.equal(find(known)?.outcome, 'imported', text)
    assert.equal(find(known)?.warning, undefined)
    assert.match(find(unknown)?.warning ?? '', /proxy cannot send requests for Api Key, OAuth2/)
    const keyed = { api_key: 'k', email_id: 'a@acme.example', jira_domain: 'jira.acme.example' }
    const ids = [
      await insertAccount(known, 'Api Key', keyed),
      await insertAccount(unknown, 'Api Key', keyed),
    ]
    const accounts = await runImportPoozle(context, poozle, ['--apply'])
    const [sent, unavailable] = await Promise.all(
      ids.map((id) => {
        const accountId = accounts.rows.find((one) => one.id === id)?.newId
        const body = { method: 'GET', path: '/rest/api/3/myself' }
        return context.t.call('POST', `/v1/integration_account/${accountId}/proxy`, { body })
      }),
    )
    // The host does not exist, so the request was sent.
    assert.equal(sent?.body.error, 'provider_error')
    assert.equal(unavailable?.body.error, 'proxy_unavailable')
    const path = `/v1/integration_definition/${find(known)?.newId}/spec`
    const spec = expectOk(await context.t.call('GET', path))
    assert.equal(spec.auth_specification['Api Key'].api_base_url, 'https://${jira_domain}')
    assert.equal(spec.auth_specification.OAuth2.api_base_url, 'https://api.atlassian.com')
    assert.ok(spec['x-hosts'].includes('*.atlassian.net'))
  })
})
