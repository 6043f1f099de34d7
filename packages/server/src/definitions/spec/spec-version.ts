import type { Spec } from '@linchpin/runner'

/** The version that a spec names; undefined when it names none, or an odd one. */
export function specVersion({ version }: Spec): string | undefined {
  return typeof version === 'string' && /^[\w.+-]{1,50}$/.test(version) ? version : undefined
}
