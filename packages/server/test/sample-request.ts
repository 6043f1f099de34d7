import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import type { Entry } from '@linchpin/kit/entry'
import { insertApproval } from '../src/accounts/agents/test/insert-approval.ts'
import { insertSignInRequest } from '../src/accounts/agents/test/insert-sign-in-request.ts'
import {
  closeWith,
  connectMcpAccount,
  createToolBox,
  serveToolBox,
} from '../src/accounts/mcp-client/test/mcp-account.ts'
import {
  getReturnParams,
  type StubProviderContext,
} from '../src/connect/oauth-flow/test/stub-provider-context.ts'
import { createCatalogueStore } from '../src/integrations/catalogue/catalogue-store.ts'
import {
  getCatalogueDefinitionId,
  listBundledIntegrations,
} from '../src/integrations/catalogue/offered-integration.ts'
import { syncCatalogue } from '../src/integrations/catalogue/sync-catalogue.ts'
import { createBundleStore } from '../src/integrations/definitions/bundle-store.ts'
import { createLog } from '../src/platform/http/log.ts'
import { createSampleRows } from '../src/platform/storage/test/sample-rows.ts'
import { readApiOperations } from './api-operations.ts'
import { createMiniBundle, MINI_SPEC } from './mini-bundle.ts'
import { registerOAuthApp } from './register-oauth-app.ts'
import { buildEntryVersion, createSmallCatalogue } from './small-catalogue.ts'
import { expectCreated, expectOk } from './test-context.ts'

/** A request that succeeds. */
export interface SampleRequest {
  readonly method: string
  readonly path: string
  readonly body: Readonly<Record<string, unknown>> | undefined
}

/**
 * A request of an operation that succeeds once; its resource is new each time. Its body is the example in the OpenAPI
 * document, with values that exist here. An operation whose example cannot succeed as it is has a row in `ADJUSTMENTS`.
 */
export async function createSampleRequest(
  t: StubProviderContext,
  operationId: string,
): Promise<SampleRequest> {
  const operation = readApiOperations(t.app).find((one) => one.operationId === operationId)
  assert.ok(operation, `the document has no ${operationId}`)
  const { method, body: schema, requiredQuery } = operation
  const adjusted = (await ADJUSTMENTS[operationId]?.(t)) ?? {}
  let { path } = operation
  for (const [placeholder, name = ''] of path.matchAll(/\{(\w+)\}/g))
    path = path.replace(placeholder, String(adjusted[name] ?? (await createValue(t, name))))
  const query = new URLSearchParams()
  for (const name of requiredQuery) query.set(name, String(await createValue(t, name)))
  if (query.size > 0) path += `?${query}`
  return { method, path, body: schema && (adjusted.body ?? (await createBody(t, schema.examples))) }
}

async function createBody(
  t: StubProviderContext,
  [example = {}]: readonly Readonly<Record<string, unknown>>[] = [],
): Promise<Readonly<Record<string, unknown>>> {
  const body: Record<string, unknown> = { ...example }
  for (const name of Object.keys(example))
    if (VALUES[name] !== undefined) body[name] = await createValue(t, name)
  return body
}

async function createValue(t: StubProviderContext, name: string): Promise<unknown> {
  const create = VALUES[name]
  assert.ok(create, `no value for ${name}: add one to VALUES`)
  return create(t)
}

let count = 0
const createBundle = () => createMiniBundle({ ...MINI_SPEC, version: `1.${++count}.0` })
const createSourceUrl = (t: StubProviderContext) => t.stubServer.bundle(createBundle())
const createDefinition = async (t: StubProviderContext) =>
  (await t.createDefinition({ code: createBundle() })).integrationDefinitionId

async function create(t: StubProviderContext, path: string, body: object) {
  return expectCreated(await t.call('POST', path, { body }))
}

const createLink = async (t: StubProviderContext) =>
  (await create(t, '/v1/link', { linkName: 'Customers', maxAccounts: 1 })).linkId

/** Parameters and fields that must exist, be new, or be accepted by the stub server, by name. */
const VALUES: Readonly<Record<string, (t: StubProviderContext) => unknown>> = {
  metrics: () => 'connects',
  integrationDefinitionId: createDefinition,
  integrationAccountId: async (t) =>
    (await t.createAccount(await createDefinition(t))).integrationAccountId,
  integrationOAuthAppId: async (t) => {
    const integrationDefinitionId = await createDefinition(t)
    return (await registerOAuthApp(t, { integrationDefinitionId })).integrationOAuthAppId
  },
  linkId: createLink,
  agentSessionId: async (t) => {
    const accounts = { integrationAccountIds: [await createValue(t, 'integrationAccountId')] }
    return (await create(t, '/v1/agent_session', accounts)).agentSessionId
  },
  agentApprovalId: (t) => insertApproval(t, { workspaceId: t.workspaceId }),
  signInRequestId: (t) => insertSignInRequest(t, { workspaceId: t.workspaceId }),
  connectSessionId: async (t) =>
    (await create(t, '/v1/connect_session', { linkId: await createLink(t) })).connectSessionId,
  webhookEndpointId: async (t) =>
    (await create(t, '/v1/webhook_endpoint', { url: WEBHOOK_URL })).webhookEndpointId,
  eventId: async (t) => findEventId(t, await createLink(t)),
  requestLogId: async (t) => {
    const row = { ...createSampleRows(Date.now()).request_log, workspace_id: t.workspaceId }
    await t.database.transaction((trx) => trx.insertInto('request_log').values(row).execute())
    return row.request_log_id
  },
  bulkJobId: async (t) => {
    const row = { ...createSampleRows(Date.now()).bulk_jobs, workspace_id: t.workspaceId }
    const finished = { ...row, alive_until: null, finished_at: Date.now() }
    await t.database.transaction((trx) => trx.insertInto('bulk_jobs').values(finished).execute())
    return row.bulk_job_id
  },
  memberId: async (t) => {
    const email = `user-${++count}@example.com`
    const body = { email, role: 'viewer' }
    return expectOk(await t.call('POST', '/v1/member', { body })).memberId
  },
  tokenId: async (t) => (await create(t, '/v1/user/token', { name: 'CI' })).tokenId,
  workspaceId: async (t) => (await create(t, '/v1/workspace', {})).workspaceId,
  confirmToken: async (t) => getReturnParams(await t.completeFlow({ confirm: true })).confirmToken,
  sourceUrl: createSourceUrl,
  url: () => WEBHOOK_URL,
  config: () => ({ api_key: 'key_that_works' }),
  email: () => `user-${++count}@example.com`,
  slug: () => `north-${++count}`,
  name: () => `North ${++count}`,
  accountIdentifier: () => `customer-${++count}`,
}

/** The event of a new link, once it has its sequence number. */
async function findEventId(t: StubProviderContext, linkId: string): Promise<string> {
  return expectOk(await t.call('GET', `/v1/event?wait=20&subject=${linkId}`))[0].id
}

/** An integration of the catalogue, which is data. */
async function offerEntry({ database }: StubProviderContext): Promise<string> {
  const key = `offered_${++count}`
  const entry: Entry = {
    runtime: 1,
    key,
    name: 'Offered',
    category: 'SUPPORT',
    version: '1.0.0',
    hosts: ['api.offered.example'],
    auth: { None: {} },
    check: { get: '/me' },
  }
  const catalogue = await createSmallCatalogue([await buildEntryVersion(entry)])
  const stores = {
    bundles: createBundleStore(database),
    catalogue: createCatalogueStore(database),
  }
  const deps = { database, ...stores, log: createLog('silent'), now: Date.now }
  await syncCatalogue(deps, listBundledIntegrations(catalogue))
  return getCatalogueDefinitionId(key)
}

/** Nothing listens there. */
const WEBHOOK_URL = 'http://127.0.0.1:9/hooks'

interface Adjustment {
  /** Instead of the example. */
  readonly body?: Readonly<Record<string, unknown>>
  /** Values of parameters in the path. */
  readonly [name: string]: unknown
}

/** Operations that refer to more than one new resource, or whose example suits another situation. */
/** An account at an MCP server. */
async function offerTool(t: StubProviderContext) {
  const { accountId, server } = await connectMcpAccount(t, closeWith(t))
  const box = createToolBox()
  server.serve = serveToolBox(box)
  return { integrationAccountId: accountId, toolName: 'search', box }
}

/** The same, which has changed its tool. */
async function changeTool(t: StubProviderContext) {
  const { integrationAccountId, box } = await offerTool(t)
  const path = `/v1/integration_account/${integrationAccountId}/tool`
  expectOk(await t.call('GET', path))
  box.tools = [{ ...box.tools[0], description: 'Finds other pages.' }]
  const [{ name, sha256 }] = expectOk(await t.call('GET', path))
  return { integrationAccountId, toolName: name, body: { accept: sha256 } }
}

const ADJUSTMENTS: Readonly<Record<string, (t: StubProviderContext) => Promise<Adjustment>>> = {
  upgradeDefinition: async (t) => ({ body: { sourceUrl: createSourceUrl(t) } }),
  previewDefinition: async (t) => ({ body: { sourceUrl: createSourceUrl(t) } }),
  overrideDefinition: async (t) => ({
    integrationDefinitionId: await offerEntry(t),
    body: { patch: { check: { get: '/other' } } },
  }),
  rollbackDefinition: async (t) => {
    const integrationDefinitionId = await createDefinition(t)
    const path = `/v1/integration_definition/${integrationDefinitionId}`
    expectOk(await t.call('POST', path, { body: { sourceUrl: createSourceUrl(t) } }))
    return { integrationDefinitionId, body: {} }
  },
  getDefinitionPreview: async (t) => {
    const { path, body } = await createSampleRequest(t, 'previewDefinition')
    const { previewId } = expectOk(await t.call('POST', path, { body }))
    return { integrationDefinitionId: path.split('/').at(-2), previewId }
  },
  acceptIntegrationAccountTool: changeTool,
  callIntegrationAccountTool: async (t) => {
    const { integrationAccountId, toolName } = await offerTool(t)
    return { integrationAccountId, toolName, body: { arguments: { query: 'a' } } }
  },
  listIntegrationAccountTools: offerTool,
  getWebhookDelivery: async (t) => {
    const webhookEndpointId = await createValue(t, 'webhookEndpointId')
    const eventId = await findEventId(t, await createLink(t))
    const path = `/v1/webhook_endpoint/${webhookEndpointId}/delivery/${eventId}`
    while ((await t.call('GET', path)).status !== 200) await setTimeout(10)
    return { webhookEndpointId, eventId }
  },
  importAccount: async (t) => ({
    body: {
      integrationDefinitionId: await createDefinition(t),
      integrationAccountName: 'Imported',
      externalId: `nango:desk/customer-${++count}`,
      authType: 'Api Key',
      config: { api_key: 'key_that_works' },
    },
  }),
  createBulkJob: async (t) => ({
    body: {
      action: 'check',
      integrationAccountIds: [await createValue(t, 'integrationAccountId')],
    },
  }),
  createAgentSession: async (t) => ({
    body: { integrationAccountIds: [await createValue(t, 'integrationAccountId')] },
  }),
  createConnectSession: async (t) => ({ body: { linkId: await createLink(t) } }),
  startOAuth: async (t) => ({
    body: {
      integrationDefinitionId: t.definitionId,
      integrationAccountName: 'An account',
      confirm: false,
    },
  }),
  confirmConnectSession: async (t) => {
    const confirmToken = await createValue(t, 'confirmToken')
    return { connectSessionId: await moveToConnectSession(t), body: { confirmToken } }
  },
}

/** Makes the last OAuth session one that was started on the page of a connect session. */
async function moveToConnectSession(t: StubProviderContext): Promise<string> {
  const link = { linkName: 'Customers' }
  const { linkId } = expectCreated(await t.call('POST', '/v1/link', { body: link }))
  const session = expectCreated(await t.call('POST', '/v1/connect_session', { body: { linkId } }))
  const { connectSessionId, workspaceId } = session
  await t.database.transaction(async (trx) => {
    const { attempt_id, definition_id } = await trx
      .selectFrom('oauth_sessions')
      .select(['attempt_id', 'definition_id'])
      .orderBy('created_at', 'desc')
      .orderBy('attempt_id', 'desc')
      .executeTakeFirstOrThrow()
    await trx
      .updateTable('oauth_sessions')
      .set({ token_id: null, link_id: linkId })
      .where('attempt_id', '=', attempt_id)
      .execute()
    await trx
      .insertInto('submissions')
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
