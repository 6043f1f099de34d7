// Runs the tests under the pinned Node, after the programs that they need from outside were looked for.
// Usage: npm test [-- files or flags of `node --test`]
//        npm test -- --report [files or folders]   (in groups as all tests run; lists the files that took most CPU time)
import { availableParallelism } from 'node:os'
import path from 'node:path'
import { ensurePrograms } from './programs.mjs'
import { runGroup, runNodeTest, toPattern } from './test/run-group.mjs'
import { testGroups } from './test/test-groups.mjs'
import { printSlowestFiles, printTotals } from './test/totals.mjs'

// Many processes load the same modules: compiling each once spares half of what a start costs.
process.env.NODE_COMPILE_CACHE ??= path.resolve('node_modules/.cache/node')

const args = process.argv.slice(2)
const wantsReport = args[0] === '--report'
const requested = wantsReport ? args.slice(1) : args
ensurePrograms()
process.exitCode =
  requested.length > 0 && !wantsReport ? await runNodeTest(requested) : await runInGroups(requested)

/** Runs groups of files, a few side by side, and prints the output of each when it has ended. Without files: all. */
async function runInGroups(files) {
  const startedAt = Date.now()
  const waiting = await testGroups(files.length > 0 ? files.map(toPattern) : undefined)
  const results = []
  const runNext = async () => {
    for (let group = waiting.shift(); group !== undefined; group = waiting.shift()) {
      const result = await runGroup(group)
      process.stdout.write(result.output)
      results.push(result)
    }
  }
  // Tests wait for processes and servers about as often as they compute.
  await Promise.all(Array.from({ length: availableParallelism() + 1 }, runNext))
  if (wantsReport) printSlowestFiles(results)
  printTotals(results, Date.now() - startedAt)
  return results.every(({ isGreen }) => isGreen) ? 0 : 1
}
