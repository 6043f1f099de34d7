import type { IntegrationOption } from './integration-option.ts'

/** Where the forms lead that a person can reach from a page: its policy has to allow that, and no more. */
export interface FormActionCsp {
  /** Nothing signs in: forms lead to us alone. */
  readonly sameOriginOnly: boolean
  /** Origins over http where one signs in; https may be anywhere, since providers send on to each other. */
  readonly formOrigins: readonly string[]
}

/**
 * The targets of all tools that a link offers, not of the one that is shown: the script swaps screens within one document,
 * whose policy stays that of the first.
 */
export function getFormActionCsp(integrations: readonly IntegrationOption[]): FormActionCsp {
  const authMethods = integrations.flatMap(({ available }) =>
    available.filter(({ kind }) => kind === 'sign_in'),
  )
  const origins = authMethods.flatMap(({ httpOrigin }) => httpOrigin ?? [])
  return { sameOriginOnly: authMethods.length === 0, formOrigins: [...new Set(origins)] }
}
