import { spawn } from 'node:child_process'
import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import { link, open, readFile, stat, unlink } from 'node:fs/promises'
import { dirname, isAbsolute } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { syncPath } from '../storage/database-file.ts'
import { VaultError } from './sealed-box.ts'

/** The operator's keys, decrypted: the first one encrypts, all of them decrypt. Never empty. */
export type KeyRing = readonly [RingKey, ...RingKey[]]

/** One key of the key ring. */
export interface RingKey {
  /** `[A-Za-z0-9._-]{1,32}`. Stored in plain text beside what the key encrypted. */
  readonly id: string
  /** 256 bits. */
  readonly key: KeyObject
}

/** A key of the key ring that a transit key has encrypted. */
export interface EncryptedRingKey {
  readonly id: string
  /** What the transit engine returned, such as `vault:v1:…`. */
  readonly ciphertext: string
}

/** The keys of the operator, as they were configured. Never empty. */
export type KeyEntries = readonly [
  RingKey | EncryptedRingKey,
  ...(readonly (RingKey | EncryptedRingKey)[]),
]

/** Whether no key has to be decrypted. */
export function isKeyRing(entries: KeyEntries): entries is KeyRing {
  return entries.every((entry) => 'key' in entry)
}

/**
 * Parses `id:base64(32 bytes)` entries, separated by commas or one per line; surrounding whitespace is ignored.
 *
 * @throws Error that lists all mistakes, and never contains a key
 */
export function parseKeys(text: string): KeyRing {
  return parseEntries(text, parseKey)
}

/** Like `parseKeys`, but an entry may also be `id:vault:vN:base64`. @throws Error likewise */
export function parseKeyEntries(text: string): KeyEntries {
  return parseEntries(text, (id, value) =>
    CIPHERTEXT.test(value) ? { id, ciphertext: value } : parseKey(id, value),
  )
}

function parseEntries<Key>(
  text: string,
  parse: (id: string, value: string) => Key | string,
): readonly [Key, ...Key[]] {
  const entries = text.trim().split(/\s*[,\n]\s*/)
  const errors: string[] = []
  const seenIds = new Set<string>()
  const keys = entries.flatMap((entry, index) => {
    const [id, value] = splitEntry(entry)
    const key = findIdError(entry, id, seenIds) ?? parse(id, value)
    seenIds.add(id)
    if (typeof key !== 'string') return [key]
    errors.push(`key ${index + 1} ${key}`)
    return []
  })
  const [first, ...others] = keys
  if (errors.length > 0 || first === undefined) throw new Error(`${errors.join('; ')}.`)
  return [first, ...others]
}

const ID = /^[A-Za-z0-9._-]{1,32}$/
// 32 bytes are 43 characters, plus padding that some tools omit.
const KEY = /^[A-Za-z0-9+/]{43}=?$/
const CIPHERTEXT = /^vault:v[1-9]\d{0,8}:[A-Za-z0-9+/]{1,8192}={0,2}$/

function splitEntry(entry: string): readonly [id: string, value: string] {
  const colon = entry.indexOf(':')
  return [entry.slice(0, Math.max(colon, 0)), entry.slice(colon + 1)]
}

function findIdError(entry: string, id: string, seenIds: ReadonlySet<string>): string | undefined {
  if (!entry.includes(':')) return 'is not id:base64(32 bytes)'
  if (!ID.test(id)) return 'has an id that is not 1 to 32 of A-Z a-z 0-9 . _ -'
  return seenIds.has(id) ? `repeats the id ${id}` : undefined
}

function parseKey(id: string, text: string): RingKey | string {
  const bytes = Buffer.from(text, 'base64')
  // Base64 with non-zero trailing bits decodes to the same bytes as another text, so it is most likely a typo.
  const isExact = KEY.test(text) && bytes.toString('base64').startsWith(text.replace(/=$/, ''))
  if (!isExact || bytes.length !== 32) return `(${id}) is not base64 of 32 bytes`
  return { id, key: createSecretKey(bytes) }
}

/** The keys of a key file, and a notice for the operator. */
export interface KeyFile {
  keys: KeyRing
  /** Whether this call created the file. */
  isNew: boolean
  /** A warning for the log if other users can read the file. */
  notice?: string
}

/**
 * Reads the key file, or creates one with a random key and mode 0600, synced to disk before it is used. A damaged
 * file is an error and never replaced: secrets encrypted with its keys would be lost.
 *
 * @throws VaultError if the file is damaged
 */
export async function loadOrCreateKeyFile(path: string): Promise<KeyFile> {
  const existing = await readKeys(path)
  if (existing !== undefined) return { ...existing, isNew: false }
  const isNew = await createKeyFile(path)
  const created = await readKeys(path)
  if (created === undefined)
    throw new Error(`${path}: the key file disappeared while it was being created`)
  return { ...created, isNew }
}

async function readKeys(path: string): Promise<Omit<KeyFile, 'isNew'> | undefined> {
  try {
    const keys = parseKeyFile(path, await readFile(path, 'utf8'))
    const { mode } = await stat(path)
    if ((mode & 0o077) === 0) return { keys }
    const octal = (mode & 0o777).toString(8)
    return {
      keys,
      notice: `${path} has mode ${octal}: other users can read the keys. Run chmod 600.`,
    }
  } catch (error) {
    if (isCode(error, 'ENOENT')) return undefined
    throw error
  }
}

function parseKeyFile(path: string, text: string): KeyRing {
  try {
    return parseKeys(text)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : ''
    const remedy = 'Restore the original file; a new one cannot decrypt existing secrets.'
    throw new VaultError('wrong_key', `${path}: ${reason} ${remedy}`)
  }
}

/** Returns false if another process created the file first. */
async function createKeyFile(path: string): Promise<boolean> {
  const temporaryPath = `${path}.${randomBytes(6).toString('hex')}`
  const id = `k${randomBytes(4).toString('hex')}`
  await writeDurably(temporaryPath, `${id}:${randomBytes(32).toString('base64')}\n`)
  try {
    // Unlike a rename, a link never replaces an existing file.
    await link(temporaryPath, path)
    return true
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false
    throw error
  } finally {
    await unlink(temporaryPath)
    await syncPath(dirname(path))
  }
}

async function writeDurably(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}

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
