import { hash } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import type { WorkspaceAccess } from '../../access/auth/caller.ts'
import { isAccessibleWorkspace } from '../../access/auth/workspace-access-store.ts'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import type { BoundedPage } from '../../platform/http/pagination.ts'
import {
  type ConnectAttempt,
  listStoredCodes,
  toFailureCode,
} from '../../platform/record/attempt.ts'
import type { AuditActor } from '../../platform/record/change.ts'
import { insertBoundedAttempt, record } from '../../platform/record/record-store.ts'
import type { Database, Transaction } from '../../platform/storage/database.ts'
import type { Id } from '../../platform/storage/id.ts'
import { isAfter } from '../../platform/storage/portable-sql.ts'
import type { Tables } from '../../platform/storage/tables.ts'

export type AttemptId = Id<'cna'>

/** An attempt, and the tool it was for. Times are epoch milliseconds. */
export interface ListedAttempt extends ConnectAttempt {
  readonly attemptId: AttemptId
  readonly at: number
  readonly requestId: string | null
  readonly definitionKey: string | null
  readonly definitionName: string | null
}

/** Which attempts to list. Absent members do not restrict the list. */
export interface AttemptFilter {
  readonly linkId?: Id<'lnk'> | undefined
  readonly connectSessionId?: Id<'cns'> | undefined
  readonly accountIdentifier?: string | undefined
  readonly definitionId?: Id<'def'> | undefined
  readonly code?: string | undefined
  /** The account that was connected or should be reconnected. */
  readonly accountId?: Id<'acc'> | undefined
  readonly outcome?: ConnectAttempt['outcome'] | undefined
  /** The request that ended the attempt. */
  readonly requestId?: string | undefined
  /** From this time on, and before this time. */
  readonly from?: number | undefined
  readonly to?: number | undefined
}

/** Attempts that ended alike, and when the last of them did. */
export interface AttemptGroup
  extends Pick<ListedAttempt, 'outcome' | 'code' | 'definitionId' | 'definitionName'> {
  readonly count: number
  /** Epoch milliseconds. */
  readonly lastAt: number
}

/** Attempts to connect accounts of the workspaces that the caller can access. */
export function createAttemptStore(database: Database) {
  return {
    /** Attempts, newest first. Returns up to `limit + 1` of them. */
    async list(
      access: WorkspaceAccess,
      workspaceId: WorkspaceId,
      filter: AttemptFilter,
      { after, limit }: BoundedPage,
    ): Promise<ListedAttempt[]> {
      const { from, to } = filter
      // SQLite searches by one of two bounds and tests the other row by row: of each side it gets only the closer one.
      if (from !== undefined && after !== undefined && after.createdAt < from) return []
      const isCloser = to !== undefined && (after === undefined || to <= after.createdAt)
      let query = selectNewest(database.read, access, workspaceId, {
        ...filter,
        to: isCloser ? to : undefined,
      })
        .selectAll()
        .limit(limit + 1)
      if (after !== undefined) query = query.where(isAfter(['at', 'attempt_id'], after, 'desc'))
      const rows = await database.read
        .selectFrom(query.as('page'))
        .leftJoin('definitions', 'definitions.definition_id', 'page.definition_id')
        .selectAll('page')
        .select(['definitions.key as key', 'definitions.name as name'])
        .orderBy('page.at', 'desc')
        .orderBy('page.attempt_id', 'desc')
        .execute()
      return rows.map((row) => ({
        attemptId: row.attempt_id,
        at: Number(row.at),
        workspaceId: row.workspace_id,
        definitionId: row.definition_id,
        definitionKey: row.key,
        definitionName: row.name,
        authType: row.auth_type,
        via: row.via,
        outcome: row.outcome,
        code: toFailureCode(row.code),
        providerStatus: row.provider_status === null ? null : Number(row.provider_status),
        providerRequestId: row.provider_request_id,
        requestId: row.request_id,
        accountId: row.account_id,
        linkId: row.link_id,
        connectSessionId: row.connect_session_id,
        accountIdentifier: row.account_identifier,
      }))
    },

    /** How many of the newest `last` attempts ended how, with which code, at which tool. */
    async count(
      access: WorkspaceAccess,
      workspaceId: WorkspaceId,
      filter: AttemptFilter,
      last: number,
    ): Promise<AttemptGroup[]> {
      const newest = selectNewest(database.read, access, workspaceId, filter)
        .select(['outcome', 'code', 'definition_id', 'at'])
        .limit(last)
      const groups = database.read
        .selectFrom(newest.as('newest'))
        .select(['outcome', 'code', 'definition_id'])
        .select((eb) => [eb.fn.countAll<number>().as('count'), eb.fn.max('at').as('last_at')])
        .groupBy(['outcome', 'code', 'definition_id'])
      const rows = await database.read
        .selectFrom(groups.as('groups'))
        .leftJoin('definitions', 'definitions.definition_id', 'groups.definition_id')
        .selectAll('groups')
        .select('definitions.name as name')
        .execute()
      return mergeGroups(
        rows.map((row) => ({
          outcome: row.outcome,
          code: toFailureCode(row.code),
          definitionId: row.definition_id,
          definitionName: row.name,
          count: Number(row.count),
          lastAt: Number(row.last_at),
        })),
      )
    },

    /** Background work: deletes at most `limit` attempts from before `before`. Returns how many. */
    async deleteOld(before: number, limit: number): Promise<number> {
      const { numDeletedRows } = await database.transaction((trx) =>
        trx
          .deleteFrom('connect_attempts')
          .where('attempt_id', 'in', (eb) =>
            eb
              .selectFrom('connect_attempts')
              .select('attempt_id')
              .where('at', '<', before)
              .orderBy('at')
              .limit(sql.lit(limit)),
          )
          .executeTakeFirst(),
      )
      return Number(numDeletedRows)
    },
  }
}

/** A code may be stored under two names. */
function mergeGroups(groups: readonly AttemptGroup[]): AttemptGroup[] {
  const alike = Map.groupBy(groups, ({ outcome, code, definitionId }) =>
    [outcome, code, definitionId].join(' '),
  )
  return [...alike.values()].flatMap((own) => {
    const [first] = own
    if (first === undefined) return []
    const count = own.reduce((sum, group) => sum + group.count, 0)
    return [{ ...first, count, lastAt: Math.max(...own.map(({ lastAt }) => lastAt)) }]
  })
}

/** The attempts that a filter selects, newest first. */
function selectNewest(
  db: Kysely<Tables>,
  access: WorkspaceAccess,
  workspaceId: WorkspaceId,
  filter: AttemptFilter,
) {
  let query = db
    .selectFrom('connect_attempts')
    .where('workspace_id', '=', workspaceId)
    .where(isAccessibleWorkspace(access, workspaceId))
    .orderBy('at', 'desc')
    .orderBy('attempt_id', 'desc')
  for (const [column, value] of [
    ['link_id', filter.linkId],
    ['connect_session_id', filter.connectSessionId],
    ['account_identifier', filter.accountIdentifier],
    ['definition_id', filter.definitionId],
    ['account_id', filter.accountId],
    ['request_id', filter.requestId],
    ['outcome', filter.outcome],
  ] as const)
    if (value !== undefined) query = query.where(column, '=', value)
  const { code, from, to } = filter
  if (code !== undefined) query = query.where('code', 'in', listStoredCodes(code))
  if (from !== undefined) query = query.where('at', '>=', from)
  if (to !== undefined) query = query.where('at', '<', to)
  return query
}

export type AttemptStore = ReturnType<typeof createAttemptStore>

/** What `connect.failed` says of a failed attempt, besides what the list of attempts has. */
export interface FailureDetails {
  /** The name of the field that was rejected. */
  readonly field: string | null
  /** Distinguishes people, such as the hash of a page session. */
  readonly person: string | Uint8Array
}

/**
 * Records a failed attempt in the transaction that ends it, for the list of attempts, and as an event: at most one per
 * person and minute, and at most 16 per link and minute, because a visitor can pretend to be any number of people.
 */
export async function recordFailedAttempt(
  trx: Transaction,
  actor: AuditActor,
  now: number,
  attempt: ConnectAttempt,
  { field, person }: FailureDetails,
): Promise<void> {
  const { workspaceId, definitionId, linkId, accountId, accountIdentifier, code } = attempt
  const { connectSessionId } = attempt
  await insertBoundedAttempt(trx, actor, now, attempt)
  const slot = (hash('sha256', person, 'buffer')[0] ?? 0) % SLOTS
  if (!(await claimSlot(trx, `${linkId ?? workspaceId} ${slot}`, now))) return
  const subject = linkId ?? accountId ?? connectSessionId ?? definitionId ?? workspaceId
  await record(trx, actor, now, {
    action: 'connect.failed',
    workspaceId,
    subject,
    detail: { code },
    outcome: 'refused',
    event: {
      type: 'connect.failed',
      subject,
      accountIdentifier,
      data: {
        code,
        field,
        linkId,
        connectSessionId,
        integrationDefinitionId: definitionId,
        integrationAccountId: accountId,
      },
    },
  })
}

/** Background work: deletes slots that limit nothing any more. */
export async function deleteOldConnectFailures({
  database,
  now,
}: {
  readonly database: Database
  readonly now: () => number
}): Promise<void> {
  const before = now() - SLOT_MS
  await database.transaction((trx) =>
    trx.deleteFrom('connect_failures').where('at', '<', before).execute(),
  )
}

/** Whether no failure was published in the slot during the last minute. */
async function claimSlot(trx: Transaction, key: string, now: number): Promise<boolean> {
  const claimed = await trx
    .insertInto('connect_failures')
    .values({ failure_key: key, at: now })
    .onConflict((conflict) =>
      conflict
        .column('failure_key')
        .doUpdateSet({ at: now })
        .where('connect_failures.at', '<=', now - SLOT_MS),
    )
    .returning('at')
    .executeTakeFirst()
  return claimed !== undefined
}

const SLOTS = 16
const SLOT_MS = 60_000
