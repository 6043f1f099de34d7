import { spawn } from 'node:child_process'
import { isAbsolute } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type KeyEntries, parseKeyEntries } from './key-ring.ts'
import { VaultError } from './sealed-box.ts'

/** A program that prints the key ring. */
export interface KeyCommand {
  /** Absolute. */
  readonly path: string
  readonly args: readonly string[]
  /** What the program gets. */
  readonly env: Environment
}

type Environment = Readonly<Record<string, string | undefined>>

export interface KeyCommandOptions {
  readonly timeoutMs?: number
  /** The pause before each further attempt, in milliseconds. */
  readonly retryDelaysMs?: readonly number[] | undefined
}

const PREFIX = 'command:'

/**
 * Parses a key ring, or `command:/path argument …`, which `runKeyCommand` runs with this environment, but without Linchpin's own
 * settings.
 *
 * @throws Error without any key
 */
export function parseKeysOrCommand(text: string, env: Environment): KeyEntries | KeyCommand {
  if (!text.startsWith(PREFIX)) return parseKeyEntries(text)
  const [path = '', ...args] = text.slice(PREFIX.length).trim().split(/\s+/)
  if (!isAbsolute(path)) throw new Error('command: must be followed by an absolute path.')
  return { path, args, env: removeSettings(env) }
}

/**
 * Runs the command that prints the key ring: without a shell and without input, in three attempts of 10 seconds. What it writes to
 * standard error is discarded. It ends with this process.
 *
 * @throws VaultError without any key
 */
export async function runKeyCommand(
  command: KeyCommand,
  { timeoutMs = TIMEOUT_MS, retryDelaysMs = RETRY_DELAYS_MS }: KeyCommandOptions = {},
): Promise<KeyEntries> {
  let result = await run(command, timeoutMs)
  for (const delayMs of retryDelaysMs) {
    if (result.error === undefined) break
    await sleep(delayMs)
    result = await run(command, timeoutMs)
  }
  if (result.error !== undefined) throw createError(`the command ${command.path} ${result.error}`)
  return parseOutput(command.path, result.stdout)
}

const TIMEOUT_MS = 10_000
const RETRY_DELAYS_MS = [1_000, 3_000]
const MAX_OUTPUT_BYTES = 65_536

type Result = { readonly error: string } | { readonly error?: undefined; readonly stdout: string }

function run({ path, args, env }: KeyCommand, timeoutMs: number): Promise<Result> {
  return new Promise((resolve) => {
    const child = spawn(path, args, { env, stdio: ['ignore', 'pipe', 'ignore'] })
    const kill = () => child.kill('SIGKILL')
    const end = (result: Result) => {
      clearTimeout(timer)
      process.off('exit', kill)
      kill()
      // Missing if there was no file descriptor for it. A process that the command has left may keep it open.
      child.stdout?.destroy()
      resolve(result)
    }
    const timer = setTimeout(
      () => end({ error: `did not end within ${timeoutMs / 1_000} seconds.` }),
      timeoutMs,
    )
    process.on('exit', kill)
    let output = Buffer.alloc(0)
    child.stdout?.on('data', (chunk: Buffer) => {
      output = Buffer.concat([output, chunk])
      if (output.length > MAX_OUTPUT_BYTES)
        end({ error: `printed more than ${MAX_OUTPUT_BYTES} bytes.` })
    })
    child.on('error', (error: NodeJS.ErrnoException) =>
      end({ error: `cannot be run: ${error.code}.` }),
    )
    child.on('close', (status, signal) => end(describeEnd(status, signal, output)))
  })
}

function describeEnd(status: number | null, signal: string | null, output: Buffer): Result {
  if (signal !== null) return { error: `was ended by ${signal}.` }
  if (status !== 0) return { error: `ended with exit code ${status}.` }
  return { stdout: output.toString('utf8') }
}

/** The command needs its own credentials, not the database's or the owner's. */
function removeSettings(env: Environment): Environment {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => !/^(?:LINCHPIN_|DATABASE_URL)/.test(name)),
  )
}

function parseOutput(path: string, stdout: string): KeyEntries {
  try {
    return parseKeyEntries(stdout)
  } catch (error) {
    const reason = error instanceof Error ? error.message : ''
    throw createError(`the output of the command ${path} is not a key ring: ${reason}`)
  }
}

function createError(reason: string): VaultError {
  return new VaultError('unknown_key', `LINCHPIN_KEYS: ${reason}`)
}
