import { availableParallelism, cpus } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'

const CORES = availableParallelism()
const SAMPLE_MS = 1_000
const IDLE_SHARE = 0.08

/**
 * Runs tasks in their order, several at a time: one more than there are cores, and another one for each second in which the
 * cores were partly idle, because tests wait for processes and timeouts. More at once compete for the caches.
 */
export async function runSideBySide(tasks, { least = CORES + 1, most = 4 * CORES } = {}) {
  const waiting = [...tasks]
  const running = new Set()
  let limit = least
  while (waiting.length > 0) {
    while (waiting.length > 0 && running.size < limit) {
      const task = waiting.shift()()
      running.add(task)
      task.finally(() => running.delete(task))
    }
    const before = readCpuTimes()
    const isFullSample = await Promise.race([sleep(SAMPLE_MS, true), ...running])
    limit = running.size
    if (isFullSample === true && idleShare(before, readCpuTimes()) > IDLE_SHARE) limit += 1
    limit = Math.min(Math.max(limit, least), most)
  }
  await Promise.all(running)
}

function readCpuTimes() {
  const sum = { idle: 0, all: 0 }
  for (const { times } of cpus()) {
    sum.idle += times.idle
    for (const value of Object.values(times)) sum.all += value
  }
  return sum
}

/** Of the time between two samples, 0 to 1. */
function idleShare(before, after) {
  return (after.idle - before.idle) / Math.max(1, after.all - before.all)
}
