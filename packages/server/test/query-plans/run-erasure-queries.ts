import type { WorkspaceAccess } from '../../src/access/auth/caller.ts'
import type { WorkspaceId } from '../../src/access/workspaces/workspace.ts'
import { SYSTEM_ACTOR } from '../../src/platform/record/change.ts'
import { record } from '../../src/platform/record/record-store.ts'
import type { Database, Transaction } from '../../src/platform/storage/database.ts'
import { newId } from '../../src/platform/storage/id.ts'
import { createSampleRows } from '../../src/platform/storage/test/sample-rows.ts'
import { createKeyStore } from '../../src/platform/vault/key-store.ts'
import { createCustomerAccountStore } from '../../src/privacy/erasure/customer-accounts-store.ts'
import {
  deleteAccountKeys,
  type EraseStep,
  eraseAgentSessions,
  eraseAttempts,
  eraseConnectSessions,
  eraseOAuthApps,
  eraseOAuthSessions,
  erasePreviews,
  eraseRequests,
  eraseSubmissions,
  scrubRemainingEvents,
} from '../../src/privacy/erasure/customer-rows-store.ts'
import { createErasureStore } from '../../src/privacy/erasure/erasure-store.ts'
import { createExportStore } from '../../src/privacy/erasure/export-store.ts'
import { createRetentionStore } from '../../src/privacy/erasure/retention-store.ts'
import { hasManyRecords, scrubAuditEvents } from '../../src/privacy/erasure/scrub-records-store.ts'
import {
  createWorkspaceDeletionStore,
  DELETE_REMAINDER,
  DELETE_SESSIONS,
} from '../../src/privacy/erasure/workspace-deletion-store.ts'
import type { FilledRows } from './fill-database.ts'

interface Run extends FilledRows {
  readonly database: Database
  readonly access: WorkspaceAccess
}

const NOW = 1_700_000_000_000
const LEASE = { now: NOW, aliveUntil: NOW }
const STEPS: readonly EraseStep[] = [
  eraseConnectSessions,
  eraseAgentSessions,
  eraseOAuthApps,
  eraseOAuthSessions,
  eraseSubmissions,
  eraseRequests,
  erasePreviews,
  scrubRemainingEvents,
  deleteAccountKeys,
  eraseAttempts,
]

/** Runs the queries of erasure, export, deletion of workspaces and retention. */
export async function queryErasure(run: Run): Promise<void> {
  await queryExport(run)
  await rollBack(run.database, (trx) => eraseCustomer(trx, run))
  await rollBack(run.database, (trx) => deleteWorkspace(trx, run))
  const { database, workspaceId } = run
  await claimAbandoned(run)
  await createCustomerAccountStore(database).list({ workspaceId, identifier: 'customer-4' }, 16)
  const retention = createRetentionStore(database)
  const unused = createSampleRows(NOW).bundles
  await database.transaction((trx) => trx.insertInto('bundles').values(unused).execute())
  await retention.deleteTombstones(Number.MAX_SAFE_INTEGER)
  await retention.deleteEndedLinks(Number.MAX_SAFE_INTEGER)
  await retention.deleteRevokedTokens(Number.MAX_SAFE_INTEGER)
  await retention.deleteUnusedBundles(NOW * 2, { createdAt: 0, sha256: '' })
}

async function claimAbandoned({ database, workspaceId }: Run): Promise<void> {
  const erasures = createErasureStore(database)
  const deletions = createWorkspaceDeletionStore(database)
  const due = { now: NOW + 1, aliveUntil: NOW + 1 }
  await database.transaction(async (trx) => {
    await erasures.claim(trx, createErasure(workspaceId), LEASE)
    await trx
      .insertInto('workspace_deletions')
      .values({ workspace_id: workspaceId, alive_until: NOW, created_at: NOW, finished_at: null })
      .execute()
  })
  await erasures.find({ workspaceId, identifierHash: new Uint8Array(3) })
  await erasures.claimAbandoned(due)
  await deletions.isRunning(workspaceId)
  await deletions.claimAbandoned(due)
  await deletions.listLiveAccounts(workspaceId, 16)
  const pass = { now: NOW, secondPassAt: NOW }
  for (let count = 0; count < 2; count += 1)
    await database.transaction((trx) => deletions.finishPass(trx, workspaceId, pass))
}

function createErasure(workspaceId: WorkspaceId) {
  return {
    erasureId: newId('ers', NOW),
    workspaceId,
    identifierHash: new Uint8Array(3),
    sealedIdentifier: new Uint8Array(3),
    counts: {},
    isRunning: true,
    createdAt: NOW,
    finishedAt: null,
  }
}

async function queryExport({ database, access, workspaceId, accountId }: Run): Promise<void> {
  await hasManyRecords(database, workspaceId, accountId)
  const exports = createExportStore(database)
  const customer = { workspaceId, identifier: 'customer-4' }
  for (const isLive of [true, false])
    await exports.listAccounts(access, customer, isLive, { createdAt: 0, id: '' })
  await exports.listChanges(access, workspaceId, accountId)
  await exports.listEvents(access, customer, accountId, 0)
  await exports.listEvents(access, customer, undefined, 0)
  await exports.listBulkResults(access, workspaceId, accountId)
  await exports.listRequests(access, workspaceId, accountId, { at: 0, id: '' })
  await exports.listAuditEvents(access, workspaceId, accountId, { at: 0, id: '' })
  await exports.listOAuthSessions(access, customer, 'att_')
  await exports.listOAuthApps(access, customer)
  await exports.listAgentSessions(access, customer, 'ags_')
  await exports.listConnectSessions(access, customer, '1 cns_')
  await exports.listAttempts(access, customer, '1 cna_')
  await exports.listSubmissions(access, customer, 'a')
}

async function eraseCustomer(trx: Transaction, run: Run): Promise<void> {
  const { database, access, workspaceId, accountId } = run
  const erasures = createErasureStore(database)
  const erasure = createErasure(workspaceId)
  const claimed = await erasures.claim(trx, erasure, { now: NOW + 2, aliveUntil: NOW })
  const { erasureId } = claimed ?? erasure
  await erasures.addCounts(trx, erasureId, { events: 1 }, NOW)
  await erasures.finish(trx, erasureId, NOW)
  await record(trx, SYSTEM_ACTOR, NOW, {
    action: 'account.error',
    workspaceId,
    subject: accountId,
    event: { type: 'account.error', subject: accountId, accountIdentifier: 'customer-4', data: {} },
  })
  await trx
    .updateTable('events')
    .set((eb) => ({ sequence: eb('position', '+', 1_000_000) }))
    .where('workspace_id', '=', workspaceId)
    .where('sequence', 'is', null)
    .execute()
  const endpoint = { ...createSampleRows(NOW).webhook_endpoints, workspace_id: workspaceId }
  await trx.insertInto('webhook_endpoints').values(endpoint).execute()
  const customer = { workspaceId, identifier: 'customer-4' }
  await insertSessions(trx, run, customer.identifier)
  for (const step of STEPS) {
    let cursor: string | undefined = ''
    while (cursor !== undefined) cursor = (await step(trx, customer, cursor)).next
  }
  const accounts = [
    { accountId, isLive: true },
    { accountId, isLive: false },
  ]
  await createCustomerAccountStore(database).erase(trx, customer, accounts, {
    positions: new Map(),
    now: NOW,
  })
  const { account_identifier } = await trx
    .selectFrom('accounts')
    .select('account_identifier')
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow()
  const own = { workspaceId, identifier: account_identifier ?? '' }
  await createCustomerAccountStore(database).erase(trx, own, accounts, {
    positions: new Map(),
    now: NOW,
  })
  await scrubAuditEvents(trx, workspaceId, accountId, { at: 0, eventId: '' })
  const key = { ...createSampleRows(NOW).idempotency_keys, resource: accountId }
  const { userId: user_id } = access
  await trx
    .insertInto('idempotency_keys')
    .values({ ...key, user_id, expires_at: 1 })
    .execute()
  await deleteAccountKeys(trx, customer, '0')
}

/** A session of each kind that belongs to the customer. */
async function insertSessions(trx: Transaction, run: Run, identifier: string): Promise<void> {
  const { connect_sessions, oauth_sessions, submissions } = createSampleRows(NOW)
  const page = { workspace_id: run.workspaceId, link_id: run.linkId }
  const account_identifier = identifier
  await trx
    .insertInto('connect_sessions')
    .values({ ...connect_sessions, ...page, account_identifier })
    .execute()
  await trx
    .insertInto('oauth_sessions')
    .values({ ...oauth_sessions, ...page, definition_id: run.definitionId, account_identifier })
    .execute()
  await trx
    .insertInto('submissions')
    .values({
      ...submissions,
      ...page,
      definition_id: run.definitionId,
      return_query: `accountIdentifier=${identifier}`,
    })
    .execute()
}

async function deleteWorkspace(trx: Transaction, run: Run): Promise<void> {
  const { database, access, workspaceId, accountId } = run
  const deletions = createWorkspaceDeletionStore(database)
  await deletions.markDeleted(trx, access, workspaceId, LEASE)
  await deletions.extendLease(trx, workspaceId, NOW)
  await deletions.deleteAccounts(trx, workspaceId, [accountId])
  for (const step of [...DELETE_SESSIONS, ...DELETE_REMAINDER])
    while ((await step(trx, workspaceId)) > 0);
  await createKeyStore(database).delete(trx, workspaceId)
  await deletions.finishPass(trx, workspaceId, { now: NOW, secondPassAt: NOW })
}

async function rollBack(
  database: Database,
  work: (trx: Transaction) => Promise<void>,
): Promise<void> {
  const rollback = new Error('roll back')
  await database
    .transaction(async (trx) => {
      await work(trx)
      throw rollback
    })
    .catch((error) => {
      if (error !== rollback) throw error
    })
}
