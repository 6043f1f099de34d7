import assert from 'node:assert/strict'
import { createAccessTokenStore } from '../../src/access/auth/access-token-store.ts'
import type { WorkspaceAccess } from '../../src/access/auth/caller.ts'
import { createRateUsageStore } from '../../src/access/auth/rate-usage-store.ts'
import { createInstanceStore } from '../../src/access/instance/instance-store.ts'
import {
  createTokenStore,
  findStoredToken,
  listCreatedUsers,
  listLiveAccountIds,
} from '../../src/access/tokens/token-store.ts'
import { createUserStore } from '../../src/access/users/user-store.ts'
import { createWorkspaceStore } from '../../src/access/workspaces/workspace-store.ts'
import type { Account, NewAccount } from '../../src/accounts/accounts/account.ts'
import { createAccountCountStore } from '../../src/accounts/accounts/account-count-store.ts'
import {
  ACCOUNT_ORDERS,
  type AccountListFilter,
} from '../../src/accounts/accounts/account-list-filter.ts'
import {
  findHealthRow,
  readAccountSnapshot,
} from '../../src/accounts/accounts/account-row-store.ts'
import {
  deleteScopes,
  fillGrant,
  findUnreadScopes,
  listNeededScopes,
  readGrant,
  storeNeeds,
  updateGrant,
} from '../../src/accounts/accounts/account-scopes-store.ts'
import { createAccountStatusCountStore } from '../../src/accounts/accounts/account-status-count-store.ts'
import {
  createAccountStore,
  listAccountChanges,
} from '../../src/accounts/accounts/account-store.ts'
import { createAccountUseStore } from '../../src/accounts/accounts/account-use-store.ts'
import { createCustomerStore } from '../../src/accounts/accounts/customer-store.ts'
import { createGrantCountStore } from '../../src/accounts/accounts/grant-count-store.ts'
import { createPortalAccountStore } from '../../src/accounts/accounts/portal-account-store.ts'
import { createStoredResponseStore } from '../../src/accounts/accounts/stored-response-store.ts'
import { createRefreshStore } from '../../src/accounts/accounts/token-refresh/refresh-store.ts'
import {
  claimRevocation,
  findSiblingCandidates,
  isPossiblyShared,
} from '../../src/accounts/accounts/token-refresh/revocation/shared-grant-store.ts'
import {
  createRotationStore,
  createTokenLeaseStore,
  type RotationContext,
  sweepRotations,
} from '../../src/accounts/accounts/verification/rotation-store.ts'
import { AGENT_APPROVAL } from '../../src/accounts/agents/agent-approval.ts'
import { createAgentApprovalStore } from '../../src/accounts/agents/agent-approval-store.ts'
import { AGENT_SESSION } from '../../src/accounts/agents/agent-session.ts'
import { createAgentSessionStore } from '../../src/accounts/agents/agent-session-store.ts'
import { OAUTH_SERVER_RECORD } from '../../src/accounts/agents/oauth-server-record.ts'
import {
  createOAuthServerRecordStore,
  deleteRecordsOfSessions,
} from '../../src/accounts/agents/oauth-server-record-store.ts'
import { SIGN_IN_REQUEST } from '../../src/accounts/agents/sign-in-request.ts'
import { createSignInRequestStore } from '../../src/accounts/agents/sign-in-request-store.ts'
import { createSessionAccountStore } from '../../src/accounts/mcp/session-account-store.ts'
import { MCP_TOOL } from '../../src/accounts/mcp-client/mcp-tool.ts'
import { createMcpToolStore } from '../../src/accounts/mcp-client/mcp-tool-store.ts'
import { createPreviewStore } from '../../src/accounts/upgrades/preview/preview-store.ts'
import type { DefinitionPreview } from '../../src/accounts/upgrades/schemas.ts'
import { createVersionStore } from '../../src/accounts/upgrades/version-store.ts'
import { createAuditChainStore } from '../../src/activity/audit/audit-chain-store.ts'
import { createAuditRetentionStore } from '../../src/activity/audit/audit-retention-store.ts'
import { createAuditExportStore, createAuditStore } from '../../src/activity/audit/audit-store.ts'
import { createCollectedStore } from '../../src/activity/audit/collected-store.ts'
import { createEventLagReader, createEventStore } from '../../src/activity/events/event-store.ts'
import { createNumberStore } from '../../src/activity/events/number-store.ts'
import {
  createDebugWindowStore,
  findExchange,
} from '../../src/activity/requests/debug-window-store.ts'
import type { RequestEntry } from '../../src/activity/requests/request-log.ts'
import {
  createRequestLogStore,
  createRequestRetentionStore,
  createRequestWriter,
  type RequestFilter,
} from '../../src/activity/requests/request-log-store.ts'
import {
  createStatisticsStore,
  createStatisticsWriter,
  deleteOldStatistics,
  deleteStatisticsOfWorkspace,
} from '../../src/activity/statistics/statistics-store.ts'
import { createDeliveryCleanUpStore } from '../../src/activity/webhooks/delivery-store.ts'
import { createDeliveryClaimStore } from '../../src/activity/webhooks/dispatch/claim-store.ts'
import { createLeaseStore } from '../../src/activity/webhooks/dispatch/lease-store.ts'
import { createSettlementStore } from '../../src/activity/webhooks/dispatch/settlement-store.ts'
import { createFanOut } from '../../src/activity/webhooks/fan-out-store.ts'
import {
  createAttemptStore,
  deleteOldConnectFailures,
  recordFailedAttempt,
} from '../../src/connect/attempts/attempt-store.ts'
import type { NewSubmission } from '../../src/connect/attempts/submission.ts'
import { createSubmissionStore } from '../../src/connect/attempts/submission-store.ts'
import { createBulkJobStore } from '../../src/connect/bulk-jobs/bulk-job-store.ts'
import {
  createConnectSessionStore,
  createVisitedSessionStore,
} from '../../src/connect/connect-sessions/connect-session-store.ts'
import { createLinkCounterStore } from '../../src/connect/links/link-counter-store.ts'
import {
  changeLink,
  createLinkStore,
  createSharedLinkStore,
  LINK_STATES,
  markExpiredLinks,
  revokeLink,
} from '../../src/connect/links/link-store.ts'
import { createConfirmationStore } from '../../src/connect/oauth-flow/confirmation-store.ts'
import {
  createOAuthSessionStore,
  deleteExpiredSessions,
  eraseExpiredSessions,
} from '../../src/connect/oauth-flow/oauth-session-store.ts'
import type { OAuthSession } from '../../src/connect/oauth-flow/session/oauth-session.ts'
import {
  createCatalogueStore,
  type DefinitionChange,
  registryStore,
} from '../../src/integrations/catalogue/catalogue-store.ts'
import { createInstanceKeyStore } from '../../src/integrations/catalogue/instance-key-store.ts'
import { ACME_SANDBOX_ID } from '../../src/integrations/catalogue/offered-integration.ts'
import {
  clearUpdateDue,
  listDueUpdates,
  markUpdateDue,
  pinActiveWorkspaces,
} from '../../src/integrations/catalogue/workspace-pins-store.ts'
import {
  createBundleStore,
  createDefinitionIconStore,
} from '../../src/integrations/definitions/bundle-store.ts'
import {
  createDefinitionStore,
  findDefinitionUse,
} from '../../src/integrations/definitions/definition-store.ts'
import { createOAuthAppStore } from '../../src/integrations/oauth-apps/oauth-app-store.ts'
import { SYSTEM_ACTOR } from '../../src/platform/record/change.ts'
import {
  createIdempotencyKeyStore,
  settleIdempotencyKey,
} from '../../src/platform/record/idempotency-key-store.ts'
import {
  createIdempotencyRetentionStore,
  deleteIdempotencyKeys,
} from '../../src/platform/record/idempotency-retention-store.ts'
import {
  insertBoundedAttempt,
  isRecordedSince,
  record,
} from '../../src/platform/record/record-store.ts'
import type { Database } from '../../src/platform/storage/database.ts'
import { newId } from '../../src/platform/storage/id.ts'
import { createSampleRows } from '../../src/platform/storage/test/sample-rows.ts'
import {
  createKeyStore,
  createOutdatedKeyReader,
  type StoredDataKeys,
} from '../../src/platform/vault/key-store.ts'
import type { Vault } from '../../src/platform/vault/vault.ts'
import type { FilledRows } from './fill-database.ts'
import { runConsoleQueries } from './run-console-queries.ts'
import { queryErasure } from './run-erasure-queries.ts'
import { queryHealth } from './run-health-queries.ts'
import { runLostValueQueries } from './run-key-queries.ts'
import { queryTokenRefresh } from './run-refresh-queries.ts'
import { queryWebhooks } from './run-webhook-queries.ts'

interface Run extends FilledRows {
  readonly database: Database
  readonly access: WorkspaceAccess
}

const NOW = 1_700_000_000_000
const HASH = new Uint8Array(32)
const PAGE = { limit: 25, after: { createdAt: NOW, id: 'x' } }
const APP_ID = newId('oap', NOW)
const SESSION_ID = newId('att', NOW)

/**
 * Runs the queries of all stores: those of requests, with a token of the user and with one that is bound to the
 * workspace, those of pages, of background work, and of the command line.
 */
export async function runQueries(database: Database, rows: FilledRows): Promise<void> {
  const steps = [
    queryAccounts,
    queryScopes,
    queryLinks,
    queryDefinitions,
    queryIcons,
    queryVersions,
    queryOAuthApps,
    queryOAuthFlow,
    querySubmissions,
    queryConnectSessions,
    queryAttempts,
    queryRequests,
    queryStatistics,
    queryBulkJobs,
    queryAgentSessions,
    queryAgentApprovals,
    queryOAuthServerRecords,
    querySignInRequests,
    queryTools,
    queryUsers,
    queryWorkspaces,
    queryCatalogue,
    queryTokensOfProviders,
    queryGrants,
    queryKeys,
    queryIdempotencyKeys,
    queryEvents,
    queryDispatch,
    queryTokenRefresh,
    queryWebhooks,
    queryAudit,
    queryErasure,
  ]
  for (const boundWorkspaceId of [null, rows.workspaceId])
    for (const step of steps)
      await step({ ...rows, database, access: { userId: rows.userId, boundWorkspaceId } })
}

async function queryAccounts({ database, access, ...ids }: Run): Promise<void> {
  const { workspaceId, definitionId, accountId, linkId, oauthAppId } = ids
  const accounts = createAccountStore(database)
  await createAccountStatusCountStore(database).count()
  const filters = [
    { accountIdentifier: 'customer-4' },
    { linkId },
    { oauthAppId },
    { definitionId },
    ...(['active', 'pending', 'needs_reauth', 'error', 'deleted'] as const).map((status) => ({
      status,
    })),
    { tags: [{ key: 'plan', value: 'pro' }] },
    { missingScope: 's3' },
    {
      tags: [
        { key: 'plan', value: 'pro' },
        { key: 'size', value: '7' },
      ],
    },
    {
      tags: [
        { key: 'plan', value: 'pro' },
        { key: 'plan', value: 'free' },
      ],
    },
  ]
  for (const after of [PAGE.after, undefined]) {
    const readPage = (filter: Omit<AccountListFilter, 'workspaceId'>) =>
      accounts.readPage(access, { workspaceId, ...filter }, 25, after)
    await readPage({})
    await readPage({ includeDeleted: true, until: NOW })
    for (const order of ACCOUNT_ORDERS)
      for (const tags of [undefined, [{ key: 'plan', value: 'pro' }]])
        for (const includeDeleted of [false, true])
          await readPage({ order, tags, includeDeleted, after: NOW, until: 2 * NOW })
    for (const filter of [{}, ...filters])
      await readPage({ ...filter, order: '-createdAt', search: 'customer-4' })
    for (const statuses of [
      ['error', 'needs_reauth'],
      ['active', 'deleted'],
    ] as const)
      for (const filter of [
        {},
        { accountIdentifier: 'customer-4' },
        { search: 'a', order: '-createdAt' },
      ] as const)
        await readPage({ ...filter, statuses })
    for (const filter of filters)
      for (const other of filters)
        for (const order of [undefined, 'updatedAt', '-updatedAt'] as const)
          for (const includeDeleted of [false, true])
            await readPage({ ...filter, ...other, order, includeDeleted })
  }
  for (const filter of [{ identityId: 'user-4' }, { lastOkBefore: NOW }, { lastOkBefore: 5 }])
    for (const other of [{}, { definitionId }, { search: 'a', order: '-createdAt' } as const])
      await accounts.readPage(access, { workspaceId, ...filter, ...other }, 25, PAGE.after)
  for (const filter of [{}, ...filters]) {
    const both = { workspaceId, definitionId, ...filter }
    await accounts.hasAccountsAfter(access, { workspaceId, ...filter }, PAGE.after)
    await accounts.hasAccountsAfter(access, both, PAGE.after)
  }
  const counts = createAccountCountStore(database)
  const tags = [{ key: 'plan', value: 'pro' }]
  for (const filter of [{}, { definitionId }, { linkId }])
    for (const tagFilter of [[], tags, [...tags, { key: 'size', value: '7' }]])
      await counts.count(access, { workspaceId, ...filter, tags: tagFilter })
  const instance = createInstanceStore(database)
  await instance.listMigrations()
  await instance.listKeyUse()
  const customers = createCustomerStore(database)
  for (const prefix of ['', 'customer-', '\u{10ffff}'])
    for (const after of [undefined, `${prefix}4`])
      await customers.list(access, { workspaceId, prefix, after, limit: 51 })
  await accounts.readLinkedAccounts(access, { workspaceId, linkId }, undefined)
  await accounts.readLinkedAccounts(access, { workspaceId, linkId }, 'customer-4')
  await accounts.find(access, accountId)
  const storedResponses = createStoredResponseStore(database)
  await storedResponses.findGaps(accountId, 100)
  await storedResponses.fill([accountId])
  await accounts.findResponse(access, accountId)
  const account: Pick<NewAccount, 'definitionId'> = { definitionId: 'def_none' }
  await database.transaction(async (trx) => {
    await accounts.findWithCredentials(trx, access, accountId)
    const owner = { accountIdentifier: 'customer-4', identityId: 'user-4' }
    await accounts.listByIdentity(trx, access, { workspaceId, definitionId, ...owner })
    await accounts.insertIfDefinitionLive(trx, { workspaceId, ...account } as NewAccount)
    await accounts.update(trx, access, { accountId, credentialVersion: 9 }, { updatedAt: NOW })
    await accounts.updateName(trx, access, accountId, { updatedAt: NOW })
    await accounts.markDeleted(trx, access, 'acc_none', NOW)
  })
  await findHealthRow(database, access, accountId)
}

async function queryScopes({ database, access, workspaceId, definitionId, accountId }: Run) {
  const owner = { workspace_id: workspaceId, account_id: accountId }
  const grant = { requested: ['a', 'b'], granted: ['a'], source: 'reported' } as const
  const need = { scope: 'c', count: 1, since: NOW, operation: 'GET /' }
  await createGrantCountStore(database).count(access, { workspaceId, definitionId })
  await listNeededScopes(database.read, owner)
  const [unread] = await findUnreadScopes(database.read, 2)
  await database.transaction(async (trx) => {
    await readGrant(trx, owner)
    await storeNeeds(trx, database, accountId, [need], NOW)
    await updateGrant(trx, owner, grant, NOW)
    await updateGrant(trx, owner, { ...grant, requested: ['b', 'c'], granted: [] }, NOW)
    await updateGrant(trx, owner, { ...grant, requested: ['c'], granted: ['b'] }, NOW)
    await deleteScopes(trx, owner)
  })
  if (unread !== undefined) await fillGrant({ database, now: () => NOW }, unread, grant)
}

async function queryLinks({
  database,
  access,
  workspaceId,
  linkId,
  definitionId,
}: Run): Promise<void> {
  const links = createLinkStore(database)
  const accounts = createAccountStore(database)
  const link = { linkId, workspaceId }
  await createSharedLinkStore(database).find(linkId)
  await createSharedLinkStore(database).findByAlias(crypto.randomUUID())
  await links.find(access, linkId)
  await links.list(access, workspaceId, PAGE)
  await links.list(access, workspaceId, { ...PAGE, after: undefined })
  for (const state of LINK_STATES)
    await links.list(access, workspaceId, PAGE, { state, order: '-createdAt', now: NOW })
  await createLinkCounterStore(database).readAll(access, workspaceId, [linkId])
  await database.transaction(async (trx) => {
    await links.findIn(trx, access, linkId)
    await accounts.hasAtLeastLinkedAccounts(trx, link, 3)
    await accounts.hasAtLeastLinkedAccounts(trx, link, 3, { accountIdentifier: null })
    await accounts.hasAtLeastLinkedAccounts(trx, link, 3, { accountIdentifier: 'customer-4' })
    await changeLink(trx, access, 'lnk_none', LINK_UPDATE)
    await changeLink(trx, access, linkId, LINK_UPDATE)
    await revokeLink(trx, access, 'lnk_none', NOW)
    await markExpiredLinks(trx, 0, 100)
    await recordFailedAttempt(
      trx,
      SYSTEM_ACTOR,
      NOW,
      {
        workspaceId,
        definitionId,
        linkId,
        accountId: null,
        accountIdentifier: null,
        code: 'credentials_rejected',
        authType: 'Token',
        connectSessionId: null,
        providerStatus: null,
        via: 'link',
        outcome: 'failed',
      },
      { field: null, person: HASH },
    )
  })
  await deleteOldConnectFailures({ database, now: () => 0 })
  const counters = createLinkCounterStore(database)
  await counters.read(access, link)
  await database.transaction((trx) => counters.add(trx, [{ linkId, name: 'opened', count: 1 }]))
}

async function queryDefinitions({ database, access, ...ids }: Run): Promise<void> {
  const { workspaceId, definitionId } = ids
  const definitions = createDefinitionStore(database)
  await definitions.find(access, definitionId)
  await definitions.findLive(database.read, access, workspaceId, definitionId)
  await definitions.list(access, { workspaceId, typeKeys: ['TICKETING'] }, PAGE)
  await definitions.list(access, { workspaceId, definitionIds: [definitionId] }, PAGE)
  await definitions.readEpoch(workspaceId)
  await definitions.listAll(access, { workspaceId })
  await definitions.listAll(access, { workspaceId, definitionIds: [definitionId] })
  await definitions.findIdByKey(access, workspaceId, 'none')
  await definitions.listWithSpecs(access, { workspaceId })
  await definitions.listTypes(access, workspaceId)
  await createBundleStore(database).code('none')
  await database.transaction(async (trx) => {
    await definitions.findLive(trx, access, workspaceId, definitionId)
    await definitions.markDeleted(trx, access, 'def_none', NOW)
    await findDefinitionUse(trx, access, 'def_none', NOW)
  })
}

async function queryIcons({ database, workspaceId, definitionId }: Run) {
  const icons = createDefinitionIconStore(database)
  const ids = { workspaceId, definitionId }
  const icon = { path: '/icons/none.png', mediaType: 'image/png', content: new Uint8Array(1) }
  await icons.find('/icons/none.png')
  await database.transaction(async (trx) => {
    await icons.set(trx, ids, icon, NOW)
    await icons.remove(trx, ids)
  })
}

async function queryVersions({ database, workspaceId, definitionId, accountId }: Run) {
  const versions = createVersionStore(database)
  const ids = { workspaceId, definitionId }
  const target = { version: '2.0.0', sourceUrl: '/', bundleSha256: 'none', specJson: '{}' }
  await versions.findRollbackVersion(ids, undefined)
  await versions.findRollbackVersion(ids, '1.0.0')
  await versions.listPreviousVersions(ids)
  const previews = createPreviewStore(database)
  await previews.find(ids, 'pvw_none', NOW)
  await previews.listAccounts(ids, 100)
  await previews.account(workspaceId, accountId)
  const preview = { previewId: newId('pvw', NOW), state: 'running' } as DefinitionPreview
  const times = { now: 0, expiresAt: NOW }
  await database.transaction(async (trx) => {
    await versions.findUnpinned(trx, definitionId)
    await versions.deleteFrom(trx, ids, { ...target, position: 9 })
    await versions.unpin(trx, ids)
    await versions.replace(trx, { ...ids, definitionId: 'def_none' }, target, NOW)
    await previews.findRunning(trx, ids, NOW)
    await previews.insert(trx, ids, { preview, bundleSha256: 'none', aliveUntil: NOW }, times)
    await previews.update(trx, preview, NOW)
  })
}

async function queryOAuthApps({ database, access, workspaceId, definitionId }: Run) {
  const apps = createOAuthAppStore(database)
  await apps.listCandidatesByDefinition(access, workspaceId, 'customer-17')
  await apps.countAccountsOf(database.read, [APP_ID], 1_000)
  await apps.list(access, { workspaceId }, PAGE)
  await apps.list(access, { workspaceId, definitionId }, PAGE)
  await apps.list(access, { workspaceId, accountIdentifier: 'customer-17' }, PAGE)
  await apps.list(access, { workspaceId, isDefault: true }, PAGE)
  await database.transaction(async (trx) => {
    await apps.find(trx, access, APP_ID)
    const ids = { workspaceId, definitionId }
    await apps.listCandidates(trx, access, ids, 'customer-17')
    await apps.findInWorkspace(trx, workspaceId, APP_ID)
    const [existing] = await apps.listCandidatesInWorkspace(trx, ids, 'customer-17')
    assert.ok(existing)
    await apps.update(trx, access, existing.oauthAppId, { updatedAt: NOW })
    await apps.endDefault(trx, existing, NOW)
    await apps.isInUse(trx, access, APP_ID)
    await apps.markFailing(trx, APP_ID, NOW)
    await apps.markRecovered(trx, APP_ID)
    await apps.setServer(trx, existing, { serverMetadata: '{}' })
    await apps.removeUnused(trx, ids, NOW)
    await apps.countAccounts(trx, APP_ID, 1_000)
    await apps.remove(trx, access, existing.oauthAppId)
    await apps.replaceSuccessors(trx, { ...existing, successorId: APP_ID, isDefault: true }, NOW)
    await apps.insert(trx, existing)
  })
}

async function queryOAuthFlow({ database, access, linkId }: Run): Promise<void> {
  const sessions = createOAuthSessionStore(database)
  const confirmations = createConfirmationStore(database)
  await sessions.findByPage(HASH, NOW)
  await sessions.findByState(HASH)
  await sessions.find(SESSION_ID)
  const ofPage = { sessionId: SESSION_ID, tokenId: null, linkId } as OAuthSession
  await sessions.findReturnPage(ofPage)
  await confirmations.findReconnect(access, HASH, NOW)
  await confirmations.findUndecided(NOW, 100)
  const binding = { stateHash: HASH, browserHash: HASH, sealed: HASH }
  await database.transaction(async (trx) => {
    await sessions.bindBrowser(trx, HASH, binding, NOW)
    await sessions.claim(trx, HASH, NOW)
    await sessions.end(trx, SESSION_ID, { accountId: 'acc_none' }, NOW)
    await eraseExpiredSessions(trx, NOW + 86_400_000, 100)
    await deleteExpiredSessions(trx, 0)
    await confirmations.confirmAccount(trx, access, HASH, NOW)
    const overdue = await confirmations.findOverdueAccounts(trx, NOW, 2)
    await confirmations.deleteOverdueAccounts(trx, overdue, NOW)
    await confirmations.deleteOverdueAccounts(trx, overdue, NOW)
    await confirmations.findAccountSession(trx, HASH)
    const awaited = { confirmHash: HASH, sealed: HASH, until: NOW }
    await confirmations.awaitDecision(trx, SESSION_ID, awaited)
    await confirmations.claimChoice(trx, SESSION_ID, NOW)
    await sessions.setChoice(trx, SESSION_ID, null)
  })
}

async function querySubmissions({ database, ...ids }: Run): Promise<void> {
  const { workspaceId, definitionId, linkId } = ids
  const submissions = createSubmissionStore(database)
  for (const pageId of [linkId, newId('cns', NOW)]) {
    const session = { sessionHash: HASH, pageId }
    await submissions.find(session, 'none')
    await submissions.findAt(pageId, 'none')
    await submissions.accounts(session)
    await submissions.account(session, 'none')
  }
  const failure = { code: 'credentials_rejected' }
  await database.transaction(async (trx) => {
    const sample = createSampleRows(NOW)
    await trx
      .insertInto('submissions')
      .values({
        ...sample.submissions,
        workspace_id: workspaceId,
        definition_id: definitionId,
        link_id: linkId,
        visit_hash: HASH,
        kind: 'sign_in',
        state: 'running',
        oauth_attempt_id: SESSION_ID,
      })
      .execute()
    const submission = {
      sessionHash: HASH,
      linkId,
      connectSessionId: null,
      submissionId: sample.submissions.attempt_id,
      workspaceId: sample.submissions.workspace_id,
      definitionId,
      authType: sample.submissions.auth_type,
      kind: 'sign_in',
      oauthSessionId: SESSION_ID,
      window: 'page',
      returnQuery: '',
      createdAt: NOW,
      expiresAt: NOW + 60_000,
    } satisfies NewSubmission
    await submissions.begin(trx, submission)
    await submissions.rebind(trx, submission)
    const { submissionId } = submission
    await submissions.end(trx, { submissionId }, failure, NOW)
    await submissions.end(trx, { oauthSessionId: SESSION_ID }, failure, NOW)
    await trx.deleteFrom('submissions').where('visit_hash', '=', HASH).execute()
  })
  await submissions.sweep(0)
}

async function queryConnectSessions({ database, access, workspaceId, linkId }: Run): Promise<void> {
  const sessions = createConnectSessionStore(database)
  const visited = createVisitedSessionStore(database)
  const page = { limit: 10, after: { createdAt: NOW, id: 'cns_none' } }
  await sessions.find(database.read, access, 'cns_none')
  for (const filter of [
    {},
    { accountIdentifier: 'customer-4' },
    { linkId },
    { status: 'created' as const },
    { order: '-createdAt' as const },
  ])
    await sessions.list(access, workspaceId, { ...filter, now: NOW }, page)
  await queryPortal(database, access, workspaceId)
  await visited.find('cns_none')
  await visited.findByToken(HASH)
  await database.transaction(async (trx) => {
    const { connect_sessions } = createSampleRows(NOW)
    const { connect_session_id: id } = connect_sessions
    await visited.findTags(trx, id)
    await trx
      .insertInto('connect_sessions')
      .values({ ...connect_sessions, workspace_id: workspaceId, link_id: linkId })
      .execute()
    await sessions.hasAtLeastOpen(trx, workspaceId, 3, NOW)
    await visited.bind(trx, id, HASH, NOW)
    await visited.noteFailure(trx, id, 'provider_error', NOW)
    await visited.setOAuthApp(trx, id, APP_ID, NOW)
    await visited.addAccount(trx, id, 'acc_none', NOW)
    await sessions.revoke(trx, access, id, NOW)
    await visited.markExpired(trx, 0, 10)
    await visited.sweep(trx, 0, 10)
    await trx.deleteFrom('connect_sessions').where('connect_session_id', '=', id).execute()
  })
}

async function queryPortal(
  database: Run['database'],
  access: Run['access'],
  workspaceId: Run['workspaceId'],
): Promise<void> {
  const accounts = createPortalAccountStore(database)
  const customer = { workspaceId, accountIdentifier: 'customer-4', accountId: null }
  const scope = { ...customer, definitionIds: [], typeKeys: [] }
  const narrowed = { ...customer, definitionIds: [['def_none' as const]], typeKeys: [['CRM']] }
  const one = { ...scope, accountId: 'acc_none' as const }
  for (const each of [scope, narrowed, one, { ...one, accountIdentifier: null }]) {
    const [first] = await accounts.list(access, each, { limit: 2 })
    await accounts.list(access, each, { limit: 2, after: first?.accountId })
    await accounts.find(access, each, 'acc_none')
  }
  const uses = createAccountUseStore(database)
  await uses.write([{ accountId: 'acc_none', at: NOW }])
  await uses.writeSuccess([{ accountId: 'acc_none', at: NOW }])
  await uses.writeErrors([{ accountId: 'acc_none', at: NOW, code: 'provider_error' }])
}

async function queryRequests({
  database,
  access,
  workspaceId,
  accountId,
  definitionId,
  userId,
}: Run): Promise<void> {
  const requests = createRequestLogStore(database)
  const filters: RequestFilter[] = [
    {},
    { kind: 'provider' },
    { accountId },
    { definitionId },
    { requestId: 'req-1' },
    { isFailure: true },
    { kind: 'provider', isFailure: true },
    { accountId, kind: 'provider', isFailure: true },
    { isFailure: false },
    { statusClass: 4 },
    { kind: 'api', from: NOW, to: NOW + 1_000 },
  ]
  for (const filter of filters)
    for (const after of [undefined, { createdAt: NOW + 500, id: 'req_none' }])
      await requests.list(access, workspaceId, filter, { limit: 10, after })
  await requests.find(access, newId('req', NOW))
  const entry: RequestEntry = {
    at: NOW,
    kind: 'api',
    operation: 'getAccount',
    method: 'GET',
    host: null,
    path: '/v1',
    status: 200,
    code: null,
    durationMs: 1,
    requestId: 'plans',
    workspaceId: null,
    accountId,
    definitionId,
    tokenId: null,
    userId,
    via: null,
  }
  await createRequestWriter(database)([{ entry, represents: 1 }])
  const retention = createRequestRetentionStore(database)
  await retention.nextWorkspace('')
  await retention.findBeyond(workspaceId, 100)
  await retention.deleteOld(workspaceId, 0, 10)
  await queryDebugWindows(database, { workspaceId, accountId }, entry)
}

async function queryStatistics({
  database,
  access,
  workspaceId,
  definitionId,
}: Run): Promise<void> {
  const store = createStatisticsStore(database)
  const period = { workspaceId, step: 'hour', from: NOW - 1_000, to: NOW } as const
  const metrics = ['connects', 'connect_failures', 'proxy_calls'] as const
  for (const by of [undefined, 'code', 'definition'] as const)
    for (const one of [undefined, definitionId])
      for (const some of [metrics, metrics.slice(0, 1)])
        await store.read(access, { ...period, metrics: some, by, definitionId: one })
  const count = { workspaceId, definitionId, code: 'link_full', hour: 0, count: 1, sum: 0 }
  await createStatisticsWriter(database)([{ ...count, metric: 'connect_failures' }])
  await deleteOldStatistics(database, 0)
  await database.transaction((trx) => deleteStatisticsOfWorkspace(trx, newId('wsp', NOW), 10))
}

async function queryDebugWindows(
  database: Database,
  { workspaceId, accountId }: Pick<Run, 'workspaceId' | 'accountId'>,
  entry: RequestEntry,
): Promise<void> {
  const windows = createDebugWindowStore(database)
  const requestLogId = newId('req', NOW)
  const account = { workspaceId, accountId }
  await database.transaction(async (trx) => {
    await windows.open(trx, account, { now: NOW, endsAt: NOW + 1_000 })
    await windows.end(trx, accountId, NOW + 900)
  })
  await windows.listOpen(NOW)
  const exchange = { ...account, requestLogId, openedAt: NOW, sealed: HASH }
  await windows.store([{ ...exchange, entry: { entry, represents: 1 } }])
  const vault = { openText: async () => '{}' }
  await findExchange(database, vault, { workspaceId, requestLogId }, NOW)
  await windows.deleteOld(NOW, 10)
}

async function queryBulkJobs({
  database,
  access,
  workspaceId,
  accountId,
  definitionId,
  userId,
}: Run): Promise<void> {
  const bulkJobs = createBulkJobStore(database)
  const bulkJobId = newId('blk', NOW)
  const tokenId = newId('tok', NOW)
  const creator = { userId, personId: null, tokenId, via: null, requestId: 'plans' }
  const times = { createdAt: NOW, finishedAt: null }
  const job = { bulkJobId, workspaceId, action: 'check' as const, creator, ...times }
  const item = { accountId, definitionId, outcome: 'waiting' as const, code: null }
  await bulkJobs.listAccounts(access, workspaceId, [accountId])
  await database.transaction(async (trx) => {
    await bulkJobs.countRunning(trx, workspaceId)
    await bulkJobs.insert(trx, job, [item], NOW)
    await bulkJobs.finishItem(trx, bulkJobId, accountId, { outcome: 'done', code: null })
  })
  await bulkJobs.find(access, bulkJobId)
  await bulkJobs.listItems(job, NOW)
  await bulkJobs.findToken(tokenId)
  await bulkJobs.start(bulkJobId, accountId)
  await bulkJobs.claimAbandoned({ now: NOW, aliveUntil: NOW })
  await bulkJobs.setLease(bulkJobId, NOW)
  await bulkJobs.finish(bulkJobId, NOW)
  await bulkJobs.eraseUrls(0)
  await bulkJobs.deleteOld(NOW + 1, 5)
}

async function queryAgentSessions({
  database,
  access,
  workspaceId,
  accountId,
  definitionId,
}: Run): Promise<void> {
  const agentSessions = createAgentSessionStore(database)
  const { agent_sessions } = createSampleRows(NOW)
  const session = AGENT_SESSION.fromRow({ ...agent_sessions, workspace_id: workspaceId })
  const page = { limit: 10, after: undefined }
  const customer = {
    workspaceId,
    accountIdentifier: 'customer-1',
    accountIds: [accountId],
    definitionIds: [definitionId],
    tags: { plan: 'a' },
  }
  await database.transaction(async (trx) => {
    await agentSessions.hasAtLeastOpen(trx, workspaceId, 1_000, NOW)
    await agentSessions.listAccounts(trx, access, customer, 101)
    await agentSessions.insert(trx, session)
    await agentSessions.find(trx, access, session.agentSessionId)
    await createAccountStore(database).updateAgentAccess(trx, access, accountId, 'paused')
    await agentSessions.listOfCustomer(trx, customer, NOW)
    await agentSessions.extend(trx, session.agentSessionId, { now: NOW - 1, expiresAt: NOW + 9 })
    await agentSessions.findWithOwner(trx, session.agentSessionId)
    await agentSessions.end(trx, session.agentSessionId, NOW)
    await agentSessions.addAccounts(trx, { ...session, accountIds: [] }, [accountId])
  })
  await agentSessions.findByToken(session.tokenId)
  await createAccountStore(database).findAgentAccess(access, accountId)
  await agentSessions.hasAny(access, workspaceId)
  await agentSessions.hasOpen(workspaceId, NOW)
  await agentSessions.listUsed(access, { ...customer, accountId }, 10)
  await agentSessions.spend(session.agentSessionId, { isWrite: true, now: NOW })
  await agentSessions.list(access, workspaceId, page)
  const after = { createdAt: NOW, id: session.agentSessionId }
  await agentSessions.list(access, workspaceId, { ...page, after })
  await createSessionAccountStore(database).list(access, [accountId])
}

async function queryOAuthServerRecords({ database }: Run): Promise<void> {
  const records = createOAuthServerRecordStore(database)
  const { oauth_server_records } = createSampleRows(NOW)
  const record = OAUTH_SERVER_RECORD.fromRow(oauth_server_records)
  await database.transaction(async (trx) => {
    await records.upsert(trx, record)
    await records.insert(trx, record)
    await records.hasAtLeast(trx, 'ags_none', 20_000)
    await records.extend(trx, record, NOW + 9)
  })
  await records.find(record, NOW)
  await records.consume(record, { uses: 1, graceMs: 0 }, NOW)
  await records.findAccess(record.idHash, NOW)
  await records.delete(record)
  await database.transaction((trx) => deleteRecordsOfSessions(trx, ['ags_none']))
  await records.deleteExpired(NOW, 100)
}

async function queryAgentApprovals({ database, access, workspaceId }: Run): Promise<void> {
  const agentApprovals = createAgentApprovalStore(database)
  const { agent_approvals } = createSampleRows(NOW)
  const approval = AGENT_APPROVAL.fromRow({ ...agent_approvals, workspace_id: workspaceId })
  const { agentApprovalId } = approval
  const page = { limit: 10, after: undefined }
  const decision = { status: 'approved', decidedBy: access.userId } as const
  await database.transaction(async (trx) => {
    await agentApprovals.listOpen(trx, approval, NOW)
    await agentApprovals.hasAtLeastPending(trx, { workspaceId }, 1_000, NOW)
    await agentApprovals.hasAtLeastPending(
      trx,
      { agentSessionId: approval.agentSessionId },
      100,
      NOW,
    )
    const customer = { workspaceId, accountIdentifier: 'customer-1' }
    await agentApprovals.hasAtLeastPending(trx, customer, 100, NOW)
    await agentApprovals.insert(trx, approval)
    await agentApprovals.find(trx, access, agentApprovalId)
    await agentApprovals.decide(trx, agentApprovalId, decision, NOW)
  })
  await agentApprovals.use(agentApprovalId, approval, NOW)
  await agentApprovals.deleteOld(NOW + 2, 100)
  const after = { createdAt: NOW, id: agentApprovalId }
  for (const status of [undefined, 'pending', 'used'] as const)
    for (const each of [page, { ...page, after }])
      await agentApprovals.list(access, { workspaceId, status, now: NOW }, each)
}

async function querySignInRequests({ database, access, workspaceId }: Run): Promise<void> {
  const signInRequests = createSignInRequestStore(database)
  const { sign_in_requests } = createSampleRows(NOW)
  const request = SIGN_IN_REQUEST.fromRow({ ...sign_in_requests, workspace_id: workspaceId })
  const { signInRequestId } = request
  await database.transaction(async (trx) => {
    await signInRequests.insert(trx, request)
    await signInRequests.find(trx, access, signInRequestId)
    await signInRequests.findLast(trx, request)
    await signInRequests.findConnected(trx, access, 'cns_none')
    await signInRequests.update(
      trx,
      { signInRequestId, from: ['created'], codeHash: new Uint8Array(32), now: NOW },
      { status: 'opened' },
    )
  })
  await signInRequests.findForPage(signInRequestId)
  await signInRequests.listAccounts(access, request, 11)
  await signInRequests.deleteOld(NOW + 2, 100)
}

async function queryTools({ database, workspaceId }: Run): Promise<void> {
  const mcpTools = createMcpToolStore(database)
  const { mcp_tools } = createSampleRows(NOW)
  const tool = MCP_TOOL.fromRow({ ...mcp_tools, workspace_id: workspaceId })
  const { name } = tool
  await database.transaction(async (trx) => {
    await mcpTools.insert(trx, [tool])
    await mcpTools.noteSeen(trx, tool, { names: [name], now: NOW })
    await mcpTools.noteChange(trx, tool, { sha256: '', now: NOW, before: NOW })
    await mcpTools.accept(trx, tool)
  })
  await mcpTools.list(tool)
  await mcpTools.listDefinitions(tool, [name])
  await mcpTools.deleteOld(NOW + 2, 100)
}

async function queryAttempts({
  database,
  access,
  workspaceId,
  linkId,
  ...run
}: Run): Promise<void> {
  const attempts = createAttemptStore(database)
  const { definitionId } = run
  for (const filter of [
    {},
    { linkId },
    { connectSessionId: 'cns_none' as const },
    { accountIdentifier: 'customer-4' },
    { definitionId },
    { code: 'provider_error' },
    { accountId: 'acc_none' as const },
    { requestId: 'plans' },
    { outcome: 'failed' as const },
    { from: NOW, to: NOW + 1_000 },
    { linkId, code: 'provider_error', from: NOW },
  ]) {
    for (const after of [undefined, { createdAt: NOW + 500, id: 'cna_none' }])
      await attempts.list(access, workspaceId, filter, { limit: 10, after })
    await attempts.count(access, workspaceId, filter, 10)
  }
  await attempts.deleteOld(0, 10)
  await database.transaction(async (trx) => {
    const attempt = {
      workspaceId,
      definitionId,
      linkId,
      authType: 'Token',
      via: 'api' as const,
      outcome: 'failed' as const,
      code: 'provider_error',
      providerStatus: 503,
      accountId: null,
      connectSessionId: null,
      accountIdentifier: null,
    }
    // Later than the others, so that the workspace is below its limit.
    await insertBoundedAttempt(trx, { requestId: 'plans' }, NOW + 7_200_000, attempt)
  })
}

async function queryUsers({ database, access, userId, workspaceId }: Run): Promise<void> {
  const users = createUserStore(database)
  const tokens = createTokenStore(database)
  const accessTokens = createAccessTokenStore(database)
  await users.find(userId)
  await users.findOwner(database.read)
  await tokens.list(access, PAGE)
  await tokens.list(access, { ...PAGE, after: undefined })
  await accessTokens.findByHash(HASH)
  await accessTokens.touchLastUsed('tok_none', NOW)
  await accessTokens.listAncestors('tok_none')
  const rateUsages = createRateUsageStore(database)
  await rateUsages.exchange('node', [{ key: 'r:tok_none', minute: 1, count: 1 }])
  await rateUsages.sweep(0)
  await database.transaction(async (trx) => {
    await tokens.find(trx, access, 'tok_none')
    await tokens.isLive(trx, 'tok_none')
    await tokens.findMemberToken(trx, 'tok_none')
    await listLiveAccountIds(trx, access, workspaceId, ['acc_none'])
    await tokens.exists(trx, HASH)
    await tokens.revokeEnvironmentTokens(trx, userId, NOW)
    await tokens.revoke(trx, access, 'tok_none', NOW)
    await findStoredToken(trx, 'tok_none')
    await listCreatedUsers(trx, 'tok_none')
    await tokens.markExpiring(trx, 0, 100)
    await isRecordedSince(trx, access, NOW, {
      action: 'oauth_app.tested',
      workspaceId,
      subject: APP_ID,
    })
  })
}

async function queryWorkspaces({ database, access, workspaceId }: Run): Promise<void> {
  const workspaces = createWorkspaceStore(database)
  await workspaces.list(access, { limit: 10, after: undefined })
  await workspaces.find(access, workspaceId)
  await workspaces.findPublic(workspaceId)
  await workspaces.findWithSignIn(workspaceId)
  await workspaces.listWithSignIn(2)
  await workspaces.oldest(access)
  const change = { settings: {}, updatedAt: NOW }
  await database.transaction((trx) => workspaces.update(trx, access, workspaceId, change))
}

async function queryCatalogue({ database, definitionId }: Run): Promise<void> {
  const catalogue = createCatalogueStore(database)
  const offered = { definitionId, version: '9', sourceUrl: '/', bundleSha256: 'none' }
  await catalogue.hasCustomDefinitions()
  await catalogue.listDefinitions()
  await catalogue.listVersions()
  await catalogue.listVersions(definitionId)
  await catalogue.setDeleted(ACME_SANDBOX_ID, NOW)
  await catalogue.setDeleted(ACME_SANDBOX_ID, null)
  await createInstanceKeyStore(database).find('registry')
  await createInstanceKeyStore(database).hasDataKey()
  await database.transaction(async (trx) => {
    await pinActiveWorkspaces(trx, definitionId)
    await markUpdateDue(trx, definitionId, '9')
    for (const pin of await listDueUpdates(trx, 100)) await clearUpdateDue(trx, pin)
    await catalogue.update(trx, offered, { updatedAt: NOW } as DefinitionChange)
    await catalogue.updateVersion(trx, offered)
    await catalogue.hasAuditEvent(trx, definitionId, '{}')
    const registry = { url: 'https://registry.example', etag: null, document: null }
    await registryStore.claim(trx, registry.url, NOW, NOW)
    await registryStore.saveDocument(trx, registry, NOW)
    await registryStore.reschedule(trx, registry.url, NOW)
  })
}

/** Tokens that a provider replaced during a check, and the leases of such checks. */
async function queryTokensOfProviders({ database, workspaceId, definitionId }: Run) {
  const context = { tenant: { workspaceId }, definitionId, authType: 'OAuth2' } as RotationContext
  const vault = {} as Vault
  const rotations = createRotationStore(database, vault, () => NOW)
  await rotations.find(context, ['a token', 'another'])
  await database.transaction((trx) => rotations.delete(trx, context, ['a token', 'another']))
  await sweepRotations(database, 0)
  const leases = createTokenLeaseStore(database, () => NOW)
  const acquired = await leases.acquire(workspaceId, ['rotation'])
  await acquired[Symbol.asyncDispose]()
  await leases.sweep()
}

async function queryGrants({ database, access, ...ids }: Run): Promise<void> {
  const { workspaceId, definitionId, accountId } = ids
  await queryHealth(database, ids)
  const refreshes = createRefreshStore(database, () => NOW)
  await refreshes.find(accountId)
  await refreshes.findFor(access, accountId)
  await refreshes.findDefinition({ workspaceId, definitionId })
  const lease = { accountId, owner: 'a node', version: 1 }
  const owner = { clientId: 'client-1', definitionId }
  const found = { identityId: 'user-4', accountIdentifier: 'customer-4' }
  await database.transaction(async (trx) => {
    await refreshes.acquireLease(trx, lease, 1_000)
    await refreshes.updateWithLease(trx, lease, { refreshAt: NOW, updatedAt: NOW })
    for (const spannedWorkspaceId of [undefined, workspaceId])
      for (const identityId of [null, 'user-4'])
        await isPossiblyShared(trx, { ...owner, spannedWorkspaceId, identityId })
    for (const identity of [
      found,
      { ...found, identityId: null },
      { ...found, accountIdentifier: null },
    ]) {
      const account = { accountId, workspaceId, ...identity } as Account
      await findSiblingCandidates(trx, account, 'client-1')
    }
    await claimRevocation(trx, 'acc_none', ['acc_none', 'acc_other'], refreshes.clock())
  })
}

async function queryEvents({ database, access, workspaceId, accountId }: Run): Promise<void> {
  const events = createEventStore(database)
  await events.getRange(access, workspaceId)
  const range = { after: 0, until: 1_000, limit: 100 }
  for (const filter of [
    {},
    { types: ['account.*', 'link.created'] },
    { subject: accountId },
    { accountIdentifier: 'customer-4' },
  ]) {
    await events.list(access, workspaceId, range, filter)
    await events.list(access, workspaceId, { ...range, order: 'desc' }, filter)
  }
  await events.find(access, 'evt_none')
  await events.listLast([workspaceId])
  await events.listUnnumbered(100)
  await createEventLagReader(database, () => NOW)()
  await createNumberStore(
    database,
    createFanOut(database, () => NOW),
  ).number([workspaceId], 100)
  await events.deleteOld(Number.MAX_SAFE_INTEGER, 100)
  await listAccountChanges(database, access, { workspaceId, accountId })
  await database.transaction(async (trx) => {
    const { status, statusReason } = await readAccountSnapshot(trx, accountId)
    await record(trx, SYSTEM_ACTOR, NOW, {
      action: 'account.error',
      workspaceId,
      subject: accountId,
      account: { accountId, status, statusReason },
      event: { type: 'account.error', subject: accountId, data: {} },
    })
  })
}

async function queryIdempotencyKeys({ database, access, workspaceId }: Run): Promise<void> {
  const store = createIdempotencyKeyStore(database, () => NOW)
  const claim = { ...access, keyHash: HASH, owner: store.createOwner() }
  const response = { status: 201, sealed: HASH }
  const request = { operation: 'createLink', fingerprint: HASH, scopes: ['read'] }
  await store.claim(claim, request)
  await store.claim({ ...claim, owner: 'another' }, request)
  await store.extend(claim)
  await database.transaction((trx) =>
    settleIdempotencyKey(
      trx,
      { ...claim, seal: () => response },
      { workspaceId, resource: 'x', response },
    ),
  )
  await store.storeResponse(claim, response)
  await store.release(claim)
  const retention = createIdempotencyRetentionStore(database, () => NOW)
  await retention.measure(access.userId)
  await retention.deleteExpired(100)
  await retention.deleteOldest(access.userId, 100)
  await database.transaction(async (trx) => {
    await deleteIdempotencyKeys(trx, access, { resources: ['acc_none'] })
    await deleteIdempotencyKeys(trx, access, { workspaceId })
  })
}

async function queryKeys({ database, access, accountId }: Run): Promise<void> {
  await runLostValueQueries(database, accountId)
  await runConsoleQueries(database, access.userId)
  const keys = createKeyStore(database)
  const data = { keyId: 'k2', wrapped: HASH, number: 1, previous: null, updatedAt: null }
  const none: StoredDataKeys = { workspaceId: 'wsp_none', ...data }
  await keys.find('wsp_none')
  await keys.listKeyIds()
  await keys.listChecks(['k1', 'k2'])
  await keys.list(100)
  await keys.listUnfinished(100)
  await createOutdatedKeyReader(database, 'k2')()
  await database.transaction(async (trx) => {
    await keys.listWrappedByOthers(trx, 'k2', 100)
    await keys.replace(trx, none, none, NOW)
    await keys.deleteCheck(trx, 'k2')
  })
}

async function queryAudit({ database, access, workspaceId, accountId }: Run): Promise<void> {
  const audit = createAuditStore(database)
  const auditExports = createAuditExportStore(database)
  for (const chainId of [workspaceId, null]) {
    const chain = { access, chainId }
    const window = { first: 100, last: 200, limit: 10 }
    await audit.getRange(chain)
    await audit.findFirst(chain, NOW)
    await audit.findLast(chain, NOW)
    await audit.findHash(chain, 100)
    await auditExports.readChain(chain, window)
    await audit.list(chain, window, {
      from: 1,
      to: NOW,
      action: 'x',
      tokenId: 'x',
      ip: 'x',
      outcome: 'done',
    })
    await audit.list(chain, window, { actor: 'x' })
    await audit.list(chain, { ...window, first: 1 }, { subject: accountId })
    await audit.list(chain, { ...window, first: 1 }, { requestId: 'req-1' })
  }
  const collected = createCollectedStore(database, () => NOW)
  const tokenHash = Buffer.from(HASH).toString('base64url')
  await collected.writeRefusals([
    { minute: 1, code: 'token_invalid', tokenHash, ip: null, count: 1 },
  ])
  const { userId } = access
  const tokenId = newId('tok', NOW)
  await collected.writeProxyUse([
    {
      workspaceId,
      accountId,
      userId,
      tokenId,
      ip: null,
      hour: 1,
      calls: 1,
      writes: 0,
      hosts: new Set(),
    },
  ])
  const chains = createAuditChainStore(database)
  const retention = createAuditRetentionStore(database)
  await chains.listUnchained(100)
  await chains.listDueCheckpoints(NOW, 100)
  await retention.listChains(workspaceId, 100)
  await retention.isOlder(workspaceId, 0)
  await retention.isOlder(null, 0)
  await chains.collectUnchained(10, NOW)
  const now = NOW + 3_600_000
  const waiting = await chains.listUnchained(100)
  const { due } = await chains.chain([null, ...waiting], { limit: 10, now })
  await chains.publishCheckpoints(due, { now, signer: { keyId: 'key', sign: () => HASH } })
  await retention.deleteOld(workspaceId, Number.MAX_SAFE_INTEGER, 1)
  await retention.deleteOld(null, 0, 10)
}

async function queryDispatch({ database, workspaceId }: Run): Promise<void> {
  const now = () => NOW
  const leases = createLeaseStore(database, now)
  const claims = createDeliveryClaimStore(database, now)
  const settlements = createSettlementStore(database, now)
  const sample = createSampleRows()
  const { endpoint_id: endpointId } = sample.webhook_endpoints
  await database.transaction((trx) =>
    trx
      .insertInto('webhook_endpoints')
      .values({ ...sample.webhook_endpoints, workspace_id: workspaceId, due_at: NOW })
      .execute(),
  )
  const lease = { workspaceId, endpointId, owner: 'owner' }
  await leases.listDue()
  await leases.clear()
  await leases.countStates()
  await leases.readLagMs()
  await leases.acquire(lease, 30_000)
  await leases.extend(lease, 30_000)
  await claims.readEndpoint(lease)
  await claims.listDue(lease, 64, [{ sequence: 1, round: 0 }])
  const event = {
    eventId: newId('evt', NOW),
    version: 1,
    workspaceId,
    sequence: 1,
    type: 'link.created',
    at: NOW,
    subject: 'acc_none',
    accountIdentifier: null,
    data: {},
    cause: { kind: 'system', via: 'background', requestId: null },
  } as const
  const ids = { sequence: 1, round: 0, subject: 'acc_none', event }
  const delivery = { ...ids, attempts: 0, createdAt: NOW }
  const attempt = { delivery, disables: false, isProbe: false, status: null, ms: 1, response: 'x' }
  const results = (['delivered', 'failed'] as const).map((outcome) => ({
    ...attempt,
    outcome,
    code: null,
    retryAfterMs: null,
  }))
  const options = { node: 'node', onTransition: async () => {} }
  const lost = { ...lease, owner: 'former' }
  for (const held of [lease, lost])
    await settlements.settle([{ lease: held, results, release: 'never' }], options)
  await settlements.postpone(lease, 'key_missing')
  const cleanUp = createDeliveryCleanUpStore(database)
  for (const state of ['delivered', 'failed'] as const) await cleanUp.deleteSettled(state, NOW, 100)
  await database.transaction((trx) =>
    trx
      .updateTable('webhook_endpoints')
      .set({ deleted_at: NOW })
      .where('endpoint_id', '=', endpointId)
      .execute(),
  )
  await cleanUp.deleteOfDeletedEndpoints(100)
}

const LINK_UPDATE = {
  name: 'New',
  maxAccounts: null,
  maxAccountsPerIdentifier: 1,
  allowedOrigins: [],
  redirectUrls: [],
  updatedAt: NOW,
}
