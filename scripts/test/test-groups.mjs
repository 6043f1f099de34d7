import { glob, readFile } from 'node:fs/promises'
import { getTiers } from './tiers.mjs'

const PATTERNS = [
  'packages/**/*.test.ts',
  'examples/**/*.test.ts',
  'test/**/*.test.ts',
  'scripts/**/*.test.ts',
  'bench/*.test.ts',
  'bench/mutants/*.test.ts',
  'bench/proofs/*.test.ts',
]

/**
 * Files of a group share a process, a PostgreSQL server, a runner and a Chromium: starting these costs more than most tests.
 * In these folders groups are smaller, since the files run for long, mostly wait, or hold much memory.
 */
const SMALL_GROUPS = [
  // It blocks the event loop of its process.
  { folder: 'packages/server/src/app/observability/event-loop-stall.test.ts', size: 1 },
  { folder: 'packages/server/test/browser/states/', size: 1 },
  { folder: 'packages/server/test/reliability/', size: 1 },
  { folder: 'packages/runner/src/pool/isolation.test.ts', size: 1 },
  { folder: 'packages/server/src/app/start/', size: 2 },
  { folder: 'packages/server/test/browser/life/', size: 1 },
  { folder: 'packages/server/test/browser/', size: 8 },
  { folder: 'packages/runner/src/pool/', size: 4 },
  { folder: 'packages/runner/test/', size: 4 },
  { folder: 'packages/server/test/fuzz/', size: 1 },
  { folder: 'packages/catalogue/src/integrations.test.ts', size: 1 },
  { folder: 'examples/', size: 2 },
]

/** A process costs 3 CPU seconds before its first test. 48 files need up to 1 GB; more of them would leave the last group alone. */
const GROUP_SIZE = 32

/** A file with one of these starts a service, a runner or programs, and takes some hundred times as long as others. */
const STARTS_SOMETHING =
  /TestContext|testApp\(|Runner\(|hostileSuite\(|TestSandbox\(|runIntegrationTest\(|runCli\(|describeBrowser\(|describeInBrowsers\(|Postgres\(/

/**
 * Test files in groups of neighbors, those that take longest first. Default: all of them.
 *
 * @returns {Promise<{ files: string[], databases: 'all' | 'sqlite' | 'postgres' }[]>}
 */
export async function testGroups({ patterns = PATTERNS, tiers = ['first', 'second'] } = {}) {
  const runs = { all: [], sqlite: [], postgres: [] }
  for await (const found of glob(patterns, { exclude: (name) => name === 'node_modules' })) {
    const file = found.replaceAll('\\', '/')
    for (const databases of await listRuns(file, tiers)) runs[databases].push(file)
  }
  const groups = []
  for (const [databases, files] of Object.entries(runs)) {
    const remaining = [...new Set(files)].sort()
    const small = SMALL_GROUPS.flatMap(({ folder, size }) =>
      split(takeMatching(remaining, folder), size),
    )
    const large = await sortByLength(split(remaining, GROUP_SIZE))
    groups.push(interleave(small, large).map((group) => ({ files: group, databases })))
  }
  return interleave(groups[0], groups.slice(1).flat())
}

/** On which databases a file runs in the tiers; in both of them, once on all. */
async function listRuns(file, tiers) {
  const { first, second } = getTiers(file, await readFile(file, 'utf8'))
  const runs = [tiers.includes('first') && first, tiers.includes('second') && second].filter(
    Boolean,
  )
  return runs.length === 2 ? ['all'] : runs
}

/**
 * Spreads the groups that compute between those that mostly wait, so that the cores are busy all the time, and lets both
 * start with their longest ones, so that none of these is alone at the end.
 */
function interleave(waiting, computing) {
  const order = [waiting, computing].flatMap((groups) =>
    groups.map((group, index) => ({ group, at: (index + 0.5) / groups.length })),
  )
  return order.sort((a, b) => a.at - b.at).map(({ group }) => group)
}

/** The longest first: a long group that starts last runs alone, on one core. */
async function sortByLength(groups) {
  const lengths = new Map()
  for (const group of groups) {
    const texts = await Promise.all(group.map((file) => readFile(file, 'utf8')))
    lengths.set(group, texts.filter((text) => STARTS_SOMETHING.test(text)).length)
  }
  return groups.sort((a, b) => lengths.get(b) - lengths.get(a))
}

/** Removes the files of a folder from the list and returns them. */
function takeMatching(files, folder) {
  const taken = files.filter((file) => file.startsWith(folder))
  for (const file of taken) files.splice(files.indexOf(file), 1)
  return taken
}

function split(files, size) {
  const groups = []
  for (let at = 0; at < files.length; at += size) groups.push(files.slice(at, at + size))
  return groups
}
