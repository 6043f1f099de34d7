// Runs the tests under the pinned Node, after the programs that they need from outside were looked for.
// Usage: npm test [-- files or flags of `node --test`]
import { availableParallelism } from 'node:os'
import path from 'node:path'
import { ensurePrograms } from './programs.mjs'
import { runGroup, runNodeTest } from './test/run-group.mjs'
import { testGroups } from './test/test-groups.mjs'
import { printTotals } from './test/totals.mjs'

// Hundreds of processes load the same modules: compiling each once spares half of what a start costs.
process.env.NODE_COMPILE_CACHE ??= path.resolve('node_modules/.cache/node')

const given = process.argv.slice(2)
ensurePrograms()
process.exitCode = given.length > 0 ? await runNodeTest(given) : await runAll()

/** Runs all groups, a few side by side, and prints each one's output when it has ended. */
async function runAll() {
  const startedAt = Date.now()
  const waiting = await testGroups()
  const ended = []
  const work = async () => {
    for (let group = waiting.shift(); group !== undefined; group = waiting.shift()) {
      const result = await runGroup(group)
      process.stdout.write(result.output)
      ended.push(result)
    }
  }
  // Tests wait for processes and servers about as often as they compute.
  await Promise.all(Array.from({ length: availableParallelism() + 1 }, work))
  printTotals(ended, Date.now() - startedAt)
  return ended.every(({ isGreen }) => isGreen) ? 0 : 1
}
