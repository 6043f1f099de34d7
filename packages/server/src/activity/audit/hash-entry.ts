import { createHash } from 'node:crypto'
import { toCanonicalJson } from './canonical-json.ts'

/** An entry as the API returns it, without what verifies it. */
export interface HashedEntry {
  readonly actor: Readonly<Record<string, unknown>>
  readonly [member: string]: unknown
}

/** The hash before the first entry of a chain: 32 zero bytes in base64url. */
export const INITIAL_HASH = Buffer.alloc(32).toString('base64url')

/**
 * The hash of an entry: SHA-256 of the previous hash, and of the entry's canonical JSON with digests in place of the
 * address and the detail.
 */
export function hashEntry(
  previousHash: string,
  entry: HashedEntry,
  digests: { readonly ip: string | null; readonly detail: string },
): string {
  const { ip, detail } = digests
  const content = toCanonicalJson({ ...entry, actor: { ...entry.actor, ip }, detail })
  return createHash('sha256')
    .update(Buffer.from(previousHash, 'base64url'))
    .update(content)
    .digest('base64url')
}

/** SHA-256 of a salt and the canonical JSON of a value. */
export function digestValue(salt: string, value: unknown): string {
  return createHash('sha256')
    .update(Buffer.from(salt, 'base64url'))
    .update(toCanonicalJson(value))
    .digest('base64url')
}
