import { createHook } from 'node:async_hooks'
import type { RefreshDeps } from '../refresh-deps.ts'
import { startRefreshLoop } from '../refresh-loop.ts'

// A process of its own, so that every timer is the loop's. It never comes to a round: nothing is asked of its parts.
const timers = new Set<number>()
createHook({
  init: (id, type) => type === 'Timeout' && timers.add(id),
  destroy: (id) => timers.delete(id),
}).enable()

const loop = startRefreshLoop({} as RefreshDeps, { intervalMs: 3_600_000 })
process.stdout.write(`timers before ${timers.size}`)
if (process.argv[2] === 'stop') {
  await loop.stop()
  // What is destroyed is told in the turn after.
  await new Promise((resolve) => setImmediate(resolve))
  await new Promise((resolve) => setImmediate(resolve))
  process.stdout.write(`, after ${timers.size}`)
}
process.stdout.write('\n')
