import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const TEST_TIMEOUT = '--test-timeout=900000'
// A `before` that fails leaves its servers open, and the process would wait for them.
const FORCE_EXIT = '--test-force-exit'
// Tests leave much garbage that is soon unreachable; threads that collect it compete with other groups for the cores.
const GARBAGE_COLLECTION = ['--max-semi-space-size=32', '--single-threaded-gc']
const GROUP_LIMIT_MS = 20 * 60_000
const GROUP_REPORTER = fileURLToPath(new URL('group-reporter.mjs', import.meta.url))
const SUMMARY = /^ℹ (tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) (\S+)$/gm

/**
 * Runs the files of one group in one process, on these databases.
 *
 * @returns {Promise<{ files: string[], databases: string, isGreen: boolean, output: string, counts: Record<string, number>,
 * times: { file: string, wall: number, cpu: number }[], open: string[] }>} `output` without the summary of `node --test`,
 * which is in `counts`; `times` in seconds for each file; `open` names the servers and programs that nothing closed
 */
export async function runGroup({ files, databases }) {
  const folder = mkdtempSync(path.join(tmpdir(), 'linchpin-test-'))
  const reportFile = path.join(folder, 'report')
  const child = start(
    [
      '--test-isolation=none',
      FORCE_EXIT,
      ...['--test-reporter=spec', '--test-reporter-destination=stdout'],
      ...[`--test-reporter=${GROUP_REPORTER}`, `--test-reporter-destination=${reportFile}`],
      ...files,
    ],
    'pipe',
    { LINCHPIN_TEST_DATABASES: databases },
  )
  const limit = setTimeout(() => child.kill('SIGKILL'), GROUP_LIMIT_MS)
  const chunks = []
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => chunks.push(chunk))
  const code = await waitForExit(child)
  clearTimeout(limit)
  const output = Buffer.concat(chunks).toString()
  const counts = Object.fromEntries(
    [...output.matchAll(SUMMARY)].map(([, name, value]) => [name, Number(value)]),
  )
  const { times, open } = readReport(reportFile)
  rmSync(folder, { recursive: true, force: true })
  const isGreen = code === 0 && (counts.tests ?? 0) > 0 && open.length === 0
  return { files, databases, isGreen, output: withoutSummary(output), counts, times, open }
}

/**
 * Runs `node --test` with the arguments of the command line, on this terminal.
 *
 * @returns its exit code
 */
export function runNodeTest(args) {
  // Node rejects both together.
  const forceExit = args.includes('--watch') ? [] : [FORCE_EXIT]
  const flags = ['--test-concurrency=3', ...forceExit]
  return waitForExit(start([...flags, ...args.map(toPattern)], 'inherit'))
}

/** A folder selects all test files in it. */
export function toPattern(fileOrFolder) {
  const stats = statSync(fileOrFolder, { throwIfNoEntry: false })
  return stats?.isDirectory() ? `${fileOrFolder}/**/*.test.ts` : fileOrFolder
}

/** Empty when the process was killed. */
function readReport(file) {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
  const lines = text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
  return {
    times: lines.filter((line) => line.file !== undefined),
    open: lines.flatMap((line) => line.open ?? []),
  }
}

function start(args, stdio, env = {}) {
  const child = spawn(process.execPath, [...GARBAGE_COLLECTION, '--test', TEST_TIMEOUT, ...args], {
    stdio: ['ignore', stdio, stdio],
    env: { ...process.env, ...env },
  })
  const forwardSignal = (signal) => child.kill(signal)
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, forwardSignal)
  child.on('exit', () => {
    for (const signal of ['SIGINT', 'SIGTERM']) process.off(signal, forwardSignal)
  })
  return child
}

function waitForExit(child) {
  return new Promise((resolve) => child.on('close', (code) => resolve(code ?? 1)))
}

function withoutSummary(output) {
  return output.replace(SUMMARY, '').replace(/\n{3,}/g, '\n\n')
}
