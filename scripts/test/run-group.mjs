import { spawn } from 'node:child_process'
import { statSync } from 'node:fs'

const TEST_TIMEOUT = '--test-timeout=900000'
const GROUP_LIMIT_MS = 20 * 60_000
const SUMMARY = /^ℹ (tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) (\S+)$/gm

/**
 * Runs the files of one group in one process.
 *
 * @returns {Promise<{ files: string[], isGreen: boolean, output: string, counts: Record<string, number> }>} `output` without
 * the summary of `node --test`, which is in `counts`
 */
export async function runGroup(files) {
  const child = start(['--test-isolation=none', '--test-reporter=spec', ...files], 'pipe')
  const limit = setTimeout(() => child.kill('SIGKILL'), GROUP_LIMIT_MS)
  const chunks = []
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => chunks.push(chunk))
  const code = await ended(child)
  clearTimeout(limit)
  const output = Buffer.concat(chunks).toString()
  const counts = Object.fromEntries(
    [...output.matchAll(SUMMARY)].map(([, name, value]) => [name, Number(value)]),
  )
  const hasRun = (counts.tests ?? 0) > 0
  const isGreen = code === 0 && hasRun
  return { files, isGreen, output: withoutSummary(output), counts }
}

/**
 * Runs `node --test` with the arguments of the command line, on this terminal. A folder stands for all test files in it.
 *
 * @returns its exit code
 */
export function runNodeTest(args) {
  const files = args.map((each) =>
    statSync(each, { throwIfNoEntry: false })?.isDirectory() ? `${each}/**/*.test.ts` : each,
  )
  return ended(start(['--test-concurrency=3', ...files], 'inherit'))
}

function start(args, stdio) {
  const child = spawn(process.execPath, ['--test', TEST_TIMEOUT, ...args], {
    stdio: ['ignore', stdio, stdio],
  })
  const pass = (signal) => child.kill(signal)
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, pass)
  child.on('exit', () => {
    for (const signal of ['SIGINT', 'SIGTERM']) process.off(signal, pass)
  })
  return child
}

function ended(child) {
  return new Promise((resolve) => child.on('close', (code) => resolve(code ?? 1)))
}

function withoutSummary(output) {
  return output.replace(SUMMARY, '').replace(/\n{3,}/g, '\n\n')
}
