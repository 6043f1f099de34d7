import { createHash } from 'node:crypto'
import { toCanonicalJson } from '../canonical-json.ts'

/** The type of the first line of an export of the audit trail. */
export const EXPORT_TYPE = 'linchpin-audit-export'

/** The version of the exports that the service writes. */
export const EXPORT_VERSION = 2

/** The hash of the first line, which the last one contains: SHA-256 of its canonical JSON in base64url. */
export function hashHeader(header: object): string {
  return createHash('sha256').update(toCanonicalJson(header)).digest('base64url')
}
