import { createHook } from 'node:async_hooks'
import type { RenewalDeps } from '../renewal-deps.ts'
import { startRenewalLoop } from '../renewal-loop.ts'

// A process of its own, so that every timer is the loop's. It never comes to a round: nothing is asked of its parts.
const timers = new Set<number>()
createHook({
  init: (id, type) => type === 'Timeout' && timers.add(id),
  destroy: (id) => timers.delete(id),
}).enable()

const loop = startRenewalLoop({} as RenewalDeps, { everyMs: 3_600_000 })
process.stdout.write(`timers before ${timers.size}`)
if (process.argv[2] === 'stop') {
  await loop.stop()
  // What is destroyed is told in the turn after.
  await new Promise((resolve) => setImmediate(resolve))
  await new Promise((resolve) => setImmediate(resolve))
  process.stdout.write(`, after ${timers.size}`)
}
process.stdout.write('\n')
