import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import type { Log } from '../../platform/http/log.ts'
import { type Rounds, startRounds } from '../../platform/rounds.ts'
import type { Database } from '../../platform/storage/database.ts'
import type { EventStore } from './event-store.ts'

export interface EventNumberingDeps {
  readonly database: Pick<Database, 'onCommit'>
  readonly events: Pick<EventStore, 'listUnnumbered' | 'number'>
  /** Called with the workspaces whose events were numbered by this process. */
  readonly onNumbered: (workspaceIds: readonly WorkspaceId[]) => void
  readonly log: Log
}

/**
 * Numbers events soon after each commit of this process, and every second those that other processes left. Several
 * processes may do so on one database.
 */
export function startEventNumbering({
  database,
  events,
  onNumbered,
  log,
}: EventNumberingDeps): Rounds {
  const round = async () => {
    const workspaceIds = await events.listUnnumbered(WORKSPACES)
    let hasMore = workspaceIds.length === WORKSPACES
    for (const workspaceId of workspaceIds)
      if (await events.number(workspaceId, BATCH)) hasMore = true
    if (workspaceIds.length > 0) onNumbered(workspaceIds)
    return hasMore
  }
  return startRounds({
    round,
    onError: (error) => log.warn({ err: error }, 'events could not be numbered'),
    pollMs: POLL_MS,
    afterCommits: { database, delayMs: DELAY_MS, intervalMs: INTERVAL_MS },
  })
}

/** Commits within this time are numbered together, and under load those within the interval: a round costs as much as a write. */
const DELAY_MS = 10
const INTERVAL_MS = 100
const POLL_MS = 1_000
const BATCH = 200
const WORKSPACES = 100
