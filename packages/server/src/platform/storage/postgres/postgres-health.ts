import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { readIsStandby } from './primary-guard.ts'

/** Consecutive failures after which the server counts as unavailable: one cut connection says nothing. */
const MAX_FAILURES = 3
const RETRY_DELAY_MS = 100
const DEADLINE_MS = 2_000
/** Below the deadline, so that a server that stopped does not keep the connection. */
const QUERY_TIMEOUT_MS = 1_500
const WATCH_INTERVAL_MS = 1_000

/**
 * Whether the server responds and accepts writes: false after three failures in a row, or two seconds. The pool must serve
 * nothing else, so that neither locks nor slow statements delay the answer.
 */
export async function acceptsWrites(pool: pg.Pool): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const timer = setTimeout(resolve, DEADLINE_MS, false)
  const result = await Promise.race([tryRepeatedly(pool), promise])
  clearTimeout(timer)
  return result
}

/**
 * Checks the server every second while there are connections: a new connection notices that the address has moved, also
 * when nothing asks for the readiness. Returns a function that ends it.
 */
export function watchAddress(
  pools: Readonly<Record<'write' | 'read' | 'health', pg.Pool>>,
): () => void {
  let isChecking = false
  const timer = setInterval(async () => {
    if (isChecking || pools.write.totalCount + pools.read.totalCount === 0) return
    isChecking = true
    await tryRepeatedly(pools.health)
    isChecking = false
  }, WATCH_INTERVAL_MS)
  timer.unref()
  return () => clearInterval(timer)
}

async function tryRepeatedly(pool: pg.Pool): Promise<boolean> {
  for (let failures = 1; ; failures += 1) {
    const isPrimary = await readIsStandby(pool, QUERY_TIMEOUT_MS).then(
      (isStandby) => !isStandby,
      () => false,
    )
    if (isPrimary) return true
    if (failures === MAX_FAILURES) return false
    await sleep(RETRY_DELAY_MS)
  }
}
