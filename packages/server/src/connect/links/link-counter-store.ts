import type { Kysely } from 'kysely'
import Type, { type Static } from 'typebox'
import { coversWorkspace, type WorkspaceAccess } from '../../access/auth/caller.ts'
import {
  isAccessibleWorkspace,
  isOwnedWorkspace,
} from '../../access/auth/workspace-access-store.ts'
import type { UserId } from '../../access/users/user.ts'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import { type StatisticsCounter, UNCOUNTED } from '../../activity/statistics/statistics.ts'
import type { Log } from '../../platform/http/log.ts'
import { StrictObject } from '../../platform/http/schema.ts'
import { type Flushes, startFlushing } from '../../platform/rounds.ts'
import type { Database, Param, Transaction } from '../../platform/storage/database.ts'
import { splitIntoChunks } from '../../platform/storage/portable-sql.ts'
import type { Tables } from '../../platform/storage/tables.ts'
import type { Link, LinkId } from './link.ts'

export interface LinkCountersOptions {
  readonly database: Database
  readonly log: Log
  /** Interval between flushes, in milliseconds. */
  readonly flushIntervalMs?: number
  /** Maximum number of distinct pending counts; further ones are dropped. */
  readonly maxPending?: number
  /** Counts opens of workspaces. Default: nothing does. */
  readonly statistics?: StatisticsCounter | undefined
}

/**
 * Counts events of links, and ignores those without a link (null). The first four methods return immediately and never throw.
 */
export interface LinkCounters extends Flushes {
  /** Counts the page of a link, or of a connect session, for its workspace, too. */
  opened(linkId: LinkId | null, workspaceId: WorkspaceId): void
  attempted(linkId: LinkId | null): void
  succeeded(linkId: LinkId | null): void
  /** Counts a rejected attempt by its error code. */
  refused(linkId: LinkId | null, code: string): void
}

/**
 * Counts in memory and adds the counts to the database every second in one transaction, so that the counts of nodes
 * add up. Counts that fail to be stored go into the next flush; counts that a killed node had not flushed are lost.
 */
export function createLinkCounters(options: LinkCountersOptions): LinkCounters {
  const { database, log, flushIntervalMs = 1_000, maxPending = 10_000 } = options
  const { statistics = UNCOUNTED } = options
  const store = createLinkCounterStore(database)
  let pending = new Map<string, LinkCount>()
  let isFailing = false

  const add = ({ linkId, name, count }: LinkCount) => {
    const key = `${linkId} ${name}`
    const existing = pending.get(key)
    if (existing === undefined && pending.size >= maxPending) return
    pending.set(key, { linkId, name, count: (existing?.count ?? 0) + count })
  }
  const increment = (linkId: LinkId | null, name: string) => {
    if (linkId !== null) add({ linkId, name, count: 1 })
  }

  const { flush, stop } = startFlushing(async () => {
    if (pending.size === 0) return
    const batch = [...pending.values()]
    pending = new Map()
    try {
      await database.transaction((trx) => store.add(trx, batch))
      isFailing = false
    } catch (error) {
      for (const count of batch) add(count)
      if (!isFailing)
        log.warn({ err: error }, 'could not store link counters, retrying with the next flush')
      isFailing = true
    }
  }, flushIntervalMs)

  return {
    opened(linkId, workspaceId) {
      increment(linkId, 'opened')
      statistics.add({ workspaceId, metric: 'opens' })
    },
    attempted: (linkId) => increment(linkId, 'attempted'),
    succeeded: (linkId) => increment(linkId, 'connected'),
    refused: (linkId, code) =>
      increment(linkId, `refused:${ERROR_CODE.test(code) ? code : 'unknown'}`),
    flush,
    stop,
  }
}

/** Codes become rows, so reject anything that could be user input. */
const ERROR_CODE = /^[a-z_]{1,64}$/

const countField = (description: string) => Type.Integer({ description })

/** The usage statistics in Get link. */
export const LINK_STATS_FIELDS = {
  counters: StrictObject(
    {
      opens: countField('How often the page of the link was opened.'),
      attempts: countField('Number of attempts to connect an account.'),
      successes: countField('Number of attempts that created or reconnected an account.'),
    },
    { description: 'Usage of the link, updated every second.' },
  ),
  refusals: Type.Array(
    StrictObject({
      code: Type.String({ description: 'The error code.' }),
      count: countField('Number of attempts that failed with this code.'),
    }),
    { description: 'Why attempts were rejected, most frequent first.' },
  ),
}

export interface LinkStats {
  readonly counters: Static<typeof LINK_STATS_FIELDS.counters>
  readonly refusals: Static<typeof LINK_STATS_FIELDS.refusals>
}

/** The names of the counters that a list shows. */
const COUNTED = ['opened', 'attempted', 'connected']

const REFUSED_PREFIX = 'refused:'

/** Serializes stored counts. */
export function serializeLinkStats(counts: ReadonlyMap<string, number>): LinkStats {
  const refusals = [...counts]
    .filter(([name]) => name.startsWith(REFUSED_PREFIX))
    .map(([name, count]) => ({ code: name.slice(REFUSED_PREFIX.length), count }))
    .sort((a, b) => b.count - a.count || a.code.localeCompare(b.code))
  return {
    counters: {
      opens: counts.get('opened') ?? 0,
      attempts: counts.get('attempted') ?? 0,
      successes: counts.get('connected') ?? 0,
    },
    refusals,
  }
}

/** How often an event occurred at a link since the last flush. */
interface LinkCount {
  readonly linkId: LinkId
  readonly name: string
  readonly count: number
}

interface ReadParams {
  readonly linkId: LinkId
  readonly workspaceId: WorkspaceId
  readonly userId: UserId
}

/** Counters of links. */
export function createLinkCounterStore(database: Database) {
  const preparedRead = database.prepare((db, param: Param<ReadParams>) =>
    db
      .selectFrom('link_counters')
      .innerJoin('links', 'links.link_id', 'link_counters.link_id')
      .select(['link_counters.name as name', 'link_counters.count as count'])
      .where('link_counters.link_id', '=', param('linkId'))
      .where('links.workspace_id', '=', param('workspaceId'))
      .where(isOwnedWorkspace(param('userId'), param('workspaceId'))),
  )
  return {
    /** Adds to the stored counts. Skips links that do not exist. */
    async add(trx: Transaction, counts: readonly LinkCount[]): Promise<void> {
      const existing = await findExistingLinks(trx, [
        ...new Set(counts.map(({ linkId }) => linkId)),
      ])
      const rows = counts
        .filter(({ linkId }) => existing.has(linkId))
        .map(({ linkId, name, count }) => ({ link_id: linkId, name, count }))
        // Lock rows in one order: otherwise two nodes could deadlock.
        .sort((a, b) => compareStrings(a.link_id, b.link_id) || compareStrings(a.name, b.name))
      for (const batch of splitIntoChunks(rows))
        await trx
          .insertInto('link_counters')
          .values(batch)
          .onConflict((conflict) =>
            conflict.columns(['link_id', 'name']).doUpdateSet((eb) => ({
              count: eb('link_counters.count', '+', eb.ref('excluded.count')),
            })),
          )
          .execute()
    },

    /** Counts by name: `opened`, `attempted`, `connected`, `refused:<code>`. */
    async read(
      access: WorkspaceAccess,
      { linkId, workspaceId }: Pick<Link, 'linkId' | 'workspaceId'>,
    ): Promise<ReadonlyMap<string, number>> {
      if (!coversWorkspace(access, workspaceId)) return new Map()
      const rows = await preparedRead.all({ linkId, workspaceId, userId: access.userId })
      return new Map(rows.map(({ name, count }) => [name, count]))
    },

    /** The same for several links of a workspace, without refusals. */
    async readAll(
      access: WorkspaceAccess,
      workspaceId: WorkspaceId,
      linkIds: readonly LinkId[],
    ): Promise<ReadonlyMap<LinkId, ReadonlyMap<string, number>>> {
      const found = new Map<LinkId, Map<string, number>>()
      for (const batch of splitIntoChunks(linkIds)) {
        const rows = await database.read
          .selectFrom('link_counters')
          .innerJoin('links', 'links.link_id', 'link_counters.link_id')
          .select(['links.link_id', 'link_counters.name as name', 'link_counters.count as count'])
          .where('link_counters.link_id', 'in', batch)
          .where('link_counters.name', 'in', COUNTED)
          .where('links.workspace_id', '=', workspaceId)
          .where(isAccessibleWorkspace(access, workspaceId))
          .execute()
        for (const { link_id, name, count } of rows) {
          const counts = found.get(link_id) ?? new Map<string, number>()
          found.set(link_id, counts.set(name, count))
        }
      }
      return found
    },
  }
}

export type LinkCounterStore = ReturnType<typeof createLinkCounterStore>

async function findExistingLinks(db: Kysely<Tables>, ids: readonly LinkId[]): Promise<Set<string>> {
  const existing = new Set<string>()
  for (const batch of splitIntoChunks(ids)) {
    const rows = await db
      .selectFrom('links')
      .select('link_id')
      .where('link_id', 'in', batch)
      .execute()
    for (const { link_id } of rows) existing.add(link_id)
  }
  return existing
}

function compareStrings(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
