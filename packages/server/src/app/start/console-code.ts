import { chmod, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { createUserStore } from '../../access/users/user-store.ts'
import { createCode } from '../../console/sign-in/code.ts'
import { createPasskeyStore } from '../../console/sign-in/passkey-store.ts'
import { createSignInStore } from '../../console/sign-in/sign-in-store.ts'
import type { Database } from '../../platform/storage/database.ts'

/**
 * Creates a code that signs the owner in to the console once, and returns the address that does it. The code is in the fragment,
 * which is in no log of a proxy.
 *
 * @returns undefined if there is no such user
 */
export async function createConsoleAddress(
  { database, now }: { readonly database: Database; readonly now: () => number },
  consoleUrl: string,
  email?: string,
): Promise<string | undefined> {
  const users = createUserStore(database)
  const user =
    email === undefined
      ? await users.findOwner(database.read)
      : await users.findByEmail(database.read, email)
  if (user === undefined) return undefined
  const deps = { database, signIns: createSignInStore(database), now }
  return `${consoleUrl}/console/open#${await createCode(deps, user.userId)}`
}

/** Where the console is. */
export interface ConsoleAddress {
  readonly url: string
  /** Whether it signs the owner in, once. */
  readonly signsIn: boolean
}

/**
 * What a start prints: an address that signs the owner in, until they have a passkey. From then on no start creates a code, and none
 * does where people sign in with an identity provider only.
 */
export async function createStartAddress(
  deps: { readonly database: Database; readonly now: () => number },
  consoleUrl: string,
  { oidcOnly = false }: { readonly oidcOnly?: boolean } = {},
): Promise<ConsoleAddress> {
  const { database } = deps
  const owner = await createUserStore(database).findOwner(database.read)
  const hasPasskey =
    owner !== undefined && (await createPasskeyStore(database).exists(owner.userId))
  const address = hasPasskey || oidcOnly ? undefined : await createConsoleAddress(deps, consoleUrl)
  return { url: address ?? `${consoleUrl}/console`, signsIn: address !== undefined }
}

/** Writes the address to a file that only its owner can read, for a start without a terminal. Resolves to its path. */
export async function writeConsoleAddress(dataDir: string, address: string): Promise<string> {
  const file = path.resolve(dataDir, 'console-code')
  const temporaryFile = `${file}.${process.pid}`
  try {
    await writeFile(temporaryFile, `${address}\n`, { mode: 0o600, flag: 'w' })
    await chmod(temporaryFile, 0o600)
    await rename(temporaryFile, file)
  } catch (error) {
    await rm(temporaryFile, { force: true })
    throw error
  }
  return file
}
