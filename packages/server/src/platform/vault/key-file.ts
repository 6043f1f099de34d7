import { randomBytes } from 'node:crypto'
import { link, open, readFile, stat, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'
import { syncPath } from '../storage/sync-path.ts'
import { type KeyRing, parseKeys } from './key-ring.ts'
import { VaultError } from './sealed-box.ts'

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
