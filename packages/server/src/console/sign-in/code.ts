import { randomBytes } from 'node:crypto'
import { hashSecret } from '../../access/auth/access-token.ts'
import type { Database } from '../../platform/storage/database.ts'
import type { Id } from '../../platform/storage/id.ts'
import type { SignInStore } from './sign-in-store.ts'

/** How long a code can be used, in milliseconds. */
const LIFETIME_MS = 15 * 60 * 1_000
/** Crockford's base32 without letters that look like digits. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const LENGTH = 25

export interface CodeDeps {
  readonly database: Database
  readonly signIns: SignInStore
  readonly now: () => number
}

/** Creates a code of 125 random bits that signs a person in once, within 15 minutes: `7KQF0-…`, five groups of five. */
export async function createCode(deps: CodeDeps, userId: Id<'usr'>): Promise<string> {
  const code = Array.from(randomBytes(LENGTH), (byte) => ALPHABET[byte % 32]).join('')
  const now = deps.now()
  await deps.database.transaction(async (trx) => {
    await deps.signIns.insertClaim(
      trx,
      { kind: 'code', hash: hashCode(code), userId, expiresAt: now + LIFETIME_MS },
      now,
    )
  })
  return code.replace(/.{5}(?=.)/g, '$&-')
}

/** Uses a code up, as a person may type it. @returns undefined if it is unknown, used or expired */
export async function useCode(deps: CodeDeps, text: string): Promise<Id<'usr'> | undefined> {
  // A person may paste the whole address.
  const code = (text.split('#').at(-1) ?? '')
    .toUpperCase()
    .replace(/[\s-]/g, '')
    .replace(/O/g, '0')
    .replace(/[IL]/g, '1')
  if (code.length !== LENGTH) return undefined
  const claim = await deps.database.transaction((trx) =>
    deps.signIns.useClaim(trx, { kind: 'code', hash: hashCode(code) }, deps.now()),
  )
  return claim?.userId ?? undefined
}

function hashCode(code: string): Uint8Array {
  return hashSecret(`console code ${code}`)
}
