import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import type { EventStore } from './event-store.ts'

/** Requests that wait for the next event of a workspace. */
export interface EventWaiters {
  /**
   * Resolves when the workspace may have events above `after`, after `ms` milliseconds, or when `signal` aborts. Resolves
   * with true at once if too many requests of the tenant or of this process wait.
   */
  wait(
    tenant: string,
    target: { readonly workspaceId: WorkspaceId; readonly after: number },
    ms: number,
    signal: AbortSignal,
  ): Promise<boolean>
  /** Wakes the requests that wait for these workspaces. */
  wake(workspaceIds: readonly WorkspaceId[]): void
  /** Wakes all requests; later ones do not wait. */
  stop(): void
}

interface Waiter {
  readonly tenant: string
  readonly workspaceId: WorkspaceId
  readonly after: number
  readonly resolve: () => void
}

/** One timer asks for all who wait whether another process has numbered events. */
export function createEventWaiters(events: Pick<EventStore, 'listLast'>): EventWaiters {
  const waiters = new Set<Waiter>()
  let isStopped = false
  let timer: NodeJS.Timeout | undefined
  const wakeWhere = (isDue: (waiter: Waiter) => boolean) => {
    for (const waiter of waiters) if (isDue(waiter)) waiter.resolve()
  }
  const poll = async () => {
    const workspaceIds = [...new Set([...waiters].map(({ workspaceId }) => workspaceId))]
    const last = await events.listLast(workspaceIds)
    wakeWhere(({ workspaceId, after }) => (last.get(workspaceId) ?? 0) > after)
  }
  const countOf = (tenant: string) => [...waiters].filter((one) => one.tenant === tenant).length
  return {
    async wait(tenant, { workspaceId, after }, ms, signal) {
      if (isStopped || signal.aborted || waiters.size >= MAX_WAITERS) return true
      if (countOf(tenant) >= MAX_WAITERS_PER_TENANT) return true
      const { promise, resolve } = Promise.withResolvers<void>()
      const stopWaiting = () => resolve()
      const waiter = { tenant, workspaceId, after, resolve }
      waiters.add(waiter)
      timer ??= setInterval(() => void poll().catch(() => {}), POLL_MS).unref()
      const timeout = setTimeout(resolve, ms)
      signal.addEventListener('abort', stopWaiting)
      await promise
      signal.removeEventListener('abort', stopWaiting)
      clearTimeout(timeout)
      waiters.delete(waiter)
      if (waiters.size === 0) {
        clearInterval(timer)
        timer = undefined
      }
      return isStopped
    },
    wake(workspaceIds) {
      wakeWhere(({ workspaceId }) => workspaceIds.includes(workspaceId))
    },
    stop() {
      isStopped = true
      wakeWhere(() => true)
    },
  }
}

const MAX_WAITERS = 1_000
const MAX_WAITERS_PER_TENANT = 100
const POLL_MS = 1_000
