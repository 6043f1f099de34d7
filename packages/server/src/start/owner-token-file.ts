import { randomUUID } from 'node:crypto'
import { access, open, rename } from 'node:fs/promises'
import path from 'node:path'
import type { Log } from '../http/log.ts'

/** Writes the owner's token of the first start for its owner only (mode 0600), whole and on disk; answers where. */
export async function writeOwnerToken(dataDir: string, token: string): Promise<string> {
  const file = getOwnerTokenPath(dataDir)
  const temporaryFile = `${file}.${randomUUID()}`
  const handle = await open(temporaryFile, 'wx', 0o600)
  try {
    await handle.writeFile(`${token}\n`)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(temporaryFile, file)
  return file
}

const DAY_MS = 24 * 60 * 60 * 1_000

/**
 * Logs a warning now, and once a day until the signal aborts, as long as the file with the owner token exists: whoever
 * reads it has every scope.
 */
export async function warnAboutOwnerTokenFile(
  dataDir: string,
  log: Pick<Log, 'warn'>,
  signal: AbortSignal,
): Promise<void> {
  const file = getOwnerTokenPath(dataDir)
  const warn = async () => {
    const exists = await access(file).then(
      () => true,
      () => false,
    )
    if (exists)
      log.warn(
        { file },
        'the owner token is still in this file: store it elsewhere and delete the file',
      )
  }
  const timer = setInterval(warn, DAY_MS).unref()
  signal.addEventListener('abort', () => clearInterval(timer))
  await warn()
}

function getOwnerTokenPath(dataDir: string): string {
  return path.resolve(dataDir, 'owner-token')
}
