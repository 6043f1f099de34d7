import type { FormActionCsp } from '../page/screen.ts'
import type { IntegrationOption } from './integration-option.ts'

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
