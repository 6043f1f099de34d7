import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { hashSecret } from '../src/access/auth/access-token.ts'
import type { WorkspaceId } from '../src/access/workspaces/workspace.ts'
import { insertApproval } from '../src/accounts/agents/test/insert-approval.ts'
import { insertSignInRequest } from '../src/accounts/agents/test/insert-sign-in-request.ts'
import type { EventId } from '../src/activity/events/event.ts'
import { type Id, newId, newLinkId } from '../src/platform/storage/id.ts'
import { createSampleRows } from '../src/platform/storage/test/sample-rows.ts'
import { type IdParameter, listIdParameters } from './list-id-parameters.ts'
import { createMiniBundle, MINI_SPEC } from './mini-bundle.ts'
import { describeOnBothDatabases, type NewDatabaseUrl } from './postgres.ts'
import { registerOAuthApp } from './register-oauth-app.ts'
import type { TestResponse } from './test-app.ts'
import {
  expectCreated,
  expectOk,
  hashAllTables,
  type TestContext,
  testContext,
} from './test-context.ts'

type Kind =
  | 'workspaceId'
  | 'integrationDefinitionId'
  | 'integrationAccountId'
  | 'integrationOAuthAppId'
  | 'successorId'
  | 'predecessorId'
  | 'linkId'
  | 'tokenId'
  | 'memberId'
  | 'previewId'
  | 'eventId'
  | 'webhookEndpointId'
  | 'connectSessionId'
  | 'requestLogId'
  | 'bulkJobId'
  | 'agentApprovalId'
  | 'agentSessionId'
  | 'signInRequestId'
type Ids = Readonly<Record<Kind, string>>

/** The error code of an invalid reference, by location and name. `empty`: a filter without matches. */
const EXPECTED_ERRORS: Readonly<Record<string, string>> = {
  'path workspaceId': 'workspace_not_found',
  'path integrationDefinitionId': 'integration_definition_not_found',
  'path integrationAccountId': 'integration_account_not_found',
  'path integrationOAuthAppId': 'oauth_app_not_found',
  'path linkId': 'link_not_found',
  'path tokenId': 'token_not_found',
  'path memberId': 'member_not_found',
  'path previewId': 'preview_not_found',
  'path eventId': 'event_not_found',
  'path webhookEndpointId': 'webhook_endpoint_not_found',
  'path connectSessionId': 'connect_session_not_found',
  'path requestLogId': 'request_not_found',
  'path bulkJobId': 'bulk_job_not_found',
  'path agentApprovalId': 'agent_approval_not_found',
  'path agentSessionId': 'agent_session_not_found',
  'path signInRequestId': 'sign_in_request_not_found',
  'query workspaceId': 'workspace_not_accessible',
  'query tokenId': 'empty',
  'query integrationDefinitionId': 'empty',
  'query integrationAccountId': 'empty',
  'query linkId': 'empty',
  'query integrationOAuthAppId': 'empty',
  'query connectSessionId': 'empty',
  'body workspaceId': 'workspace_not_accessible',
  'body integrationDefinitionId': 'unknown_reference',
  'body integrationAccountId': 'unknown_reference',
  'body integrationOAuthAppId': 'unknown_reference',
  'body successorId': 'unknown_reference',
  'body predecessorId': 'unknown_reference',
  'body linkId': 'unknown_reference',
  'body integrationDefinitionIds': 'unknown_reference',
  'body integrationAccountIds': 'unknown_reference',
  'body eventIds': 'unknown_reference',
}

/** Query parameters that an operation requires. */
const REQUIRED_QUERIES: Readonly<Record<string, string>> = {
  exportCustomer: 'accountIdentifier=customer&',
  getStatistics: 'metrics=connects&by=code&',
}

describeOnBothDatabases('Foreign, deleted and unknown ids', defineIdMatrix)

function defineIdMatrix(newUrl: NewDatabaseUrl): void {
  let t: TestContext
  let now = Date.now()
  let idParameters: IdParameter[]
  let liveIds: Ids
  let deletedIds: Ids
  let actors: readonly { readonly token: string; readonly own: Ids }[]
  let cases = 0
  before(async () => {
    t = await testContext({
      now: () => now,
      url: await newUrl(),
    })
    idParameters = await listIdParameters(t)
    const resources = await createResources(t, t.token, t.workspaceId)
    liveIds = resources.liveIds
    const deletedWorkspaceId = expectCreated(await t.call('POST', '/v1/workspace', {})).workspaceId
    deletedIds = { ...resources.deletedIds, workspaceId: deletedWorkspaceId }
    const deleted = { deleted_at: now }
    await t.database.transaction((trx) =>
      trx
        .updateTable('workspaces')
        .set(deleted)
        .where('workspace_id', '=', deletedWorkspaceId)
        .execute(),
    )
    const otherUser = await t.otherUser()
    const own = (await createResources(t, otherUser.token, otherUser.workspaceId)).liveIds
    const second = expectCreated(await t.call('POST', '/v1/workspace', {})).workspaceId
    const scopes = [
      'read',
      'write',
      'credentials:read',
      'audit:read',
      'tokens',
      'members',
      'proxy',
      'webhooks',
      'admin',
    ]
    const bound = await t.createToken({ workspaceId: second, scopes })
    const widenedToken = await widenScopes(t, otherUser.token)
    actors = [
      { token: widenedToken, own },
      { token: bound, own: (await createResources(t, bound, second)).liveIds },
    ]
  })
  after(() => t.close())

  it('are tried at every reference of the OpenAPI document', () => {
    assert.ok(idParameters.length >= 47, `${idParameters.length}`)
    for (const { location, name, operation } of idParameters)
      assert.ok(
        EXPECTED_ERRORS[`${location} ${name}`],
        `${operation} ${location}.${name} has no row`,
      )
  })

  it('give the same error and have no effect, foreign or not, deleted or not', async () => {
    t.stubServer.requests.length = 0
    for (const { token, own } of actors)
      for (const parameter of idParameters) {
        const kind = getKind(parameter.name)
        const ids = [
          liveIds[kind],
          deletedIds[kind],
          createUnknownId(kind),
          'nonsense',
          createUnknownId(kind).slice(0, -1),
        ]
        const before = await hashAllTables(t)
        const responses: string[] = []
        for (const id of ids) {
          const response = await send(parameter, own, id, token)
          assertExpectedError(parameter, response)
          responses.push(normalizeResponse(response))
        }
        const title = `${parameter.operation} ${parameter.location}.${parameter.name}`
        assert.equal(new Set(responses).size, 1, `${title}\n${[...new Set(responses)].join('\n')}`)
        assert.equal(await hashAllTables(t), before, title)
      }
    assert.deepEqual(
      t.stubServer.requests,
      [],
      'no bundle was downloaded and no provider was called',
    )
  })

  it('with U+0000, invalid escapes or 300 characters: 404 in a path, 400 elsewhere', async () => {
    const before = await hashAllTables(t)
    for (const { token, own } of actors)
      for (const parameter of idParameters)
        for (const [id, raw] of [
          ['a\0b', '%00'],
          ['\ud800', '%zz'],
          ['x'.repeat(300), 'x'.repeat(300)],
        ] as const) {
          const response = await send(parameter, own, id, token, raw)
          if (parameter.location === 'path') assertExpectedError(parameter, response)
          else assert.equal(response.status, 400, response.text)
        }
    assert.equal(await hashAllTables(t), before)
  })

  it('are rejected together with own ids: own workspace and foreign definition, and the reverse', async () => {
    const before = await hashAllTables(t)
    for (const { token, own } of actors)
      for (const parameter of idParameters.filter(
        ({ location, name }) => `${location} ${name}` === 'body integrationDefinitionId',
      )) {
        if (parameter.operation === 'createAccountThroughLink') continue
        const workspace = { ...parameter, name: 'workspaceId' }
        for (const id of [liveIds, deletedIds]) {
          const foreign = await send(parameter, own, id.integrationDefinitionId, token)
          assertExpectedError(parameter, foreign)
          assertExpectedError(workspace, await send(workspace, own, id.workspaceId, token))
        }
      }
    assert.equal(await hashAllTables(t), before)
  })

  it('are not looked up without a sufficient token', async () => {
    const shortLivedToken = await t.createToken({ seconds: 1 })
    const revoked = expectCreated(await t.call('POST', '/v1/user/token', { body: { name: 'x' } }))
    expectOk(await t.call('DELETE', `/v1/user/token/${revoked.tokenId}`))
    const readOnly = await t.createToken({ scopes: ['read'] })
    now += 2_000
    const before = await hashAllTables(t)
    const tokens = [
      shortLivedToken,
      revoked.token,
      null,
      'garbage',
      `lp_${'0'.repeat(36)}`,
      liveIds.linkId,
      readOnly,
    ]
    for (const token of tokens)
      for (const parameter of idParameters) {
        if (token === readOnly && parameter.method === 'GET') continue
        const kind = getKind(parameter.name)
        const responses: string[] = []
        for (const id of [liveIds[kind], deletedIds[kind], createUnknownId(kind), 'nonsense']) {
          const response = await send(parameter, liveIds, id, token)
          const code = token === null ? 'token_missing' : 'token_invalid'
          assert.equal(response.body.error, token === readOnly ? 'insufficient_scope' : code)
          responses.push(normalizeResponse(response))
        }
        assert.equal(new Set(responses).size, 1, parameter.operation)
      }
    assert.equal(await hashAllTables(t), before)
  })

  it('are tried in at least 2,000 cases', (test) => {
    test.diagnostic(`${cases} cases at ${idParameters.length} references`)
    assert.ok(cases >= 2_000, `${cases}`)
  })

  async function send(
    parameter: IdParameter,
    own: Ids,
    id: string,
    token: string | null,
    raw = encodeURIComponent(id),
  ): Promise<TestResponse> {
    cases += 1
    const { method, location, name } = parameter
    const path = parameter.path
      .slice('/api'.length)
      .replaceAll(/\{(\w+)\}/g, (_, param: Kind) =>
        location === 'path' && param === name ? raw : (own[param] ?? 'me'),
      )
    const others = REQUIRED_QUERIES[parameter.operation] ?? ''
    const query = location === 'query' ? `?${others}${name}=${raw}` : ''
    const base = createBody(parameter, own)
    const value = name.endsWith('Ids') ? [id] : id
    const payload = location === 'body' ? { ...base, [name]: value } : base
    return t.call(method, path + query, {
      token,
      ...(payload === undefined ? {} : { body: payload }),
    })
  }

  /** A body that is valid except for the reference. */
  function createBody(
    { operation, name }: IdParameter,
    own: Ids,
  ): Record<string, unknown> | undefined {
    const { integrationDefinitionId, workspaceId } = own
    const config = { api_key: 'works', base_url: t.stubServer.url }
    const check = { integrationDefinitionId, authType: 'Api Key', config }
    const bodies: Record<string, Record<string, unknown>> = {
      updateWorkspace: {},
      eraseCustomer: { accountIdentifier: 'customer' },
      createToken: { name: 'a', workspaceId },
      inviteMember: { email: 'matrix@example.com', role: 'viewer', workspaceId },
      updateMember: {},
      createDefinition: {
        name: 'Matrix',
        sourceUrl: `${t.stubServer.url}/bundle.js`,
        integrationType: 'CRM',
        workspaceId,
      },
      setDefinitionIcon: { icon: null, ...(name === 'workspaceId' ? {} : { workspaceId }) },
      createAccount: { ...check, integrationAccountName: 'a', workspaceId },
      importAccount: {
        ...check,
        // Only tokens have an app.
        ...(name === 'integrationOAuthAppId'
          ? { authType: 'OAuth2', config: {}, tokens: { accessToken: 'a' } }
          : {}),
        integrationAccountName: 'a',
        externalId: 'a',
        workspaceId,
      },
      createAccountThroughLink: { ...check, integrationAccountName: 'a' },
      checkAccount: { ...check, workspaceId },
      checkDefinition: { entry: {}, workspaceId },
      overrideDefinition: { patch: {}, ...(name === 'workspaceId' ? {} : { workspaceId }) },
      updateAccount: { config },
      sendProxyRequest: { path: '/me' },
      acceptIntegrationAccountTool: { accept: '0'.repeat(64) },
      callIntegrationAccountTool: {},
      decideAgentApproval: { decision: 'deny' },
      updateAgentAccess: { access: 'paused' },
      confirmSignInRequest: { accountIdentifier: 'customer' },
      startDebugWindow: { seconds: 60 },
      createConnectSession: name === 'workspaceId' ? {} : { linkId: own.linkId },
      confirmConnectSession: { confirmToken: 'unknown' },
      createLink: {
        linkName: 'a',
        workspaceId,
        ...(name === 'integrationDefinitionIds' ? {} : { integrationDefinitionId }),
      },
      updateLink: {},
      createBulkJob: {
        action: 'check',
        workspaceId,
        ...(name === 'integrationAccountIds'
          ? {}
          : { integrationAccountIds: [own.integrationAccountId] }),
      },
      createOAuthApp: { clientId: 'a', workspaceId, integrationDefinitionId },
      updateOAuthApp: {},
      createWebhookEndpoint: { url: t.stubServer.url, workspaceId },
      updateWebhookEndpoint: {},
      rotateWebhookSecret: {},
      testWebhookEndpoint: {},
      replayWebhookEvents: name === 'eventIds' ? {} : { failed: true },
      startOAuth: {
        integrationAccountName: 'a',
        // A link knows its workspace; an app and an account know their definition.
        ...(name === 'linkId' ? {} : { workspaceId }),
        ...(/App|Account/.test(name) ? {} : { integrationDefinitionId }),
      },
    }
    return bodies[operation]
  }
}

function assertExpectedError(
  { operation, location, name }: IdParameter,
  response: TestResponse,
): void {
  const expectedCode = EXPECTED_ERRORS[`${location} ${name}`]
  if (['countAccounts', 'countAttempts'].includes(operation) && expectedCode === 'empty')
    assert.deepEqual([response.status, response.body.total], [200, 0])
  else if (operation === 'getStatistics' && expectedCode === 'empty')
    assert.deepEqual([response.status, response.body.series], [200, []])
  else if (expectedCode === 'empty') assert.deepEqual([response.status, response.body], [200, []])
  else
    assert.equal(
      response.body?.error,
      expectedCode,
      `${operation} ${location}.${name}: ${response.text}`,
    )
}

/** A response without the values that differ between requests. */
function normalizeResponse(response: TestResponse): string {
  const { 'x-request-id': _, date: __, 'content-length': ___, ...headers } = response.headers
  if (Array.isArray(response.body)) return JSON.stringify([response.status, headers, response.body])
  return JSON.stringify([response.status, headers, { ...response.body, timestamp: '', path: '' }])
}

/** The kind of resource that a parameter such as `linkId` or `eventIds` refers to. */
function getKind(name: string): Kind {
  return name.replace(/Ids$/, 'Id') as Kind
}

function createUnknownId(kind: Kind): string {
  if (kind === 'linkId') return newLinkId()
  const prefix = {
    workspaceId: 'wsp',
    tokenId: 'tok',
    memberId: 'mbr',
    integrationAccountId: 'acc',
    integrationDefinitionId: 'def',
    integrationOAuthAppId: 'oap',
    successorId: 'oap',
    predecessorId: 'oap',
    previewId: 'pvw',
    eventId: 'evt',
    webhookEndpointId: 'whe',
    connectSessionId: 'cns',
    requestLogId: 'req',
    bulkJobId: 'blk',
    agentApprovalId: 'aap',
    agentSessionId: 'ags',
    signInRequestId: 'sir',
  } as const
  return newId(prefix[kind], Date.now())
}

/** One of everything in a workspace, and one of everything that was deleted there. */
async function createResources(
  t: TestContext,
  token: string,
  workspaceId: WorkspaceId,
): Promise<{ liveIds: Ids; deletedIds: Ids }> {
  const createEach = async (): Promise<Ids> => {
    const { integrationDefinitionId } = await t.createDefinition({
      token,
      code: createBundleWithOAuthAt(t.stubServer.url),
    })
    const app = await registerOAuthApp(t, { token, integrationDefinitionId })
    const account = await t.createAccount(integrationDefinitionId, {}, token)
    const link = expectCreated(await t.call('POST', '/v1/link', { token, body: { linkName: 'a' } }))
    const { connectSessionId } = expectCreated(
      await t.call('POST', '/v1/connect_session', { token, body: { linkId: link.linkId } }),
    )
    const createBody = { name: 'a', workspaceId }
    const tokenResponse = await t.call('POST', '/v1/user/token', {
      token: await widenScopes(t, token),
      body: createBody,
    })
    const endpointBody = { url: t.stubServer.url, workspaceId, types: ['webhook.test'] }
    const { webhookEndpointId } = expectCreated(
      await t.call('POST', '/v1/webhook_endpoint', { token, body: endpointBody }),
    )
    const { memberId } = expectOk(
      await t.call('POST', '/v1/member', {
        token: await widenScopes(t, token),
        body: { email: `${link.linkId}@example.com`, role: 'viewer', workspaceId },
      }),
    )
    const integrationAccountId = account.integrationAccountId
    const { tokenId } = expectCreated(tokenResponse)
    const agentSession = expectCreated(
      await t.call('POST', '/v1/agent_session', {
        token: await widenScopes(t, token),
        body: { integrationAccountIds: [integrationAccountId], workspaceId },
      }),
    )
    const preview = `/v1/integration_definition/${integrationDefinitionId}/preview`
    const { previewId } = expectOk(
      await t.call('POST', preview, { token: await widenScopes(t, token) }),
    )
    return {
      workspaceId,
      integrationDefinitionId,
      integrationAccountId,
      integrationOAuthAppId: String(app.integrationOAuthAppId),
      successorId: String(app.integrationOAuthAppId),
      predecessorId: String(app.integrationOAuthAppId),
      linkId: link.linkId,
      tokenId,
      memberId,
      previewId,
      eventId: await findEventId(t, token, link.linkId),
      webhookEndpointId,
      connectSessionId,
      requestLogId: await insertRequest(t, workspaceId),
      bulkJobId: await insertBulkJob(t, workspaceId),
      agentApprovalId: await insertApproval(t, { workspaceId }),
      agentSessionId: agentSession.agentSessionId,
      signInRequestId: await insertSignInRequest(t, { workspaceId }),
    }
  }
  const liveIds = await createEach()
  const deletedIds = await createEach()
  await t.database.transaction((trx) =>
    trx
      .deleteFrom('events')
      .where('event_id', '=', deletedIds.eventId as EventId)
      .execute(),
  )
  await t.database.transaction((trx) =>
    trx
      .deleteFrom('request_log')
      .where('request_log_id', '=', deletedIds.requestLogId as Id<'req'>)
      .execute(),
  )
  await t.database.transaction((trx) =>
    trx
      .deleteFrom('bulk_jobs')
      .where('bulk_job_id', '=', deletedIds.bulkJobId as Id<'blk'>)
      .execute(),
  )
  await t.database.transaction((trx) =>
    trx
      .deleteFrom('agent_approvals')
      .where('agent_approval_id', '=', deletedIds.agentApprovalId as Id<'aap'>)
      .execute(),
  )
  await t.database.transaction((trx) =>
    trx
      .deleteFrom('sign_in_requests')
      .where('sign_in_request_id', '=', deletedIds.signInRequestId as Id<'sir'>)
      .execute(),
  )
  await t.database.transaction((trx) =>
    trx
      .deleteFrom('agent_sessions')
      .where('agent_session_id', '=', deletedIds.agentSessionId as Id<'ags'>)
      .execute(),
  )
  for (const path of [
    `integration_account/${deletedIds.integrationAccountId}`,
    `integration_oauth/${deletedIds.integrationOAuthAppId}`,
    `integration_definition/${deletedIds.integrationDefinitionId}`,
    `member/${deletedIds.memberId}`,
    `connect_session/${deletedIds.connectSessionId}`,
    `link/${deletedIds.linkId}`,
    `webhook_endpoint/${deletedIds.webhookEndpointId}`,
  ])
    expectOk(await t.call('DELETE', `/v1/${path}`, { token }))
  expectOk(
    await t.call('DELETE', `/v1/user/token/${deletedIds.tokenId}`, {
      token: await widenScopes(t, token),
    }),
  )
  return { liveIds, deletedIds }
}

async function insertRequest(t: TestContext, workspace_id: WorkspaceId): Promise<string> {
  const row = { ...createSampleRows(Date.now()).request_log, workspace_id }
  await t.database.transaction((trx) => trx.insertInto('request_log').values(row).execute())
  return row.request_log_id
}

async function insertBulkJob(t: TestContext, workspace_id: WorkspaceId): Promise<string> {
  const times = { alive_until: null, finished_at: Date.now() }
  const row = { ...createSampleRows(Date.now()).bulk_jobs, ...times, workspace_id }
  await t.database.transaction((trx) => trx.insertInto('bulk_jobs').values(row).execute())
  return row.bulk_job_id
}

/** The event of a new link, once it has its sequence number. */
async function findEventId(t: TestContext, token: string, linkId: string): Promise<string> {
  const events = expectOk(await t.call('GET', `/v1/event?wait=20&subject=${linkId}`, { token }))
  return events[0].id
}

/** The mini bundle with OAuth endpoints on the stub server, which records requests. */
function createBundleWithOAuthAt(url: string): string {
  const { OAuth2, ...others } = MINI_SPEC.auth_specification
  const oauthAtStub = {
    ...OAuth2,
    authorization_url: `${url}/authorize`,
    token_url: `${url}/token`,
  }
  return createMiniBundle({ auth_specification: { ...others, OAuth2: oauthAtStub } })
}

/** A token of the same user with every scope except admin: a user who was created through the API starts with fewer. */
async function widenScopes(t: TestContext, token: string): Promise<string> {
  await t.database.transaction((trx) =>
    trx
      .updateTable('tokens')
      .set({
        scopes:
          'read write credentials:read audit:read tokens members proxy webhooks agents agents:approve admin',
      })
      .where('token_hash', '=', hashSecret(token))
      .execute(),
  )
  return token
}
