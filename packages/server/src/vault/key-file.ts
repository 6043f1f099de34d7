import { randomBytes } from 'node:crypto'
import { link, open, readFile, stat, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type KeyRing, parseKeys } from './key-ring.ts'
import { VaultError } from './vault-error.ts'

/** The keys of a key file, and what the operator should hear about it. */
export interface KeyFile {
  keys: KeyRing
  /** Whether the file was made just now. */
  isNew: boolean
  /** A sentence for the log, when others can read the file. */
  notice?: string
}

/**
 * Reads the key file, or makes one with a random key, mode 0600, whole and on disk before it is used.
 * A damaged file is refused, never replaced: what it sealed would be lost.
 *
 * @throws VaultError when the file is damaged
 */
export async function loadOrCreateKeyFile(path: string): Promise<KeyFile> {
  const existing = await readKeys(path)
  if (existing !== undefined) return { ...existing, isNew: false }
  const isNew = await createKeyFile(path)
  const created = await readKeys(path)
  if (created === undefined) throw new Error(`${path}: the key file is gone again`)
  return { ...created, isNew }
}

async function readKeys(path: string): Promise<Omit<KeyFile, 'isNew'> | undefined> {
  try {
    const keys = parseKeyFile(path, await readFile(path, 'utf8'))
    const { mode } = await stat(path)
    if ((mode & 0o077) === 0) return { keys }
    const octal = (mode & 0o777).toString(8)
    return { keys, notice: `${path} has mode ${octal}: others can read the keys. Run chmod 600.` }
  } catch (error) {
    if (isCode(error, 'ENOENT')) return undefined
    throw error
  }
}

function parseKeyFile(path: string, text: string): KeyRing {
  try {
    return parseKeys(text.trim().replaceAll('\n', ','))
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : ''
    const remedy = 'Put the right file back; a new one cannot open old secrets.'
    throw new VaultError('wrong_key', `${path}: ${reason} ${remedy}`)
  }
}

/** Whether this process made the file; false when another was faster. */
async function createKeyFile(path: string): Promise<boolean> {
  const temporaryPath = `${path}.${randomBytes(6).toString('hex')}`
  const id = `k${randomBytes(4).toString('hex')}`
  await writeDurably(temporaryPath, `${id}:${randomBytes(32).toString('base64')}\n`)
  try {
    // Unlike a rename, a link never replaces a file that is there.
    await link(temporaryPath, path)
    return true
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false
    throw error
  } finally {
    await unlink(temporaryPath)
    await syncFolder(dirname(path))
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

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
