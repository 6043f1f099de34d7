import { shortenCapabilities } from '../../platform/http/log.ts'
import type { Database, Transaction } from '../../platform/storage/database.ts'
import { type Id, newId } from '../../platform/storage/id.ts'
import { HOUR_MS, type ProxyUseCount } from './proxy-use.ts'
import { MINUTE_MS, type RefusalCount, type RefusedCaller } from './refusals.ts'

/** Writes what processes have counted in memory to the audit trail. Background work: not on behalf of a caller. */
export function createCollectedStore(database: Database, now: () => number) {
  const budget = createHourlyBudget(now)
  return {
    async writeProxyUse(counts: readonly ProxyUseCount[]): Promise<void> {
      for (let start = 0; start < counts.length; start += BATCH) {
        const batch = counts.slice(start, start + BATCH)
        await database.transaction(async (trx) => {
          const live = await lockLiveAccounts(database, trx, batch)
          const entries = batch.map((count) => toProxyEntry(count, live.has(count.accountId)))
          await insertEntries(trx, now(), entries)
        })
      }
    },

    /**
     * Requests with a token that exists, revoked or not, appear in the trail of its workspace. Of all others, each process
     * records at most 100 addresses per hour, outside workspaces, and then one entry per error code and minute.
     */
    async writeRefusals(counts: readonly RefusalCount[]): Promise<void> {
      const unknown: RefusalCount[] = []
      for (let start = 0; start < counts.length; start += BATCH) {
        const batch = counts.slice(start, start + BATCH)
        const owners = await findOwners(database, batch)
        const entries: NewEntry[] = []
        for (const count of batch) {
          const caller = count.caller ?? owners.get(count.tokenHash ?? '')
          if (caller === undefined) unknown.push(count)
          else entries.push(toRefusalEntry(count, caller))
        }
        if (entries.length > 0)
          await database.transaction((trx) => insertEntries(trx, now(), entries))
      }
      const entries = mergeUnknown(unknown, budget).map((count) => toRefusalEntry(count, undefined))
      for (let start = 0; start < entries.length; start += BATCH)
        await database.transaction((trx) =>
          insertEntries(trx, now(), entries.slice(start, start + BATCH)),
        )
    },
  }
}

export type CollectedStore = ReturnType<typeof createCollectedStore>

const BATCH = 200

interface NewEntry {
  readonly workspaceId: Id<'wsp'> | null
  readonly userId: string | null
  readonly tokenId: string | null
  readonly kind: 'token' | 'unknown'
  readonly ip: string | null
  readonly action: 'request.refused' | 'proxy.used'
  readonly outcome: 'done' | 'refused'
  readonly subject: string | null
  readonly detail: Readonly<Record<string, unknown>>
}

/** The accounts of these that are live. Until the transaction ends, none of them can be deleted or erased. */
async function lockLiveAccounts(
  { dialect }: Database,
  trx: Transaction,
  counts: readonly ProxyUseCount[],
): Promise<ReadonlySet<string>> {
  const query = trx
    .selectFrom('accounts')
    .select('account_id')
    .where(
      'account_id',
      'in',
      counts.map(({ accountId }) => accountId),
    )
    .where('deleted_at', 'is', null)
    .orderBy('account_id')
  const rows = await (dialect === 'postgres' ? query.forShare() : query).execute()
  return new Set(rows.map((row) => row.account_id))
}

/** What was counted before an account was erased must not add a host or an address to its entries: both can name people. */
function toProxyEntry(count: ProxyUseCount, isLive: boolean): NewEntry {
  const { workspaceId, accountId, userId, tokenId, hour, calls, writes } = count
  const ip = isLive ? count.ip : null
  const hosts = isLive ? count.hosts : []
  const hourStart = new Date(hour * HOUR_MS).toISOString()
  return {
    workspaceId,
    userId,
    tokenId,
    ip,
    kind: 'token',
    action: 'proxy.used',
    outcome: 'done',
    subject: accountId,
    detail: { hour: hourStart, calls, writes, hosts: [...hosts] },
  }
}

function toRefusalEntry(refusal: RefusalCount, caller: RefusedCaller | undefined): NewEntry {
  const { minute, code, ip, count } = refusal
  return {
    workspaceId: caller?.boundWorkspaceId ?? null,
    userId: caller?.personId ?? caller?.userId ?? null,
    tokenId: caller?.tokenId ?? null,
    kind: caller === undefined ? 'unknown' : 'token',
    ip,
    action: 'request.refused',
    outcome: 'refused',
    subject: caller?.tokenId ?? null,
    detail: { code, count, minute: new Date(minute * MINUTE_MS).toISOString() },
  }
}

async function insertEntries(
  trx: Transaction,
  now: number,
  entries: readonly NewEntry[],
): Promise<void> {
  await trx
    .insertInto('audit_inbox')
    .values(
      entries.map((entry) => ({
        event_id: newId('aud', now),
        at: now,
        workspace_id: entry.workspaceId,
        user_id: entry.userId,
        token_id: entry.tokenId,
        actor_kind: entry.kind,
        via: 'api',
        ip: entry.ip,
        action: entry.action,
        outcome: entry.outcome,
        subject: entry.subject,
        detail: shortenCapabilities(JSON.stringify(entry.detail)),
        request_id: null,
      })),
    )
    .execute()
}

/** The tokens with these hashes, revoked and expired ones included. */
async function findOwners(
  database: Database,
  counts: readonly RefusalCount[],
): Promise<ReadonlyMap<string, RefusedCaller>> {
  const hashes = counts.flatMap(({ tokenHash }) => (tokenHash === undefined ? [] : [tokenHash]))
  if (hashes.length === 0) return new Map()
  const rows = await database.read
    .selectFrom('tokens')
    .select(['token_hash', 'token_id', 'user_id', 'workspace_id'])
    .where(
      'token_hash',
      'in',
      hashes.map((hash) => Uint8Array.from(Buffer.from(hash, 'base64url'))),
    )
    .execute()
  return new Map(
    rows.map((row) => [
      Buffer.from(row.token_hash).toString('base64url'),
      { tokenId: row.token_id, userId: row.user_id, boundWorkspaceId: row.workspace_id },
    ]),
  )
}

/** Takes one of 100 places per hour. */
type TakePlace = () => boolean

function createHourlyBudget(now: () => number): TakePlace {
  let hour = 0
  let taken = 0
  return () => {
    const current = Math.floor(now() / HOUR_MS)
    if (current !== hour) {
      hour = current
      taken = 0
    }
    taken += 1
    return taken <= MAX_UNKNOWN_PER_HOUR
  }
}

const MAX_UNKNOWN_PER_HOUR = 100

/** One count per address, code and minute while there is room, then one per code and minute. */
function mergeUnknown(unknown: readonly RefusalCount[], takePlace: TakePlace): RefusalCount[] {
  const merged = new Map<string, RefusalCount>()
  for (const { minute, code, ip, count } of unknown) {
    const existing = merged.get(`${minute} ${code} ${ip}`)
    const hasPlace = existing !== undefined || ip === null || takePlace()
    const address = hasPlace ? ip : null
    const key = `${minute} ${code} ${address}`
    const total = merged.get(key) ?? { minute, code, ip: address, count: 0 }
    total.count += count
    merged.set(key, total)
  }
  return [...merged.values()]
}
