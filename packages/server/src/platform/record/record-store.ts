import { type ExpressionBuilder, type Kysely, sql } from 'kysely'
import { shortenCapabilities } from '../http/log.ts'
import { selectAuditEntries } from '../storage/audit-inbox.ts'
import type { Database, Transaction } from '../storage/database.ts'
import { type Id, newId } from '../storage/id.ts'
import { hasAtLeast } from '../storage/portable-sql.ts'
import type { AuditEntryRow, Tables } from '../storage/tables.ts'
import type { ConnectAttempt } from './attempt.ts'
import {
  type AuditActor,
  type AuditEvent,
  type Cause,
  type Change,
  type ChangedAccount,
  type EventDraft,
  MAX_ACCOUNT_CHANGES,
  SYSTEM_ACTOR,
} from './change.ts'
import { settleIdempotencyKey } from './idempotency-key-store.ts'

/**
 * Records a change in its transaction, so that none is stored without the other: the entry of the audit trail, the event
 * that is published, the entry of the account's history, and the settlement of the request's idempotency key. Call it
 * after the change, whose row lock then orders events of one resource.
 *
 * @throws ApiError `idempotency_in_progress`: another request has taken over the key
 */
export async function record(
  trx: Transaction,
  actor: AuditActor,
  now: number,
  change: Change,
): Promise<void> {
  await trx
    .insertInto('audit_inbox')
    .values(toAuditEntry(actor, now, change))
    .execute()
  await settleKey(trx, actor, change)
  const { workspaceId, event, account, action } = change
  if (workspaceId === null) return
  if ('addLogFields' in actor) actor.addLogFields?.({ workspaceId })
  const cause = getCause(actor)
  if (account !== undefined)
    await insertAccountChange(trx, { workspaceId, at: now, action, cause, ...account })
  if (event !== undefined) await insertEvent(trx, { workspaceId, at: now, cause, ...event })
}

/**
 * Records what changes nothing, and resolves once the entry of the audit trail is durable: for the most frequent requests, instead
 * of a transaction each.
 */
export async function recordUse(
  database: Pick<Database, 'appendAuditEntry'>,
  actor: AuditActor,
  now: number,
  event: AuditEvent & { readonly workspaceId: Id<'wsp'> },
): Promise<void> {
  await database.appendAuditEntry(toAuditEntry(actor, now, event))
  if ('addLogFields' in actor) actor.addLogFields?.({ workspaceId: event.workspaceId })
}

async function settleKey(
  trx: Transaction,
  actor: AuditActor,
  { workspaceId, subject: resource, response }: Change,
): Promise<void> {
  const claim = 'idempotencyClaim' in actor ? actor.idempotencyClaim : undefined
  if (claim === undefined || response === undefined) return
  await settleIdempotencyKey(trx, claim, { workspaceId, resource, response })
}

function getCause({ tokenId, requestId, kind, via }: AuditActor): Cause {
  const hasToken = tokenId !== null
  return {
    kind: kind ?? (hasToken ? 'token' : 'person'),
    via: via ?? (hasToken ? 'api' : 'page'),
    requestId,
  }
}

function toAuditEntry(actor: AuditActor, now: number, event: AuditEvent): AuditEntryRow {
  const { kind, via } = getCause(actor)
  return {
    event_id: newId('aud', now),
    at: now,
    workspace_id: event.workspaceId,
    user_id: ('personId' in actor ? actor.personId : undefined) ?? actor.userId,
    token_id: actor.tokenId,
    action: event.action,
    // The audit trail is retained for ever, and read by people who may not use what it mentions.
    subject: shortenCapabilities(event.subject),
    detail: shortenCapabilities(JSON.stringify(event.detail ?? {})),
    request_id: actor.requestId || null,
    actor_kind: kind,
    via,
    ip: actor.ip ?? null,
    outcome: event.outcome ?? 'done',
  }
}

/** Stores how an attempt to connect ended. Attempts that anyone can repeat go through `insertBoundedAttempt`. */
export async function insertAttempt(
  db: Kysely<Tables>,
  { requestId }: Pick<AuditActor, 'requestId'>,
  at: number,
  attempt: ConnectAttempt,
): Promise<void> {
  await db
    .insertInto('connect_attempts')
    .values({
      attempt_id: newId('cna', at),
      at,
      request_id: requestId || null,
      workspace_id: attempt.workspaceId,
      definition_id: attempt.definitionId,
      auth_type: attempt.authType,
      via: attempt.via,
      outcome: attempt.outcome,
      code: attempt.code,
      provider_status: attempt.providerStatus,
      provider_request_id: attempt.providerRequestId ?? null,
      account_id: attempt.accountId,
      link_id: attempt.linkId,
      connect_session_id: attempt.connectSessionId,
      account_identifier: attempt.accountIdentifier,
    })
    .execute()
}

/** Where a person without a token tried to connect. */
export function getPageOrigin(connectSessionId: Id<'cns'> | null): ConnectAttempt['via'] {
  return connectSessionId === null ? 'link' : 'connect_session'
}

/** Publishes an event that tells of no change, in a transaction. */
export async function recordEvent(
  trx: Transaction,
  now: number,
  workspaceId: Id<'wsp'>,
  event: EventDraft,
): Promise<void> {
  await insertEvent(trx, { workspaceId, at: now, cause: getCause(SYSTEM_ACTOR), ...event })
}

/** What both kinds of rows have. */
interface Occurrence {
  readonly workspaceId: Id<'wsp'>
  /** Epoch milliseconds. */
  readonly at: number
  readonly cause: Cause
}

/** Stores an event without its sequence number, which it gets after the commit. */
async function insertEvent(
  trx: Transaction,
  { workspaceId, at, cause, type, subject, accountIdentifier, data }: Occurrence & EventDraft,
): Promise<void> {
  await trx
    .insertInto('events')
    .values({
      workspace_id: workspaceId,
      event_id: newId('evt', at),
      type,
      version: 1,
      at,
      subject,
      account_identifier: accountIdentifier ?? null,
      cause: JSON.stringify(cause),
      data: stringifyEventData(data),
      sequence: null,
    })
    .execute()
}

/** Stores an entry of an account's history, of which the last 200 are retained. */
async function insertAccountChange(
  trx: Transaction,
  change: Occurrence & ChangedAccount & { readonly action: string },
): Promise<void> {
  await trx
    .insertInto('account_changes')
    .values({
      workspace_id: change.workspaceId,
      account_id: change.accountId,
      change_id: newId('chg', change.at),
      at: change.at,
      action: change.action,
      status: change.status,
      reason: change.statusReason,
      cause: JSON.stringify(change.cause),
    })
    .execute()
  // A new account has no older ones, and on PostgreSQL looking for them would make concurrent creations conflict.
  if (change.action === 'account.created') return
  const ofAccount = (eb: ExpressionBuilder<Tables, 'account_changes'>) =>
    eb.and({ workspace_id: change.workspaceId, account_id: change.accountId })
  await trx
    .deleteFrom('account_changes')
    .where(ofAccount)
    .where('change_id', '<=', (eb) =>
      eb
        .selectFrom('account_changes')
        .select('change_id')
        .where(ofAccount)
        .orderBy('change_id', 'desc')
        .limit(1)
        .offset(MAX_ACCOUNT_CHANGES),
    )
    .execute()
}

/**
 * The data of an event as JSON of at most 16,000 bytes, so that an event has at most 20,000. Of data that is larger, the longest
 * arrays are cut to their first items and then the longest texts to their first 200 characters; `truncated` lists their
 * paths. What remains is still valid by the schema of the type.
 */
export function stringifyEventData(data: Readonly<Record<string, unknown>>): string {
  const json = JSON.stringify(data)
  if (json.length * MAX_BYTES_PER_UNIT <= MAX_BYTES || Buffer.byteLength(json) <= MAX_BYTES)
    return json
  return truncate(JSON.parse(json) as Json)
}

type Json = Record<string, unknown>

interface Member {
  readonly path: string
  readonly owner: Json
  readonly name: string
  readonly bytes: number
}

function truncate(data: Json): string {
  const members = listMembers(data)
  const isArray = ({ owner, name }: Member) => Array.isArray(owner[name])
  const bySize = (one: Member, other: Member) => other.bytes - one.bytes
  const arrays = members.filter(isArray).sort(bySize)
  const texts = members.filter((member) => !isArray(member)).sort(bySize)
  const truncated: string[] = []
  let excess = Buffer.byteLength(JSON.stringify(data)) - MAX_BYTES + RESERVED_BYTES
  for (const { path, owner, name, bytes } of [...arrays, ...texts]) {
    if (excess <= 0) break
    const shorter = shorten(owner[name], bytes - excess)
    excess -= bytes - measure(shorter)
    owner[name] = shorter
    truncated.push(path)
  }
  return JSON.stringify({ ...data, truncated })
}

/** The arrays and texts of the data and of the resources in it. */
function listMembers(data: Json, prefix = ''): Member[] {
  return Object.entries(data).flatMap(([name, value]): Member[] => {
    const path = prefix + name
    if (typeof value === 'string' || Array.isArray(value))
      return [{ path, owner: data, name, bytes: measure(value) }]
    return typeof value === 'object' && value !== null ? listMembers(value as Json, `${path}.`) : []
  })
}

/** The first items of an array that fit into `bytes`, or the beginning of a text. */
function shorten(value: unknown, bytes: number): unknown {
  if (!Array.isArray(value)) return String(value).slice(0, MAX_TEXT).toWellFormed()
  let remaining = bytes - 2
  const end = value.findIndex((item) => {
    remaining -= measure(item) + 1
    return remaining < 0
  })
  return end === -1 ? value : value.slice(0, end)
}

const measure = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))

const MAX_BYTES = 16_000
/** In UTF-8, of one UTF-16 code unit. */
const MAX_BYTES_PER_UNIT = 3
/** For the paths in `truncated`. */
const RESERVED_BYTES = 1_000
const MAX_TEXT = 200

/** How many attempts without an account a workspace stores per hour, and how many of them came through one link. */
export interface AttemptBounds {
  readonly perWorkspace: number
  readonly perLink: number
}

/**
 * Stores an attempt that connected no account. They can be repeated at will, so a workspace stores at most 1,000 of them per
 * hour, and at most 500 that came through one link: a hammered link leaves room for the others. Returns false if there is no
 * room.
 */
export async function insertBoundedAttempt(
  db: Kysely<Tables>,
  actor: Pick<AuditActor, 'requestId'>,
  at: number,
  attempt: ConnectAttempt,
  { perWorkspace, perLink }: AttemptBounds = TRIED_BOUNDS,
): Promise<boolean> {
  const { workspaceId, linkId } = attempt
  const since = at - HOUR_MS
  if (await hasAtLeastFailed(db, workspaceId, null, since, perWorkspace)) return false
  if (linkId !== null && (await hasAtLeastFailed(db, workspaceId, linkId, since, perLink)))
    return false
  await insertAttempt(db, actor, at, attempt)
  return true
}

async function hasAtLeastFailed(
  db: Kysely<Tables>,
  workspaceId: Id<'wsp'>,
  linkId: Id<'lnk'> | null,
  since: number,
  count: number,
): Promise<boolean> {
  let query = db
    .selectFrom('connect_attempts')
    .select('at')
    .where('workspace_id', '=', workspaceId)
    .where('at', '>', since)
    // As in the indexes that have no other rows.
    .where(sql<boolean>`outcome <> 'connected'`)
    .orderBy('at')
  if (linkId !== null) query = query.where('link_id', '=', linkId)
  return hasAtLeast(query, count)
}

const HOUR_MS = 3_600_000
const TRIED_BOUNDS: AttemptBounds = { perWorkspace: 1_000, perLink: 500 }
/** Attempts that were refused before anything was sent leave half of the room to the others. */
export const REFUSED_BOUNDS: AttemptBounds = { perWorkspace: 500, perLink: 250 }

/** Whether the same event, by the same actor and with the same detail, was recorded after `since`, in epoch milliseconds. */
export async function isRecordedSince(
  trx: Transaction,
  { userId }: Pick<AuditActor, 'userId'>,
  since: number,
  { action, workspaceId, subject, detail = {} }: AuditEvent,
): Promise<boolean> {
  const earlier = await selectAuditEntries(trx)
    .select('event_id')
    .where('workspace_id', '=', workspaceId)
    .where('action', '=', action)
    .where('subject', '=', subject)
    .where((eb) => (userId === null ? eb('user_id', 'is', null) : eb('user_id', '=', userId)))
    .where('detail', '=', JSON.stringify(detail))
    .where('at', '>', since)
    .limit(1)
    .executeTakeFirst()
  return earlier !== undefined
}
