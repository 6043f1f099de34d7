import { sql } from 'kysely'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import { ERASED_RESPONSE } from '../../accounts/accounts/account.ts'
import { lockAuditChain } from '../../platform/storage/audit-inbox.ts'
import type { Database, Transaction } from '../../platform/storage/database.ts'
import { addCounts, type Customer, type ErasureCounts } from './erasure.ts'

/** Where the events and audit entries of a resource have been scrubbed up to. */
export interface RecordsPosition {
  readonly sequence: number
  readonly audit: AuditPosition
}

export const AUDIT_START: AuditPosition = { at: 0, eventId: '' }

export const RECORDS_START: RecordsPosition = { sequence: 0, audit: AUDIT_START }

/** Scrubs the next events and audit entries of a resource. */
export async function scrubRecords(
  trx: Transaction,
  workspaceId: WorkspaceId,
  subject: string,
  after: RecordsPosition,
): Promise<{
  readonly counts: ErasureCounts
  readonly position: RecordsPosition
  readonly hasMore: boolean
}> {
  const events = await scrubEventsOfSubject(trx, workspaceId, subject, after.sequence)
  const audit = await scrubAuditEvents(trx, workspaceId, subject, after.audit)
  return {
    counts: addCounts(events.counts, { auditEvents: audit.count }),
    position: { sequence: events.last, audit: audit.last },
    hasMore: events.hasMore || audit.hasMore,
  }
}

/** Whether a resource has more events or audit entries than one call of {@link scrubRecords} scrubs. */
export async function hasManyRecords(
  { read }: Pick<Database, 'read'>,
  workspaceId: WorkspaceId,
  subject: string,
): Promise<boolean> {
  const event = await read
    .selectFrom('events')
    .select('position')
    .where('workspace_id', '=', workspaceId)
    .where('subject', '=', subject)
    .where('sequence', 'is not', null)
    .limit(1)
    .offset(FEW)
    .executeTakeFirst()
  if (event !== undefined) return true
  const entry = await read
    .selectFrom('audit_events')
    .select('event_id')
    .where('workspace_id', '=', workspaceId)
    .where('subject', '=', subject)
    .limit(1)
    .offset(FEW)
    .executeTakeFirst()
  return entry !== undefined
}

/** Less than a batch, because more may be recorded until the transaction. */
const FEW = 50

/** Where the audit entries of a subject have been scrubbed up to. */
interface AuditPosition {
  /** Epoch milliseconds. */
  readonly at: number
  readonly eventId: string
}

/**
 * Erases the detail and the address of the next audit entries about a resource. The chain contains digests of both with
 * salts that are deleted here, too, so that it can still be verified.
 */
export async function scrubAuditEvents(
  trx: Transaction,
  workspaceId: WorkspaceId,
  subject: string,
  after: AuditPosition,
): Promise<{ readonly count: number; readonly last: AuditPosition; readonly hasMore: boolean }> {
  // Chaining locks the same row: an entry is either chained before or without what is erased.
  await lockAuditChain(trx, workspaceId)
  const waiting = await scrubInbox(trx, workspaceId, subject)
  const rows = await trx
    .selectFrom('audit_events')
    .select(['event_id', 'at', 'detail', 'detail_salt', 'ip', 'ip_salt'])
    .where('workspace_id', '=', workspaceId)
    .where('subject', '=', subject)
    .where('at', '>=', after.at)
    .where((eb) => eb.or([eb('at', '>', after.at), eb('event_id', '>', after.eventId as 'aud_')]))
    .orderBy('at')
    .orderBy('event_id')
    .limit(BATCH)
    .execute()
  const ids = rows
    .filter(
      (row) => row.detail !== '{}' || row.detail_salt !== null || (row.ip ?? row.ip_salt) !== null,
    )
    .map((row) => row.event_id)
  if (ids.length > 0)
    await trx
      .updateTable('audit_events')
      .set({ detail: '{}', detail_salt: null, ip: null, ip_salt: null })
      .where('event_id', 'in', ids)
      // An expression: both databases would read all entries of the workspace by its index.
      .where(sql<boolean>`workspace_id || '' = ${workspaceId}`)
      .execute()
  const last = rows.at(-1)
  return {
    count: waiting + ids.length,
    last: last === undefined ? after : { at: Number(last.at), eventId: last.event_id },
    hasMore: rows.length === BATCH,
  }
}

const BATCH = 100

/** The inbox is read as a whole: it has the entries of a second. */
async function scrubInbox(
  trx: Transaction,
  workspaceId: WorkspaceId,
  subject: string,
): Promise<number> {
  const { numUpdatedRows } = await trx
    .updateTable('audit_inbox')
    .set({ detail: '{}', ip: null })
    .where('workspace_id', '=', workspaceId)
    .where('subject', '=', subject)
    .where((eb) => eb.or([eb('detail', '<>', '{}'), eb('ip', 'is not', null)]))
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

/** Where the events of a subject have been scrubbed up to. */
export interface ScrubbedEvents {
  readonly counts: ErasureCounts
  /** The last sequence number that was read. */
  readonly last: number
  /** Whether there may be more events. */
  readonly hasMore: boolean
}

/** Scrubs the next events of a resource: those numbered after `after`, and those without a number. */
export async function scrubEventsOfSubject(
  trx: Transaction,
  workspaceId: WorkspaceId,
  subject: string,
  after: number,
): Promise<ScrubbedEvents> {
  const ofSubject = selectEvents(trx, workspaceId).where('subject', '=', subject)
  // First those without a number: one that gets it between the two reads is in both of them, not in neither.
  const unnumbered = await ofSubject.where('sequence', 'is', null).limit(BATCH).execute()
  const numbered = await ofSubject
    .where('sequence', '>', after)
    .orderBy('sequence')
    .limit(BATCH)
    .execute()
  return {
    counts: await scrubEvents(trx, workspaceId, merge(unnumbered, numbered)),
    last: Number(numbered.at(-1)?.sequence ?? after),
    hasMore: numbered.length === BATCH,
  }
}

/** Scrubs events that have the identifier of a customer, and returns what they were about. */
export async function scrubEventsOfCustomer(
  trx: Transaction,
  { workspaceId, identifier }: Customer,
): Promise<{
  readonly counts: ErasureCounts
  readonly subjects: ReadonlySet<string>
  readonly hasMore: boolean
}> {
  const ofCustomer = selectEvents(trx, workspaceId).where('account_identifier', '=', identifier)
  const unnumbered = await ofCustomer.where('sequence', 'is', null).limit(BATCH).execute()
  const numbered = await ofCustomer.where('sequence', 'is not', null).limit(BATCH).execute()
  const events = merge(unnumbered, numbered)
  const counts = await scrubEvents(trx, workspaceId, events)
  const subjects = new Set(events.map(({ subject }) => subject))
  return { counts, subjects, hasMore: numbered.length === BATCH || unnumbered.length === BATCH }
}

function selectEvents(trx: Transaction, workspaceId: WorkspaceId) {
  return trx
    .selectFrom('events')
    .select(['position', 'sequence', 'subject', 'data', 'account_identifier'])
    .where('workspace_id', '=', workspaceId)
}

interface StoredEvent {
  readonly position: number
  readonly sequence: number | null
  readonly subject: string
  readonly data: string
  readonly account_identifier: string | null
}

/** Both reads; of an event that is in both, the one that knows its number. */
function merge(unnumbered: readonly StoredEvent[], numbered: readonly StoredEvent[]) {
  const byPosition = new Map<number, StoredEvent>()
  for (const event of [...unnumbered, ...numbered]) byPosition.set(Number(event.position), event)
  return [...byPosition.values()]
}

async function scrubEvents(
  trx: Transaction,
  workspaceId: WorkspaceId,
  events: readonly StoredEvent[],
): Promise<ErasureCounts> {
  const sequences: number[] = []
  let count = 0
  for (const { position, sequence, data, account_identifier } of events) {
    const scrubbed = JSON.stringify(scrubEventData(JSON.parse(data)))
    if (scrubbed === data && account_identifier === null) continue
    await trx
      .updateTable('events')
      .set({ data: scrubbed, account_identifier: null })
      .where('position', '=', position)
      .execute()
    count += 1
    if (sequence !== null) sequences.push(Number(sequence))
  }
  return { events: count, deliveryFailures: await scrubFailures(trx, workspaceId, sequences) }
}

/** The data of an event without what its snapshots of an account and of a connect session say about the customer. */
function scrubEventData(data: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const scrubbed = { ...data }
  for (const [resource, erased] of Object.entries(ERASED_MEMBERS)) {
    const snapshot = data[resource]
    if (typeof snapshot === 'object' && snapshot !== null)
      scrubbed[resource] = { ...snapshot, ...erased }
  }
  // The paths of what was truncated contain the keys of tags.
  if (Array.isArray(data.truncated))
    scrubbed.truncated = data.truncated.filter((path) => !String(path).includes('.tags.'))
  return scrubbed
}

const ERASED_MEMBERS: Readonly<Record<string, object>> = {
  account: ERASED_RESPONSE,
  agentSession: { accountIdentifier: null },
  connectSession: {
    accountIdentifier: null,
    tags: {},
    configFields: [],
    redirectURL: null,
  },
  oauthApp: { accountIdentifier: null, integrationOAuthAppName: '', clientId: '' },
}

/** Erases what receivers responded to events: a response may repeat the event. */
async function scrubFailures(
  trx: Transaction,
  workspaceId: WorkspaceId,
  sequences: readonly number[],
): Promise<number> {
  if (sequences.length === 0) return 0
  const endpoints = await trx
    .selectFrom('webhook_endpoints')
    .select('endpoint_id')
    .where('workspace_id', '=', workspaceId)
    .execute()
  if (endpoints.length === 0) return 0
  const { numUpdatedRows } = await trx
    .updateTable('delivery_failures')
    .set({ response: '' })
    .where(
      'endpoint_id',
      'in',
      endpoints.map((endpoint) => endpoint.endpoint_id),
    )
    .where('sequence', 'in', sequences)
    .where('response', '<>', '')
    .executeTakeFirst()
  return Number(numUpdatedRows)
}
