import type { Tool } from './tools.ts'

/** Where the forms lead that a person can reach from a page: its policy has to allow that, and no more. */
export interface FormTargets {
  /** Nothing signs in: forms lead to us alone. */
  readonly staysHere: boolean
  /** Origins over http where one signs in; https may be anywhere, since providers send on to each other. */
  readonly formOrigins: readonly string[]
}

/**
 * The targets of all tools that a link offers, not of the one that is shown: the script swaps screens within one document,
 * whose policy stays that of the first.
 */
export function formTargets(tools: readonly Tool[]): FormTargets {
  const ways = tools.flatMap(({ ready }) => ready.filter(({ kind }) => kind === 'sign_in'))
  const origins = ways.flatMap(({ httpOrigin }) => httpOrigin ?? [])
  return { staysHere: ways.length === 0, formOrigins: [...new Set(origins)] }
}
