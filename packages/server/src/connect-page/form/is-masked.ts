import type { InputProperty } from '@linchpin/runner'
import { nestedFields } from './nested-fields.ts'

/** Names of secrets in bundles that mark nothing. */
const SECRET_NAME =
  /secret|token|passw|passphrase|credential|private_?key|service_?account|(?:api|access|auth|app|license|signing|encryption)[_-]?key|^key$/i

/**
 * Whether a field is masked on the page and never sent back to it: when the spec marks it as secret, or, in specs that
 * mark nothing, when its name says so. This is for the eyes of people; what counts as secret in storage is decided
 * elsewhere, and is more.
 */
export function isMasked(name: string, property: InputProperty): boolean {
  const { format, writeOnly, 'x-secret': isMarkedSecret } = property
  if (format === 'password' || writeOnly === true) return true
  // Written as one text: a secret inside makes all of it one.
  if (
    Object.entries(nestedFields(property)).some(([nestedName, nestedProperty]) =>
      isMasked(nestedName, nestedProperty),
    )
  )
    return true
  if (typeof isMarkedSecret === 'boolean') return isMarkedSecret
  return SECRET_NAME.test(name)
}
