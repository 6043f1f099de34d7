import { randomUUID } from 'node:crypto'
import { open, rename } from 'node:fs/promises'
import path from 'node:path'

/** Writes the owner's token of the first start for its owner only (mode 0600), whole and on disk; answers where. */
export async function writeOwnerToken(dataDir: string, token: string): Promise<string> {
  const file = path.resolve(dataDir, 'owner-token')
  const draft = `${file}.${randomUUID()}`
  const handle = await open(draft, 'wx', 0o600)
  try {
    await handle.writeFile(`${token}\n`)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(draft, file)
  return file
}
