import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import { PUBLIC_ACCOUNT } from '../../accounts/accounts/account.ts'
import type { Transaction } from '../../platform/storage/database.ts'
import type { Customer, ErasureCounts } from './erasure.ts'

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

const BATCH = 100

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
  account: PUBLIC_ACCOUNT.erasedResponse,
  connectSession: {
    accountIdentifier: null,
    tags: {},
    configFields: [],
    redirectURL: null,
  },
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
