import { glob } from 'node:fs/promises'

const PATTERNS = [
  'packages/**/*.test.ts',
  'examples/**/*.test.ts',
  'test/**/*.test.ts',
  'scripts/**/*.test.ts',
]

/** Files of these folders get a process of their own: they run for long, or measure their process. */
const ALONE = [
  'packages/server/test/reliability/',
  'packages/server/test/browser/',
  'packages/server/test/fuzz/',
  'examples/',
]

/** Files of one group share a process: loading the product costs more than most of their tests. */
const GROUP_SIZE = 10

/** All test files, in groups of neighbours. Those that run alone come first, since they take longest. */
export async function testGroups() {
  const files = []
  for await (const file of glob(PATTERNS, { exclude: (name) => name === 'node_modules' }))
    files.push(file.replaceAll('\\', '/'))
  files.sort()
  const alone = files.filter(runsAlone)
  const shared = files.filter((file) => !runsAlone(file))
  const groups = alone.map((file) => [file])
  for (let at = 0; at < shared.length; at += GROUP_SIZE)
    groups.push(shared.slice(at, at + GROUP_SIZE))
  return groups
}

function runsAlone(file) {
  return ALONE.some((start) => file.startsWith(start))
}
