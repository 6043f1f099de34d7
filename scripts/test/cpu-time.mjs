import { listDescendants, readProcesses, TICKS_PER_SECOND } from './process-table.ts'

const SAMPLE_MS = 250

/**
 * Measures the CPU time of this process and of everything it started.
 *
 * Linux adds the time of a process to that of its parent when the parent waits for it. The runner kills its sandboxed
 * children together with the bubblewrap that should wait for them, so their time is sampled while they run.
 */
export function measureCpuTime() {
  const sandboxed = new Map()
  let endedTicks = 0
  const sample = () => {
    const processes = readProcesses()
    for (const [key, ticks] of sandboxed) {
      if (processes.has(Number(key.split(' ', 1)[0]))) continue
      endedTicks += ticks
      sandboxed.delete(key)
    }
    let sum = 0
    for (const pid of [process.pid, ...listDescendants(process.pid, processes)]) {
      const { parent, name, startedAt, ticks = 0, childTicks = 0 } = processes.get(pid) ?? {}
      sum += ticks + childTicks
      if (name !== 'bwrap' && processes.get(parent)?.name === 'bwrap')
        sandboxed.set(`${pid} ${startedAt}`, ticks + childTicks)
    }
    return sum
  }
  const timer = setInterval(sample, SAMPLE_MS).unref()
  return {
    /** CPU seconds so far; without /proc, those of this process only. */
    seconds() {
      const ticks = sample()
      return ticks === 0 ? ownSeconds() : (ticks + endedTicks) / TICKS_PER_SECOND
    },
    stop: () => clearInterval(timer),
  }
}

function ownSeconds() {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}
