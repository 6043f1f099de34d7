import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Defect, Mutant } from './mutant.ts'

/** How the test of a defect ended. */
export interface TestRun {
  /** Whether a test of the name ran and passed, and whether one failed. */
  readonly hasPassed: boolean
  readonly hasFailed: boolean
  /** What it printed. */
  readonly output: string
}

const TIMEOUT_MS = 60_000

/** Plants the defect in the copy of the repository while `work` runs. @throws Error if the original does not occur once */
export async function withDefect<T>(
  folder: string,
  { file, original, replacement }: Defect,
  work: () => Promise<T>,
): Promise<T> {
  const target = path.join(folder, file)
  const source = readFileSync(target, 'utf8')
  const parts = source.split(original)
  if (parts.length !== 2)
    throw new Error(`${file} contains this ${parts.length - 1} times: ${original}`)
  writeFileSync(target, parts.join(replacement))
  try {
    return await work()
  } finally {
    writeFileSync(target, source)
  }
}

/** Runs the one test of the defect in the copy. */
export async function runTest(
  folder: string,
  { caughtBy: { file, test } }: Mutant,
): Promise<TestRun> {
  const pattern = `^${test.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&')}$`
  const args = [
    '--test',
    `--test-timeout=${TIMEOUT_MS}`,
    // Suites of other tests may have opened a server that only their own hooks close.
    '--test-force-exit',
    '--test-reporter=tap',
    `--test-name-pattern=${pattern}`,
    file,
  ]
  const child = spawn(process.execPath, ['--no-warnings', ...args], {
    cwd: folder,
    // Set in tests: `node --test` would run nothing.
    env: { ...process.env, NODE_TEST_CONTEXT: undefined },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  await once(child, 'close')
  const has = (result: string) => output.split('\n').some((line) => isResult(line, result, test))
  return { hasPassed: has('ok'), hasFailed: has('not ok'), output }
}

/** `ok 1 - name`, indented inside a suite, and without what follows `#`: `# SKIP`. */
function isResult(line: string, result: string, test: string): boolean {
  const escaped = test.replaceAll('#', '\\#')
  return line.trimStart().startsWith(`${result} `) && line.endsWith(` - ${escaped}`)
}
