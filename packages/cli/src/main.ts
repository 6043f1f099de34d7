import { spawn } from 'node:child_process'
import { setTimeout } from 'node:timers/promises'
import { run } from './run.ts'

// npm starts scripts in the root of the clone; resolve paths against the folder in which the command was typed.
const { npm_package_name, npm_lifecycle_event, INIT_CWD } = process.env
const isClone = npm_package_name === 'linchpin' && npm_lifecycle_event === 'linchpin'
if (isClone && INIT_CWD) process.chdir(INIT_CWD)

// The reader of a pipe may close it early, like `head`.
process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
  if (code === 'EPIPE') process.exit()
  process.stderr.write(`linchpin: cannot write to standard output: ${message}\n`)
  process.exit(73)
})
process.stderr.on('error', () => {})

const interrupted = new AbortController()
process.once('SIGINT', () => interrupted.abort())
process.once('SIGTERM', () => interrupted.abort())

process.exitCode = await run(process.argv.slice(2), {
  env: process.env,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  fetch: (input, init) => fetch(input, init),
  now: Date.now,
  sleep: (ms) => setTimeout(ms, undefined, { signal: interrupted.signal }).catch(() => {}),
  signal: interrupted.signal,
  openUrl,
  runProgram,
})

function openUrl(url: string): void {
  const programs: Partial<Record<NodeJS.Platform, string>> = { darwin: 'open', win32: 'explorer' }
  const program = programs[process.platform] ?? 'xdg-open'
  // Without a browser, the person opens the printed address.
  spawn(program, [url], { stdio: 'ignore', detached: true })
    .on('error', () => {})
    .unref()
}

function runProgram(program: string, args: readonly string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: 'inherit' })
    child.on('error', reject)
    child.on('exit', (code) => resolve(code ?? 1))
  })
}
