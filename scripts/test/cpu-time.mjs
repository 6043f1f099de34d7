import { readdirSync, readFileSync } from 'node:fs'

/** Clock ticks per second on Linux, on every platform that Node supports. */
const TICKS = 100
const SAMPLE_MS = 250

/**
 * Measures the CPU time of this process and of everything it started.
 *
 * Linux adds the time of a process to that of its parent when the parent waits for it. The runner kills its jailed children
 * together with the bubblewrap that should wait for them, so their time is sampled while they run.
 */
export function measureCpuTime() {
  const jailed = new Map()
  let endedTicks = 0
  const sample = () => {
    const processes = readProcesses()
    for (const [key, ticks] of jailed) {
      if (processes.has(Number(key.split(' ', 1)[0]))) continue
      endedTicks += ticks
      jailed.delete(key)
    }
    let ticks = 0
    for (const [pid, entry] of processes) {
      if (!descends(pid, processes)) continue
      ticks += entry.ticks
      if (entry.name !== 'bwrap' && processes.get(entry.parent)?.name === 'bwrap')
        jailed.set(`${pid} ${entry.startedAt}`, entry.ticks)
    }
    return ticks
  }
  const timer = setInterval(sample, SAMPLE_MS).unref()
  return {
    /** CPU seconds so far; without /proc, those of this process only. */
    seconds() {
      const ticks = sample()
      return ticks === 0 ? ownSeconds() : (ticks + endedTicks) / TICKS
    },
    stop: () => clearInterval(timer),
  }
}

function readProcesses() {
  const processes = new Map()
  try {
    for (const name of readdirSync('/proc')) if (/^\d+$/.test(name)) readStat(name, processes)
  } catch {
    // Not Linux.
  }
  return processes
}

function readStat(pid, processes) {
  try {
    // The name may contain spaces, so fields are counted from its closing parenthesis (proc(5)).
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const end = stat.lastIndexOf(')')
    const fields = stat.slice(end + 2).split(' ')
    const ticks = fields.slice(11, 15).reduce((sum, each) => sum + Number(each), 0)
    const name = stat.slice(stat.indexOf('(') + 1, end)
    processes.set(Number(pid), { parent: Number(fields[1]), ticks, name, startedAt: fields[19] })
  } catch {
    // The process has exited meanwhile; its parent has counted its time.
  }
}

function descends(pid, processes) {
  for (let at = pid; at !== undefined && at > 1; at = processes.get(at)?.parent)
    if (at === process.pid) return true
  return false
}

function ownSeconds() {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}
