import { measureCpuTime } from './cpu-time.mjs'
import { listOpenHandles } from './open-handles.mjs'

// Before any test runs: a test that mocks timers would otherwise run the samples of years when it advances the clock.
const cpu = measureCpuTime()

/**
 * A reporter of `node --test` for groups in one process: prints a JSON line for each test file, with the seconds that
 * its tests took and the CPU seconds of this process and everything it started. Loading comes under the name "(load)".
 * The last line names the servers and programs that the files left open: `--test-force-exit` would hide them. The
 * destination must be a file, because the process does not wait for another one.
 */
export default async function* reportGroup(events) {
  const times = createFileTimes(() => ({ wall: performance.now() / 1_000, cpu: cpu.seconds() }))
  for await (const { type, data } of events) {
    if (data?.nesting > 0) times.nested(data.file)
    else if (type === 'test:dequeue') times.started(data.file)
    else if (type === 'test:complete') times.ended(data.file)
  }
  for (const line of times.list()) yield `${JSON.stringify(line)}\n`
  cpu.stop()
  yield `${JSON.stringify({ open: await listOpenHandles() })}\n`
}

/** Adds the times between the tests at the top level to their files. */
function createFileTimes(measure) {
  const files = new Map()
  let last = { wall: 0, cpu: 0 }
  let file = '(load)'
  let nestedFile
  const add = () => {
    const now = measure()
    const sum = files.get(file) ?? { wall: 0, cpu: 0 }
    sum.wall += now.wall - last.wall
    sum.cpu += now.cpu - last.cpu
    files.set(file, sum)
    last = now
  }
  return {
    // A helper that calls `describe` gives its own file: the tests inside name the right one.
    nested(name) {
      if (isTestFile(name)) nestedFile = name
    },
    started(name) {
      if (name !== file) add()
      nestedFile = undefined
    },
    ended(name) {
      file = isTestFile(name) ? name : (nestedFile ?? file)
    },
    list() {
      add()
      return [...files].map(([name, { wall, cpu }]) => ({
        file: name,
        wall: round(wall),
        cpu: round(cpu),
      }))
    },
  }
}

function isTestFile(name) {
  return name?.endsWith('.test.ts') === true
}

function round(seconds) {
  return Math.round(seconds * 100) / 100
}
