// Runs the tests under the pinned Node, after it has searched for the external programs that they need. Usage: npm test
// [-- files or flags of `node --test`]
//        npm run test:all [-- --second]            (both tiers, or the second one: see test/tiers.mjs)
//        npm test -- --report [files or folders]   (in groups as all tests run; lists the groups and the files that took most CPU time)
import path from 'node:path'
import { ensurePrograms } from './programs.mjs'
import { runGroup, runNodeTest, toPattern } from './test/run-group.mjs'
import { runSideBySide } from './test/run-side-by-side.mjs'
import { keepTemporaryFilesInMemory } from './test/temporary-folder.mjs'
import { testGroups } from './test/test-groups.mjs'
import { printReport, printTotals } from './test/totals.mjs'

// Many processes load the same modules: compiling each of them only once halves the cost of a start.
process.env.LINCHPIN_TEST_PROGRAMS = 'bundled'
process.env.NODE_COMPILE_CACHE ??= path.resolve('node_modules/.cache/node')

const OWN_FLAGS = ['--report', '--all', '--second']
const MOST_REPEATED = 3
const args = process.argv.slice(2)
const flags = args.filter((arg) => OWN_FLAGS.includes(arg))
const requested = args.filter((arg) => !OWN_FLAGS.includes(arg))
ensurePrograms()
keepTemporaryFilesInMemory()
process.exitCode =
  requested.length > 0 && flags.length === 0
    ? await runNodeTest(requested)
    : await runInGroups(requested)

/**
 * Runs groups of files, a few side by side, and prints the output of each when it has ended. Without files, it runs the tests of
 * the tiers that the flags select.
 */
async function runInGroups(files) {
  const startedAt = Date.now()
  const groups = await testGroups(
    files.length > 0 ? { patterns: files.map(toPattern) } : { tiers: selectTiers() },
  )
  const results = []
  const tasks = groups.map((group) => async () => {
    const result = await runGroup(group)
    process.stdout.write(result.output)
    results.push({ ...result, endedMs: Date.now() - startedAt })
  })
  await runSideBySide(tasks)
  await repeatFailedGroups(results)
  if (flags.includes('--report')) printReport(results)
  printTotals(results, Date.now() - startedAt)
  if (files.length === 0 && !selectTiers().includes('second'))
    console.log('The second tier: npm run test:all')
  return results.every(({ isGreen }) => isGreen) ? 0 : 1
}

/**
 * Runs the few groups that failed again, one after the other: tests beside which a machine was too busy must not keep a change
 * from landing. Each is named in the output, because it has to become steady. A change that breaks something fails again.
 */
async function repeatFailedGroups(results) {
  const failed = results.filter(({ isGreen }) => !isGreen)
  if (failed.length > MOST_REPEATED) return
  for (const result of failed) {
    const { files, databases, output } = result
    console.log(`\nUNSTEADY? Again, alone: ${files.join(' ')}`)
    const again = await runGroup({ files, databases })
    process.stdout.write(again.output)
    if (!again.isGreen) continue
    Object.assign(result, { ...again, unsteady: output })
  }
}

function selectTiers() {
  if (flags.includes('--second')) return ['second']
  return flags.includes('--all') ? ['first', 'second'] : ['first']
}
