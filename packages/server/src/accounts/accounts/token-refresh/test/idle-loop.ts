import { createHook } from 'node:async_hooks'
import { startRefreshRounds } from '../background/refresh-scheduler.ts'
import { createRefreshCounts, type RefreshDeps } from '../refresh-deps.ts'

// Runs in a separate process, so that all timers belong to the loop. No round ever starts: its dependencies are unused.
const timers = new Set<number>()
createHook({
  init: (id, type) => type === 'Timeout' && timers.add(id),
  destroy: (id) => timers.delete(id),
}).enable()

const deps: unknown = { database: { dialect: 'sqlite' }, refreshCounts: createRefreshCounts() }
const loop = startRefreshRounds(deps as RefreshDeps, { intervalMs: 3_600_000 })
process.stdout.write(`timers before ${timers.size}`)
if (process.argv[2] === 'stop') {
  await loop.stop()
  // Destroyed timers are reported in the next turn.
  await new Promise((resolve) => setImmediate(resolve))
  await new Promise((resolve) => setImmediate(resolve))
  process.stdout.write(`, after ${timers.size}`)
}
process.stdout.write('\n')
