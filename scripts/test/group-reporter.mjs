import { readdirSync, readFileSync } from 'node:fs'
import { listOpenHandles } from './open-handles.mjs'

/** Ticks of Linux's clock in a second, on every platform that Node has builds for. */
const TICKS = 100

/**
 * A reporter of `node --test` for groups in one process: prints a JSON line for each test file, with the seconds that
 * its tests took and the CPU seconds of this process and everything it started. Loading comes under the name "(load)".
 * The last line names the servers and programs that the files left open: `--test-force-exit` would hide them. The
 * destination must be a file, because the process does not wait for another one.
 */
export default async function* reportGroup(events) {
  const files = new Map()
  let last = { wall: 0, cpu: 0 }
  let file = '(load)'
  const add = () => {
    const now = { wall: performance.now() / 1_000, cpu: cpuSeconds() }
    const sum = files.get(file) ?? { wall: 0, cpu: 0 }
    sum.wall += now.wall - last.wall
    sum.cpu += now.cpu - last.cpu
    files.set(file, sum)
    last = now
  }
  let nested
  for await (const { type, data } of events) {
    // A helper that calls `describe` gives its own file: the tests inside name the right one.
    if (data?.nesting > 0 && data.file?.endsWith('.test.ts')) nested = data.file
    if (data?.nesting !== 0) continue
    if (type === 'test:dequeue' && file === '(load)') add()
    if (type !== 'test:complete') continue
    const previous = file
    file = data.file?.endsWith('.test.ts') ? data.file : (nested ?? previous)
    nested = undefined
    add()
  }
  for (const [name, { wall, cpu }] of files)
    yield `${JSON.stringify({ file: name, wall: round(wall), cpu: round(cpu) })}\n`
  yield `${JSON.stringify({ open: await listOpenHandles() })}\n`
}

/** CPU seconds of this process, its descendants, and those of them that have ended; without /proc, of this process. */
function cpuSeconds() {
  const parents = new Map()
  try {
    for (const name of readdirSync('/proc')) if (/^\d+$/.test(name)) readStat(name, parents)
  } catch {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1e6
  }
  let ticks = 0
  for (const [pid, entry] of parents) if (descends(pid, parents)) ticks += entry.ticks
  return ticks / TICKS
}

function readStat(pid, parents) {
  try {
    // The name may hold spaces: fields are counted from its closing bracket (proc(5)).
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const ticks = fields.slice(11, 15).reduce((sum, each) => sum + Number(each), 0)
    parents.set(Number(pid), { parent: Number(fields[1]), ticks })
  } catch {
    // It has ended meanwhile; its parent has counted it.
  }
}

function descends(pid, parents) {
  for (let at = pid; at !== undefined && at > 1; at = parents.get(at)?.parent)
    if (at === process.pid) return true
  return false
}

function round(seconds) {
  return Math.round(seconds * 100) / 100
}
