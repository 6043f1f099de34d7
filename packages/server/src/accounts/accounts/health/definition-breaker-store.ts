import { type Kysely, sql } from 'kysely'
import type { WorkspaceId } from '../../../access/workspaces/workspace.ts'
import type { DefinitionId } from '../../../integrations/definitions/definition.ts'
import { type AuditActor, type Change, SYSTEM_ACTOR } from '../../../platform/record/change.ts'
import { record } from '../../../platform/record/record-store.ts'
import type { Database, Transaction } from '../../../platform/storage/database.ts'
import { isPostgres } from '../../../platform/storage/portable-sql.ts'
import type { Tables } from '../../../platform/storage/tables.ts'
import type { Account, AccountId } from '../account.ts'
import type { StoredHealth } from '../account-health.ts'
import { getRepeatTime } from './check-schedule.ts'

/*
 * The circuit breaker of a definition (decision 084). If a provider suddenly rejects many accounts, an outage is likelier than
 * as many customers who have revoked their grants. While it does so, the definition is suspect: further rejections change no status,
 * and their accounts are held. When it accepts some again, each held account is checked, and decided alone.
 *
 * A definition is suspect in one workspace, or, in a row with the workspace `''`, in all. A workspace learns of the latter when its
 * first account is held: its own row then has the same time.
 */

/** The five accounts rejected last decide, if all were rejected within 30 minutes. */
const REJECTED = 5
const WINDOW_MS = 30 * 60_000
/** As many others that the provider accepted meanwhile prove that it distinguishes: in the workspace, and in all. */
const ENOUGH_SUCCESSES = 20
const ENOUGH_SUCCESSES_ANYWHERE = 5
const WORKSPACES = 3
/** As many that it accepts again prove it later. */
const ENOUGH_TO_TRUST = 3
const HELD_MS = 3_600_000
const PROBE_MS = 10 * 60_000
const DAY_MS = 24 * 3_600_000
/** Accounts that are checked at once when a definition is trusted again; the others follow within the hour. */
const MAX_RELEASED = 1_000
/** Accounts that were accepted last, among which one to probe is looked for. */
const MAX_CANDIDATES = 500
const MAX_SUSPECT = 1_000

/** The workspace of rows that stand for all. */
const EVERYWHERE = ''

/** What is known of a definition in one workspace; with the workspace `''`, in all. Times are epoch milliseconds. */
export interface DefinitionHealthRow {
  definition_id: DefinitionId
  workspace_id: WorkspaceId | ''
  /** Since when its rejections are not believed; null if they are. */
  suspect_since: number | null
  /** The accounts whose rejections made it suspect, as JSON. */
  suspects: string
  /** When its rejections were last found to be true, or declared so: earlier ones do not make it suspect again. */
  trusted_at: number | null
  /** When the next account is checked to find out whether the provider distinguishes again; null unless suspect. */
  next_probe_at: number | null
  /** With the workspace `''`: when the next check may be sent. */
  next_check_at: number | null
  /** Until when the provider has asked for no checks; null if it never has. */
  paused_until: number | null
}

declare module '../../../platform/storage/tables.ts' {
  interface Tables {
    definition_health: DefinitionHealthRow
  }
}

type HealthKey = Pick<DefinitionHealthRow, 'definition_id' | 'workspace_id'>

/** What a rejection means. */
export interface Verdict {
  /** Whether the definition is suspect, so that the status must not change. */
  readonly isHeld: boolean
  /** What to store of the account. */
  readonly health: Partial<StoredHealth>
}

type RejectedAccount = Pick<Account, 'accountId' | 'workspaceId' | 'definitionId'>

/** A definition in one workspace. */
export type DefinitionScope = Omit<RejectedAccount, 'accountId'>

/**
 * Decides whether a rejection of an account counts, in the transaction that would change its status: call it before the account is
 * locked. The row of the definition is locked first, so that concurrent rejections count one another. `now`: epoch milliseconds.
 */
export async function decideRejection(
  trx: Transaction,
  account: RejectedAccount,
  now: number,
): Promise<Verdict> {
  const { own, all } = await lockDefinition(trx, account)
  const health = await trx
    .selectFrom('account_health')
    .select(['is_held', 'rejections', 'rejected_at'])
    .where('account_id', '=', account.accountId)
    .executeTakeFirst()
  const wasHeld = health?.is_held === 1
  const since = getSuspectSince(own, all)
  const isHeld =
    since !== null
      ? await joinSuspect(trx, own, since, now)
      : !wasHeld && (await opens(trx, account, { own, all }, now))
  return {
    isHeld,
    health: {
      rejections: (health?.rejections ?? 0) + 1,
      // Decided alone, it must not make the definition suspect again.
      rejectedAt: wasHeld ? (health.rejected_at ?? now) : now,
      isHeld,
      ...(isHeld ? { checkAt: now + HELD_MS } : { checkAt: null }),
    },
  }
}

/** Since when the rejections of a workspace are not believed; null if they are. */
function getSuspectSince(own: DefinitionHealthRow, all: DefinitionHealthRow): number | null {
  if (own.suspect_since !== null) return own.suspect_since
  if (all.suspect_since === null || (own.trusted_at ?? -1) >= all.suspect_since) return null
  return all.suspect_since
}

/** Tells the workspace of the first held account that the definition is suspect everywhere. */
async function joinSuspect(
  trx: Transaction,
  own: DefinitionHealthRow,
  since: number,
  now: number,
): Promise<true> {
  if (own.suspect_since === null) await open(trx, own, { since, now, isEverywhere: true })
  return true
}

interface LockedDefinition {
  readonly own: DefinitionHealthRow
  readonly all: DefinitionHealthRow
}

async function lockDefinition(
  trx: Transaction,
  { definitionId, workspaceId }: DefinitionScope,
): Promise<LockedDefinition> {
  const keys = [EVERYWHERE, workspaceId] as const
  await trx
    .insertInto('definition_health')
    .values(keys.map((key) => ({ ...NEW_ROW, definition_id: definitionId, workspace_id: key })))
    .onConflict((conflict) => conflict.columns(['definition_id', 'workspace_id']).doNothing())
    .execute()
  // One after the other, so that PostgreSQL finds each by its key.
  const all = await lockRow(trx, definitionId, EVERYWHERE)
  return { all, own: await lockRow(trx, definitionId, workspaceId) }
}

function lockRow(
  trx: Transaction,
  definitionId: DefinitionId,
  workspaceId: DefinitionHealthRow['workspace_id'],
): Promise<DefinitionHealthRow> {
  const query = trx
    .selectFrom('definition_health')
    .selectAll()
    .where('definition_id', '=', definitionId)
    .where('workspace_id', '=', workspaceId)
  return (isPostgres(trx) ? query.forUpdate() : query).executeTakeFirstOrThrow()
}

const NEW_ROW = {
  suspect_since: null,
  suspects: '[]',
  trusted_at: null,
  next_probe_at: null,
  next_check_at: null,
  paused_until: null,
} as const

interface Rejected {
  readonly account_id: AccountId
  readonly workspace_id: WorkspaceId
  readonly rejected_at: number
}

/** Whether the definition becomes suspect with this rejection, in the workspace or in all. */
async function opens(
  trx: Transaction,
  account: RejectedAccount,
  { own, all }: LockedDefinition,
  now: number,
): Promise<boolean> {
  const { accountId: account_id, workspaceId: workspace_id } = account
  const self = { account_id, workspace_id, rejected_at: now }
  const rejected = [self, ...(await listRejected(trx, account, own, now))]
  if (rejected.length === REJECTED) {
    const count = await countSuccesses(trx, own, toRange(rejected), ENOUGH_SUCCESSES)
    if (count < ENOUGH_SUCCESSES) {
      await open(trx, own, { since: now, now, rejected, isEverywhere: false })
      return true
    }
  }
  const anywhere = [self, ...(await listRejected(trx, account, all, now))]
  const workspaces = [...new Set(anywhere.map((each) => each.workspace_id))].sort()
  if (anywhere.length < REJECTED || workspaces.length < WORKSPACES) return false
  const count = await countSuccesses(trx, all, toRange(anywhere), ENOUGH_SUCCESSES_ANYWHERE)
  if (count >= ENOUGH_SUCCESSES_ANYWHERE) return false
  const opening = { since: now, now, isEverywhere: true }
  await open(trx, all, { ...opening, rejected: anywhere })
  for (const each of workspaces) await open(trx, { ...own, workspace_id: each }, opening)
  return true
}

/** The four other accounts that were rejected last, and within the window; fewer if there are not as many. */
async function listRejected(
  trx: Transaction,
  { accountId }: RejectedAccount,
  row: DefinitionHealthRow,
  now: number,
): Promise<Rejected[]> {
  const rows = await selectHealth(trx, row)
    .select(['account_id', 'workspace_id', 'rejected_at'])
    .where('rejected_at', '>', Math.max(now - WINDOW_MS, row.trusted_at ?? 0))
    .where('account_id', '<>', accountId)
    .orderBy('rejected_at', 'desc')
    .limit(REJECTED - 1)
    .execute()
  return rows.map((each) => ({ ...each, rejected_at: each.rejected_at ?? now }))
}

/** The accounts that do not count, and the time after which others do. */
interface SuccessRange {
  readonly after: number
  readonly except: readonly AccountId[]
}

function toRange(rejected: readonly Rejected[]): SuccessRange {
  return {
    after: Math.min(...rejected.map((each) => each.rejected_at)),
    except: rejected.map((each) => each.account_id),
  }
}

/** How many accounts the provider has accepted since, at most `limit`. */
async function countSuccesses(
  db: Kysely<Tables>,
  row: HealthKey,
  { after, except }: SuccessRange,
  limit: number,
): Promise<number> {
  const rows = await selectHealth(db, row)
    .select('account_id')
    .where('last_ok_at', '>', after)
    .orderBy('last_ok_at', 'desc')
    .limit(limit + except.length)
    .execute()
  const others = rows.filter((each) => !except.includes(each.account_id))
  return Math.min(others.length, limit)
}

/** The health of its accounts in its workspace, or in all. */
function selectHealth(db: Kysely<Tables>, { definition_id, workspace_id }: HealthKey) {
  const query = db.selectFrom('account_health').where('definition_id', '=', definition_id)
  return workspace_id === EVERYWHERE ? query : query.where('workspace_id', '=', workspace_id)
}

interface Opening {
  /** Since when its rejections are not believed. */
  readonly since: number
  readonly now: number
  /** The accounts whose rejections made it suspect. Default: another row names them. */
  readonly rejected?: readonly Rejected[]
  readonly isEverywhere: boolean
}

/** Makes a definition suspect, has the accounts that did so checked again, and publishes it, except for that of all workspaces. */
async function open(
  trx: Transaction,
  { definition_id, workspace_id }: HealthKey,
  { since, now, rejected = [], isEverywhere }: Opening,
): Promise<void> {
  const ids = rejected.map((each) => each.account_id).sort()
  const columns = {
    suspect_since: since,
    suspects: JSON.stringify(ids),
    next_probe_at: now + PROBE_MS,
  }
  await trx
    .insertInto('definition_health')
    .values({ ...NEW_ROW, definition_id, workspace_id, ...columns })
    .onConflict((conflict) =>
      conflict.columns(['definition_id', 'workspace_id']).doUpdateSet(columns),
    )
    .execute()
  for (const accountId of ids)
    await trx
      .updateTable('account_health')
      .set({ is_held: 1, check_at: getRepeatTime(now) })
      .where('account_id', '=', accountId)
      .execute()
  if (workspace_id !== EVERYWHERE)
    await recordTrust(
      trx,
      SYSTEM_ACTOR,
      now,
      'definition.suspect',
      { definitionId: definition_id, workspaceId: workspace_id },
      { isEverywhere },
    )
}

/** Who or what ends that a definition is suspect. */
export type TrustReason = 'provider' | 'person' | 'time'

/** Believes rejections again, and has held accounts checked. Returns false if the definition is not suspect. */
export async function trustDefinition(
  trx: Transaction,
  { definitionId, workspaceId }: DefinitionScope,
  now: number,
): Promise<boolean> {
  const { own } = await lockDefinition(trx, { definitionId, workspaceId })
  if (own.suspect_since === null) return false
  await close(trx, own, now)
  await sql`update account_health set check_at = ${now} where account_id in (
    select account_id from account_health where definition_id = ${definitionId}
      and workspace_id = ${workspaceId} and is_held = 1 order by account_id limit ${sql.lit(MAX_RELEASED)})`.execute(
    trx,
  )
  return true
}

/** How it is recorded that rejections count again. */
interface TrustRecord {
  readonly by: TrustReason
  /** False if the definition was not suspect. Default: true. */
  readonly isPublished?: boolean
  /** Of the request that said so. */
  readonly response?: Change['response']
}

/** Records that rejections of a definition count again. */
export function recordTrusted(
  trx: Transaction,
  actor: AuditActor,
  now: number,
  scope: DefinitionScope,
  { by, ...options }: TrustRecord,
): Promise<void> {
  return recordTrust(trx, actor, now, 'definition.trusted', scope, { by }, options)
}

function close(
  trx: Transaction,
  { definition_id, workspace_id }: DefinitionHealthRow,
  now: number,
): Promise<unknown> {
  return trx
    .updateTable('definition_health')
    .set({ suspect_since: null, suspects: '[]', next_probe_at: null, trusted_at: now })
    .where('definition_id', '=', definition_id)
    .where('workspace_id', '=', workspace_id)
    .execute()
}

function recordTrust(
  trx: Transaction,
  actor: AuditActor,
  now: number,
  type: 'definition.suspect' | 'definition.trusted',
  { definitionId, workspaceId }: DefinitionScope,
  detail: Readonly<Record<string, unknown>>,
  { isPublished = true, response }: Omit<TrustRecord, 'by'> = {},
): Promise<void> {
  const data = { integrationDefinitionId: definitionId, ...detail }
  return record(trx, actor, now, {
    action: type,
    workspaceId,
    subject: definitionId,
    detail,
    ...(isPublished ? { event: { type, subject: definitionId, data } } : {}),
    ...(response === undefined ? {} : { response }),
  })
}

/** Since when each suspect definition is so, in the workspace that noticed it last. For background work. */
export async function listSuspectTimes(
  db: Kysely<Tables>,
): Promise<ReadonlyMap<DefinitionId, number>> {
  const rows = await db
    .selectFrom('definition_health')
    .select(['definition_id', (eb) => eb.fn.max('suspect_since').as('since')])
    .where('suspect_since', 'is not', null)
    .groupBy('definition_id')
    .orderBy('definition_id')
    .limit(MAX_SUSPECT)
    .execute()
  return new Map(rows.map(({ definition_id, since }) => [definition_id, Number(since)]))
}

/**
 * Looks at all suspect definitions: trusts those of which the provider accepts accounts again, and those that were suspect for a
 * day, and has another account checked of the others. For background work, on several nodes.
 */
export async function reviewSuspects(database: Database, now: number): Promise<void> {
  const rows = await database.read
    .selectFrom('definition_health')
    .selectAll()
    .where('suspect_since', 'is not', null)
    .orderBy('definition_id')
    .orderBy('workspace_id')
    .limit(MAX_SUSPECT)
    .execute()
  for (const row of rows) {
    const since = row.suspect_since ?? now
    const range = { after: since, except: JSON.parse(row.suspects) as AccountId[] }
    const count = await countSuccesses(database.read, row, range, ENOUGH_TO_TRUST)
    const isProven = count >= ENOUGH_TO_TRUST || !(await isHolding(database.read, row))
    if (isProven || now - since >= DAY_MS)
      await endSuspect(database, row, isProven ? 'provider' : 'time', now)
    // Once one is accepted, two others decide at once.
    else await probe(database, row, count > 0 ? now : (row.next_probe_at ?? now), now)
  }
}

/** Whether an account is held: once the provider has accepted all of them again, there is nothing to wait for. */
async function isHolding(db: Kysely<Tables>, row: HealthKey): Promise<boolean> {
  const held = await selectHealth(db, row)
    .select('account_id')
    // A literal, as in the condition of the index.
    .where(sql<boolean>`is_held = 1`)
    .limit(1)
    .executeTakeFirst()
  return held !== undefined
}

async function endSuspect(
  database: Database,
  row: DefinitionHealthRow,
  by: TrustReason,
  now: number,
): Promise<void> {
  const { definition_id: definitionId, workspace_id } = row
  const trust = (workspaceId: WorkspaceId) =>
    database.transaction(async (trx) => {
      const scope = { definitionId, workspaceId }
      if (await trustDefinition(trx, scope, now))
        await recordTrusted(trx, SYSTEM_ACTOR, now, scope, { by })
    })
  if (workspace_id !== EVERYWHERE) return void (await trust(workspace_id))
  const joined = await database.read
    .selectFrom('definition_health')
    .select('workspace_id')
    .where('definition_id', '=', definitionId)
    .where('suspect_since', '=', row.suspect_since)
    .where('workspace_id', '>', EVERYWHERE)
    .limit(MAX_SUSPECT)
    .execute()
  for (const { workspace_id: each } of joined) if (each !== EVERYWHERE) await trust(each)
  if (joined.length < MAX_SUSPECT) await database.transaction((trx) => close(trx, row, now))
}

/** Has the account checked that the provider accepted last, and that no rejection has reached. */
async function probe(
  database: Database,
  { definition_id, workspace_id, next_probe_at }: DefinitionHealthRow,
  dueAt: number,
  now: number,
): Promise<void> {
  if (dueAt > now) return
  await database.transaction(async (trx) => {
    const claimed = await trx
      .updateTable('definition_health')
      .set({ next_probe_at: now + PROBE_MS })
      .where('definition_id', '=', definition_id)
      .where('workspace_id', '=', workspace_id)
      .where('next_probe_at', '=', next_probe_at)
      .returning('suspect_since')
      .executeTakeFirst()
    if (claimed === undefined) return
    const within = workspace_id === EVERYWHERE ? sql`` : sql`and workspace_id = ${workspace_id}`
    await sql`update account_health set check_at = ${PROBE_NOW} where account_id = (
      select account_id from (select account_id, rejections, is_held from account_health
        where definition_id = ${definition_id} ${within} and last_ok_at <= ${claimed.suspect_since}
        order by last_ok_at desc limit ${sql.lit(MAX_CANDIDATES)}) as accepted
      where rejections = 0 and is_held = 0 limit 1)`.execute(trx)
  })
}

/** The `check_at` of accounts that are to be checked whatever is known of them, and before all others. */
export const PROBE_NOW = 0

/** Whether rejections of a definition are believed in a workspace, and what is held meanwhile. */
export interface DefinitionTrust {
  readonly definitionId: DefinitionId
  /** Since when they are not; null if they are. */
  readonly suspectSince: number | null
  /** Accounts that are held, at most `MAX_HELD`. */
  readonly held: number
  /** Until when the provider has asked for no checks; null if it has not. */
  readonly pausedUntil: number | null
}

/** The largest number of held accounts that is counted. */
export const MAX_HELD = 10_000

/** Reads it for a workspace that the caller can access. */
export async function readDefinitionTrust(
  db: Kysely<Tables>,
  { definitionId, workspaceId }: DefinitionScope,
  now: number,
): Promise<DefinitionTrust> {
  const row = await db
    .selectFrom('definition_health')
    .select(['suspect_since', 'paused_until'])
    .where('definition_id', '=', definitionId)
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirst()
  const { rows } = await sql<{ held: number }>`select count(*) as held from (
    select account_id from account_health where definition_id = ${definitionId}
      and workspace_id = ${workspaceId} and is_held = 1 limit ${sql.lit(MAX_HELD)}) as held`.execute(
    db,
  )
  const pausedUntil = row?.paused_until ?? null
  return {
    definitionId,
    suspectSince: row?.suspect_since ?? null,
    held: Number(rows[0]?.held ?? 0),
    pausedUntil: pausedUntil !== null && pausedUntil > now ? pausedUntil : null,
  }
}

/** The suspect definitions of a workspace that the caller can access, at most 100. */
export async function listSuspectDefinitions(
  db: Kysely<Tables>,
  workspaceId: WorkspaceId,
): Promise<DefinitionId[]> {
  const rows = await db
    .selectFrom('definition_health')
    .select('definition_id')
    .where('workspace_id', '=', workspaceId)
    .where('suspect_since', 'is not', null)
    .orderBy('definition_id')
    .limit(100)
    .execute()
  return rows.map((row) => row.definition_id)
}
