import { randomBytes } from 'node:crypto'
import { createMiniBundle, MINI_SPEC } from '../../../../test/mini-bundle.ts'
import { registerOAuthApp } from '../../../../test/register-oauth-app.ts'
import { expectCreated, expectOk } from '../../../../test/test-context.ts'
import {
  getReturnParams,
  type StubProviderContext,
} from '../../../connect/oauth-flow/test/stub-provider-context.ts'

/** A request that succeeds. */
export interface SampleRequest {
  readonly path: string
  readonly body?: unknown
}

type CreateSample = (t: StubProviderContext) => Promise<SampleRequest>

const ACCOUNT = '/v1/integration_account'
const DEFINITION = '/v1/integration_definition'
const APP = '/v1/integration_oauth'
const WEBHOOK = '/v1/webhook_endpoint'
const WEBHOOK_URL = 'http://127.0.0.1:9/hooks'
const credentials = { authType: 'Api Key', config: { api_key: 'key_that_works' } }

let count = 0
const createBundle = () => createMiniBundle({ ...MINI_SPEC, version: `1.${++count}.0` })
const newDefinition = async (t: StubProviderContext) =>
  (await t.createDefinition({ code: createBundle() })).integrationDefinitionId ?? ''
const newAccount = async (t: StubProviderContext) =>
  (await t.createAccount(await newDefinition(t))).integrationAccountId
const newWebhookEndpoint = async (t: StubProviderContext) => {
  const created = await t.call('POST', WEBHOOK, { body: { url: WEBHOOK_URL } })
  return `${WEBHOOK}/${expectCreated(created).webhookEndpointId}`
}
const upgrade = (t: StubProviderContext) => ({ sourceUrl: t.stubServer.bundle(createBundle()) })

/**
 * For each operation that creates or changes something by POST, a request that succeeds once; its resource is new each
 * time. A new operation needs a row.
 */
export const KEYED_REQUESTS: Readonly<Record<string, CreateSample>> = {
  createUser: async () => ({ path: '/v1/user', body: { email: `user-${++count}@example.com` } }),
  createToken: async () => ({ path: '/v1/user/token', body: { name: 'CI', scopes: ['read'] } }),
  createWorkspace: async () => ({ path: '/v1/workspace', body: {} }),
  updateWorkspace: async (t) => ({
    path: `/v1/workspace/${t.workspaceId}`,
    body: { name: `North ${++count}` },
  }),
  createConnectSession: async (t) => {
    const link = expectCreated(
      await t.call('POST', '/v1/link', { body: { linkName: 'Customers' } }),
    )
    return { path: '/v1/connect_session', body: { linkId: link.linkId } }
  },
  createLink: async () => ({ path: '/v1/link', body: { linkName: 'Customers' } }),
  updateLink: async (t) => {
    const body = { linkName: 'Customers' }
    const { linkId } = expectCreated(await t.call('POST', '/v1/link', { body }))
    return { path: `/v1/link/${linkId}`, body: { linkName: `North ${++count}` } }
  },
  createDefinition: async (t) => ({
    path: DEFINITION,
    body: {
      name: `Keyed ${++count}`,
      integrationType: 'TICKETING',
      sourceUrl: t.stubServer.bundle(createBundle()),
    },
  }),
  upgradeDefinition: async (t) => ({
    path: `${DEFINITION}/${await newDefinition(t)}`,
    body: upgrade(t),
  }),
  rollbackDefinition: async (t) => {
    const path = `${DEFINITION}/${await newDefinition(t)}`
    expectOk(await t.call('POST', path, { body: upgrade(t) }))
    return { path: `${path}/rollback` }
  },
  setDefinitionIcon: async (t) => ({
    path: `${DEFINITION}/${await newDefinition(t)}/icon`,
    body: { icon: null },
  }),
  previewDefinition: async (t) => ({
    path: `${DEFINITION}/${await newDefinition(t)}/preview`,
    body: upgrade(t),
  }),
  createAccount: async (t) => ({
    path: ACCOUNT,
    body: {
      integrationDefinitionId: await newDefinition(t),
      integrationAccountName: 'An account',
      ...credentials,
    },
  }),
  createAccountThroughLink: async (t) => {
    const integrationDefinitionId = await newDefinition(t)
    const link = { linkName: 'Customers', integrationDefinitionId, maxAccounts: 1 }
    const { linkId } = expectCreated(await t.call('POST', '/v1/link', { body: link }))
    const body = { integrationDefinitionId, integrationAccountName: 'An account', ...credentials }
    return { path: `${ACCOUNT}/link/${linkId}`, body }
  },
  updateAccount: async (t) => ({
    path: `${ACCOUNT}/${await newAccount(t)}`,
    body: { integrationAccountName: 'New name', config: { api_key: 'another_key' } },
  }),
  importAccount: async (t) => ({
    path: `${ACCOUNT}/import`,
    body: {
      integrationDefinitionId: await newDefinition(t),
      integrationAccountName: 'Imported',
      externalId: `nango:desk/customer-${++count}`,
      ...credentials,
    },
  }),
  createOAuthApp: async (t) => ({
    path: APP,
    body: {
      integrationDefinitionId: await newDefinition(t),
      clientId: 'client',
      clientSecret: 'a-secret',
      scopes: ['read'],
    },
  }),
  updateOAuthApp: async (t) => {
    const integrationDefinitionId = await newDefinition(t)
    const app = await registerOAuthApp(t, { integrationDefinitionId })
    return { path: `${APP}/${app.integrationOAuthAppId}`, body: { clientId: 'another' } }
  },
  startOAuth: async (t) => ({
    path: '/v1/oauth',
    body: {
      integrationDefinitionId: t.definitionId,
      integrationAccountName: 'An account',
      confirm: false,
    },
  }),
  createWebhookEndpoint: async () => ({ path: WEBHOOK, body: { url: WEBHOOK_URL } }),
  updateWebhookEndpoint: async (t) => ({
    path: await newWebhookEndpoint(t),
    body: { description: 'Orders' },
  }),
  rotateWebhookSecret: async (t) => ({ path: `${await newWebhookEndpoint(t)}/rotate`, body: {} }),
  replayWebhookEvents: async (t) => ({
    path: `${await newWebhookEndpoint(t)}/replay`,
    body: { failed: true },
  }),
  confirmOAuth: async (t) => {
    const { confirmToken } = getReturnParams(await t.completeFlow({ confirm: true }))
    return { path: '/v1/oauth/confirm', body: { confirmToken } }
  },
  confirmConnectSession: async (t) => {
    const { confirmToken } = getReturnParams(await t.completeFlow({ confirm: true }))
    const connectSessionId = await moveToConnectSession(t)
    return { path: `/v1/connect_session/${connectSessionId}/confirm`, body: { confirmToken } }
  },
}

/** Operations that ignore the header: they change nothing, or a repeated request continues the first. */
export const KEYLESS_REQUESTS: Readonly<Record<string, CreateSample>> = {
  checkAccount: async (t) => ({
    path: `${ACCOUNT}/check`,
    body: { integrationDefinitionId: await newDefinition(t), ...credentials },
  }),
  eraseCustomer: async () => ({ path: '/v1/erasure', body: { accountIdentifier: 'customer-1' } }),
  testWebhookEndpoint: async (t) => ({ path: `${await newWebhookEndpoint(t)}/test`, body: {} }),
  testOAuthApp: async (t) => ({ path: `${APP}/${t.appId}/test` }),
}

/** Makes the last OAuth session one that was started on the page of a connect session. */
async function moveToConnectSession(t: StubProviderContext): Promise<string> {
  const link = { linkName: 'Customers' }
  const { linkId } = expectCreated(await t.call('POST', '/v1/link', { body: link }))
  const session = expectCreated(await t.call('POST', '/v1/connect_session', { body: { linkId } }))
  const { connectSessionId, workspaceId } = session
  await t.database.transaction(async (trx) => {
    const { attempt_id, definition_id } = await trx
      .selectFrom('oauth_attempts')
      .select(['attempt_id', 'definition_id'])
      .orderBy('created_at', 'desc')
      .orderBy('attempt_id', 'desc')
      .executeTakeFirstOrThrow()
    await trx
      .updateTable('oauth_attempts')
      .set({ token_id: null, link_id: linkId })
      .where('attempt_id', '=', attempt_id)
      .execute()
    await trx
      .insertInto('visit_attempts')
      .values({
        attempt_id: randomBytes(16).toString('base64url'),
        visit_hash: randomBytes(32),
        link_id: linkId,
        connect_session_id: connectSessionId,
        workspace_id: workspaceId,
        definition_id,
        auth_type: 'OAuth2',
        kind: 'sign_in',
        oauth_attempt_id: attempt_id,
        window: 'page',
        return_query: '',
        state: 'connected',
        created_at: 1,
        expires_at: 2,
      })
      .execute()
  })
  return connectSessionId
}
