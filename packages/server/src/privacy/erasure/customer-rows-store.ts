import type { UserId } from '../../access/users/user.ts'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import { deleteRecordsOfSessions } from '../../accounts/agents/oauth-server-record-store.ts'
import type { DefinitionPreview } from '../../accounts/upgrades/schemas.ts'
import {
  deleteIdempotencyKeys,
  deleteKeysOfErasedAccounts,
  listErasedAccounts,
} from '../../platform/record/idempotency-retention-store.ts'
import type { Transaction } from '../../platform/storage/database.ts'
import { isId } from '../../platform/storage/id.ts'
import { addCounts, type Customer, type ErasureCounts, isSubmissionOf } from './erasure.ts'
import { AUDIT_START, scrubAuditEvents, scrubEventsOfCustomer } from './scrub-records-store.ts'

/*
 * The steps of an erasure besides the accounts. A row is the customer's if its column `account_identifier` has exactly the
 * identifier, if it belongs to a row that has, or if the query of its page does. Texts are never searched: an identifier
 * such as `https` or `name` would be found in those of other customers.
 */

/** Deletes the connect sessions of the customer, with their submissions. */
export const eraseConnectSessions: EraseStep = async (trx, { workspaceId, identifier }) => {
  const rows = await trx
    .selectFrom('connect_sessions')
    .select('connect_session_id as id')
    .where('workspace_id', '=', workspaceId)
    .where('account_identifier', '=', identifier)
    .orderBy('created_at')
    .orderBy('connect_session_id')
    .limit(PAGE)
    .execute()
  const ids = rows.map(({ id }) => id)
  if (ids.length === 0) return { counts: {}, next: undefined }
  const submissions = await trx
    .deleteFrom('submissions')
    .where('workspace_id', '=', workspaceId)
    .where('connect_session_id', 'in', ids)
    .executeTakeFirst()
  await trx.deleteFrom('connect_sessions').where('connect_session_id', 'in', ids).execute()
  await deleteKeys(trx, workspaceId, ids)
  const counts = { connectSessions: ids.length, submissions: Number(submissions.numDeletedRows) }
  return { counts, next: getNext(rows) }
}

/** Deletes the agent sessions of the customer, with their tokens and approvals. */
export const eraseAgentSessions: EraseStep = async (trx, { workspaceId, identifier }) => {
  // Also of a customer who has no session yet.
  await trx
    .deleteFrom('sign_in_requests')
    .where('workspace_id', '=', workspaceId)
    .where('expected_identifier', '=', identifier)
    .execute()
  const rows = await trx
    .selectFrom('agent_sessions')
    .select(['agent_session_id as id', 'token_id'])
    .where('workspace_id', '=', workspaceId)
    .where('account_identifier', '=', identifier)
    .limit(PAGE)
    .execute()
  const ids = rows.map(({ id }) => id)
  if (ids.length === 0) return { counts: {}, next: undefined }
  const tokenIds = rows.map((row) => row.token_id)
  await trx.deleteFrom('tokens').where('token_id', 'in', tokenIds).execute()
  await trx.deleteFrom('agent_approvals').where('agent_session_id', 'in', ids).execute()
  await deleteRecordsOfSessions(trx, ids)
  await trx.deleteFrom('agent_sessions').where('agent_session_id', 'in', ids).execute()
  await deleteKeys(trx, workspaceId, ids)
  return { counts: { agentSessions: ids.length }, next: getNext(rows) }
}

/** Deletes the own OAuth apps of the customer, whose accounts are erased. */
export const eraseOAuthApps: EraseStep = async (trx, { workspaceId, identifier }) => {
  const rows = await trx
    .selectFrom('oauth_apps')
    .select('oauth_app_id as id')
    .where('workspace_id', '=', workspaceId)
    .where('account_identifier', '=', identifier)
    .limit(PAGE)
    .execute()
  const ids = rows.map(({ id }) => id)
  if (ids.length === 0) return { counts: {}, next: undefined }
  await trx.deleteFrom('oauth_apps').where('oauth_app_id', 'in', ids).execute()
  await deleteKeys(trx, workspaceId, ids)
  return { counts: { oauthApps: ids.length }, next: getNext(rows) }
}

/** Deletes the OAuth sessions of the customer. */
export const eraseOAuthSessions: EraseStep = async (trx, customer, cursor) => {
  const rows = await trx
    .selectFrom('oauth_sessions')
    .select(['attempt_id as id', 'account_identifier'])
    .where('workspace_id', '=', customer.workspaceId)
    .where('attempt_id', '>', cursor as 'att_')
    .orderBy('attempt_id')
    .limit(PAGE)
    .execute()
  const ids = rows
    .filter((row) => row.account_identifier === customer.identifier)
    .map((row) => row.id)
  if (ids.length > 0)
    await trx.deleteFrom('oauth_sessions').where('attempt_id', 'in', ids).execute()
  return { counts: { oauthSessions: ids.length }, next: getNext(rows) }
}

/** Deletes the submissions of links' connect pages whose query has the identifier. */
export const eraseSubmissions: EraseStep = async (trx, customer, cursor) => {
  const rows = await trx
    .selectFrom('submissions')
    .select(['attempt_id as id', 'return_query', 'connect_session_id'])
    .where('workspace_id', '=', customer.workspaceId)
    .where('attempt_id', '>', cursor)
    .orderBy('attempt_id')
    .limit(PAGE)
    .execute()
  const ids = rows.filter((row) => isSubmissionOf(row, customer)).map((row) => row.id)
  if (ids.length > 0) await trx.deleteFrom('submissions').where('attempt_id', 'in', ids).execute()
  return { counts: { submissions: ids.length }, next: getNext(rows) }
}

/**
 * Deletes the requests for the accounts of the customer, and those to providers while someone tried to connect one: their hosts and
 * paths can name people.
 */
export const eraseRequests: EraseStep = async (trx, { workspaceId, identifier }) => {
  const ofAccounts = await trx
    .deleteFrom('request_log')
    .where('request_log_id', 'in', (eb) =>
      eb
        .selectFrom('request_log')
        .innerJoin('accounts', 'accounts.account_id', 'request_log.account_id')
        .select('request_log_id')
        .where('accounts.workspace_id', '=', workspaceId)
        .where('accounts.account_identifier', '=', identifier)
        .where('request_log.workspace_id', '=', workspaceId)
        .limit(PAGE),
    )
    .executeTakeFirst()
  const ofAttempts = await trx
    .deleteFrom('request_log')
    .where('request_log_id', 'in', (eb) =>
      eb
        .selectFrom('request_log')
        .innerJoin('connect_attempts', 'connect_attempts.request_id', 'request_log.request_id')
        .select('request_log_id')
        .where('connect_attempts.workspace_id', '=', workspaceId)
        .where('connect_attempts.account_identifier', '=', identifier)
        .where('request_log.workspace_id', '=', workspaceId)
        .limit(PAGE),
    )
    .executeTakeFirst()
  const requests = Number(ofAccounts.numDeletedRows + ofAttempts.numDeletedRows)
  // A full page may have had some twice.
  return { counts: { requests }, next: requests > 0 ? 'more' : undefined }
}

/** Deletes the attempts to connect an account for the customer. */
export const eraseAttempts: EraseStep = async (trx, { workspaceId, identifier }) => {
  const { numDeletedRows } = await trx
    .deleteFrom('connect_attempts')
    .where('attempt_id', 'in', (eb) =>
      eb
        .selectFrom('connect_attempts')
        .select('attempt_id')
        .where('workspace_id', '=', workspaceId)
        .where('account_identifier', '=', identifier)
        .limit(PAGE),
    )
    .executeTakeFirst()
  const attempts = Number(numDeletedRows)
  return { counts: { attempts }, next: attempts === PAGE ? 'more' : undefined }
}

/**
 * Deletes the previews that have what an integration said about an erased account, and those that run, which may still
 * store it.
 */
export const erasePreviews: EraseStep = async (trx, { workspaceId }, cursor) => {
  const [definitionId = '', previewId = ''] = cursor.split(' ')
  const rows = await trx
    .selectFrom('previews')
    .select(['definition_id', 'preview_id', 'state', 'result'])
    .where('workspace_id', '=', workspaceId)
    .where((eb) =>
      eb(
        eb.refTuple('definition_id', 'preview_id'),
        '>',
        eb.tuple(definitionId as 'def_', previewId as 'pvw_'),
      ),
    )
    .orderBy('definition_id')
    .orderBy('preview_id')
    .limit(PREVIEWS)
    .execute()
  const ids: (typeof rows)[number]['preview_id'][] = []
  for (const row of rows)
    if (row.state === 'running' || (await hasErasedAccount(trx, workspaceId, row.result)))
      ids.push(row.preview_id)
  if (ids.length > 0) await trx.deleteFrom('previews').where('preview_id', 'in', ids).execute()
  const last = rows.length === PREVIEWS ? rows.at(-1) : undefined
  return {
    counts: { previews: ids.length },
    next: last && `${last.definition_id} ${last.preview_id}`,
  }
}

/** Scrubs events that have the identifier, and the audit entries about the connect sessions that these tell of. */
export const scrubRemainingEvents: EraseStep = async (trx, customer) => {
  const { counts, subjects, hasMore } = await scrubEventsOfCustomer(trx, customer)
  let sum = counts
  for (const subject of subjects)
    if (isId('cns', subject)) {
      // A session is created, opened and ended once.
      const { count } = await scrubAuditEvents(trx, customer.workspaceId, subject, AUDIT_START)
      sum = addCounts(sum, { auditEvents: count })
    }
  return { counts: sum, next: hasMore ? 'more' : undefined }
}

const PAGE = 100
/** The result of a preview may list many accounts. */
const PREVIEWS = 10

function getNext(rows: readonly { readonly id: string }[]): string | undefined {
  return rows.length === PAGE ? rows.at(-1)?.id : undefined
}

async function hasErasedAccount(
  trx: Transaction,
  workspaceId: WorkspaceId,
  result: string,
): Promise<boolean> {
  const { accounts } = JSON.parse(result) as Partial<Pick<DefinitionPreview, 'accounts'>>
  const ids = (accounts?.broken ?? []).map((account) => account.integrationAccountId)
  return (await listErasedAccounts(trx, workspaceId, ids)).length > 0
}

/** One transaction of an erasure, which continues after `cursor`; the first one has an empty cursor. */
export type EraseStep = (
  trx: Transaction,
  customer: Customer,
  cursor: string,
) => Promise<ErasedBatch>

export interface ErasedBatch {
  readonly counts: ErasureCounts
  /** Where the next transaction continues; undefined when nothing is left. */
  readonly next: string | undefined
}

/** Deletes the idempotency keys whose stored responses have what the accounts of the customer had. */
export const deleteAccountKeys: EraseStep = async (trx, { workspaceId }, cursor) => {
  const { userId } = await findOwner(trx, workspaceId)
  const next = await deleteKeysOfErasedAccounts(trx, { userId, workspaceId, after: Number(cursor) })
  return { counts: {}, next: next === undefined ? undefined : String(next) }
}

/** Deletes the idempotency keys of resources that named the customer. */
async function deleteKeys(
  trx: Transaction,
  workspaceId: WorkspaceId,
  resources: readonly string[],
): Promise<void> {
  if (resources.length > 0)
    await deleteIdempotencyKeys(trx, await findOwner(trx, workspaceId), { resources })
}

/** The owner of a workspace, who has the idempotency keys of requests for it. */
async function findOwner(
  trx: Transaction,
  workspaceId: WorkspaceId,
): Promise<{ readonly userId: UserId }> {
  return trx
    .selectFrom('workspaces')
    .select('user_id as userId')
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirstOrThrow()
}
