import type { InputProperty } from '@linchpin/runner'
import { nestedFields } from './nested-fields.ts'

/** Names of secrets in specs without markers. */
const SECRET_NAME =
  /secret|token|passw|passphrase|credential|private_?key|service_?account|(?:api|access|auth|app|license|signing|encryption)[_-]?key|^key$/i

/**
 * Whether a field is masked on the page and never rendered into it: when the spec marks it as secret or, without markers,
 * when its name looks like one. This concerns display only; storage treats more values as secret.
 */
export function isMasked(name: string, property: InputProperty): boolean {
  const { format, writeOnly, 'x-secret': isMarkedSecret } = property
  if (format === 'password' || writeOnly === true) return true
  // The object is entered as one text, so a nested secret makes all of it secret.
  if (
    Object.entries(nestedFields(property)).some(([nestedName, nestedProperty]) =>
      isMasked(nestedName, nestedProperty),
    )
  )
    return true
  if (typeof isMarkedSecret === 'boolean') return isMarkedSecret
  return SECRET_NAME.test(name)
}
