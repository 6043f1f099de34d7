import { randomUUID } from 'node:crypto'
import { access, open, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import type { Log } from '../../platform/http/log.ts'

/** Writes the owner's token of the first start atomically, readable by the process's user only (mode 0600). Resolves to the path. */
export async function writeOwnerToken(dataDir: string, token: string): Promise<string> {
  const file = getOwnerTokenPath(dataDir)
  const temporaryFile = `${file}.${randomUUID()}`
  try {
    await writeDurably(temporaryFile, `${token}\n`)
    await rename(temporaryFile, file)
  } catch (error) {
    // Of a full disk, at each start.
    await rm(temporaryFile, { force: true })
    throw error
  }
  return file
}

async function writeDurably(file: string, text: string): Promise<void> {
  const handle = await open(file, 'wx', 0o600)
  try {
    await handle.writeFile(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

const DAY_MS = 24 * 60 * 60 * 1_000

/**
 * Logs a warning now and once a day until the signal aborts, as long as the file exists: anyone who can read it has every
 * scope.
 */
export async function warnAboutOwnerTokenFile(
  dataDir: string,
  log: Pick<Log, 'warn'>,
  signal: AbortSignal,
): Promise<void> {
  const warn = async () => {
    const file = await findOwnerTokenFile(dataDir)
    if (file !== undefined)
      log.warn(
        { file },
        'the owner token is still in this file: store it elsewhere and delete the file',
      )
  }
  const timer = setInterval(warn, DAY_MS).unref()
  signal.addEventListener('abort', () => clearInterval(timer))
  await warn()
}

/** The path of the file with the owner's token; undefined when the file does not exist. */
export function findOwnerTokenFile(dataDir: string): Promise<string | undefined> {
  const file = getOwnerTokenPath(dataDir)
  return access(file).then(
    () => file,
    () => undefined,
  )
}

function getOwnerTokenPath(dataDir: string): string {
  return path.resolve(dataDir, 'owner-token')
}
