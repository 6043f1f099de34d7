import { randomUUID } from 'node:crypto'
import { open, rename } from 'node:fs/promises'
import path from 'node:path'

/** Where the owner's token of the first start is. */
export function ownerTokenFile(dataDir: string): string {
  return path.resolve(dataDir, 'owner-token')
}

/** Writes the token for its owner only (mode 0600), whole and on disk. */
export async function writeOwnerToken(dataDir: string, token: string): Promise<void> {
  const file = ownerTokenFile(dataDir)
  const draft = `${file}.${randomUUID()}`
  const handle = await open(draft, 'wx', 0o600)
  try {
    await handle.writeFile(`${token}\n`)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(draft, file)
}
