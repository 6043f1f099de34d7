import { spawnSync } from 'node:child_process'
import { isAbsolute } from 'node:path'
import { type KeyEntries, parseKeyEntries } from './key-ring.ts'

/** How to run the command of `LINCHPIN_KEYS`. */
export interface KeyCommandOptions {
  /** What the command gets. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly timeoutMs?: number
  /** The pause before each further attempt, in milliseconds. */
  readonly retryDelaysMs?: readonly number[]
}

const PREFIX = 'command:'

/**
 * Parses a key ring, or runs the command `command:/path argument …` that prints one. The command runs without a shell,
 * without input and without Linchpin's own settings. It gets three attempts of 10 seconds. What it writes to standard error
 * is discarded.
 *
 * @throws Error without any key
 */
export function parseKeysOrRun(text: string, options: KeyCommandOptions): KeyEntries {
  if (!text.startsWith(PREFIX)) return parseKeyEntries(text)
  const [path = '', ...args] = text.slice(PREFIX.length).trim().split(/\s+/)
  if (!isAbsolute(path)) throw new Error('command: must be followed by an absolute path.')
  let result = run(path, args, options)
  for (const delay of options.retryDelaysMs ?? RETRY_DELAYS_MS) {
    if (result.error === undefined) break
    // Nothing else runs while the settings are read.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, delay)
    result = run(path, args, options)
  }
  if (result.error !== undefined) throw new Error(`the command ${path} ${result.error}`)
  return parseOutput(path, result.stdout)
}

const TIMEOUT_MS = 10_000
const RETRY_DELAYS_MS = [1_000, 3_000]
const MAX_OUTPUT_BYTES = 65_536

type Result = { readonly error: string } | { readonly error?: undefined; readonly stdout: string }

function run(path: string, args: readonly string[], options: KeyCommandOptions): Result {
  const { timeoutMs = TIMEOUT_MS } = options
  const { error, status, signal, stdout } = spawnSync(path, args, {
    env: removeSettings(options.env),
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
    maxBuffer: MAX_OUTPUT_BYTES,
    encoding: 'utf8',
  })
  const code = error !== undefined && 'code' in error ? String(error.code) : ''
  if (code === 'ETIMEDOUT') return { error: `did not end within ${timeoutMs / 1_000} seconds.` }
  if (code === 'ENOBUFS') return { error: `printed more than ${MAX_OUTPUT_BYTES} bytes.` }
  if (error !== undefined) return { error: `cannot be run: ${code}.` }
  if (signal !== null) return { error: `was ended by ${signal}.` }
  if (status !== 0) return { error: `ended with exit code ${status}.` }
  return { stdout }
}

/** The command needs its own credentials, not the database's or the owner's. */
function removeSettings(env: KeyCommandOptions['env']): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => !/^(?:LINCHPIN_|DATABASE_URL)/.test(name)),
  )
}

function parseOutput(path: string, stdout: string): KeyEntries {
  try {
    return parseKeyEntries(stdout)
  } catch (error) {
    const reason = error instanceof Error ? error.message : ''
    throw new Error(`the output of the command ${path} is not a key ring: ${reason}`)
  }
}
