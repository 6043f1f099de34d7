import type { Child } from './child.ts'

/** The shared or isolated children that accept calls: idle ones first, then by number of calls. */
export function listAvailableChildren(children: Iterable<Child>, isIsolated: boolean): Child[] {
  return [...children]
    .filter((child) => child.isIsolated === isIsolated && child.isReady && !child.isDraining)
    .filter((child) => child.running < CHECKS_PER_CHILD + CREDENTIALS_PER_CHILD)
    .toSorted((a, b) => Number(b.isIdle) - Number(a.isIdle) || a.running - b.running)
}

/** The children of a kind that are not about to be replaced. */
export function listActiveChildren(children: Iterable<Child>, isIsolated: boolean): Child[] {
  return [...children].filter((child) => child.isIsolated === isIsolated && !child.isDraining)
}

/** Whether a child has completed many calls or uses much memory. */
export function isWornOut({ completedCalls, rss }: Child): boolean {
  return completedCalls >= MAX_COMPLETED_CALLS || rss > MAX_RSS
}

/**
 * Whether a workspace that starts a call in this child leaves another child free of its calls: a workspace never has
 * calls in all of the `size` shared children, so a call of another workspace always finds one where none of its calls
 * compute.
 */
export function isOneLeftFree(
  child: Child,
  workspaceId: string,
  { children, size }: { readonly children: Iterable<Child>; readonly size: number },
): boolean {
  if (child.isIsolated || child.runningOf(workspaceId) > 0 || size === 1) return true
  const shared = [...children].filter((each) => !each.isIsolated)
  return shared.filter((each) => each.runningOf(workspaceId) > 0).length < size - 1
}

/** More would need more memory than a child may use. */
export const CHECKS_PER_CHILD = 24
const CREDENTIALS_PER_CHILD = 8
const MAX_COMPLETED_CALLS = 5_000
const MAX_RSS = 768 * 1024 * 1024
