import type { Log } from '../http/log.ts'
import type { Database } from '../storage/database.ts'
import type { WorkspaceId } from '../workspaces/workspace.ts'
import type { EventStore } from './event-store.ts'

export interface EventNumberingDeps {
  readonly database: Pick<Database, 'onCommit'>
  readonly events: Pick<EventStore, 'listUnnumbered' | 'number'>
  /** Called with the workspaces whose events were numbered by this process. */
  readonly onNumbered: (workspaceIds: readonly WorkspaceId[]) => void
  readonly log: Log
}

/** Numbers the events that were committed. */
export interface EventNumbering {
  /** Starts no new work; resolves when the work in progress has completed. */
  stop(): Promise<void>
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
}: EventNumberingDeps): EventNumbering {
  let isStopped = false
  let running: Promise<void> | undefined
  let isDue = false
  const run = async () => {
    while (isDue && !isStopped) {
      isDue = false
      const workspaceIds = await numberAll()
      if (workspaceIds.length > 0) onNumbered(workspaceIds)
    }
  }
  const start = () => {
    isDue = true
    running ??= run()
      .catch((error) => log.warn({ err: error }, 'events could not be numbered'))
      .finally(() => {
        running = undefined
      })
  }
  /** Returns the workspaces that had any. */
  const numberAll = async () => {
    const workspaceIds = await events.listUnnumbered(WORKSPACES)
    for (const workspaceId of workspaceIds)
      if (await events.number(workspaceId, BATCH)) isDue = true
    if (workspaceIds.length === WORKSPACES) isDue = true
    return workspaceIds
  }
  let delay: NodeJS.Timeout | undefined
  let startedAt = Number.NEGATIVE_INFINITY
  const removeListener = database.onCommit(() => {
    if (delay !== undefined) return
    const wait = Math.max(DELAY_MS, startedAt + INTERVAL_MS - performance.now())
    delay = setTimeout(() => {
      delay = undefined
      startedAt = performance.now()
      if (!isStopped) start()
    }, wait).unref()
  })
  const poll = setInterval(start, POLL_MS).unref()
  return {
    async stop() {
      isStopped = true
      removeListener()
      clearInterval(poll)
      clearTimeout(delay)
      await running
    },
  }
}

/** Commits within this time are numbered together, and under load those within the interval: a round costs as much as a write. */
const DELAY_MS = 10
const INTERVAL_MS = 100
const POLL_MS = 1_000
const BATCH = 200
const WORKSPACES = 100
