import type { FormActionCsp } from '../page/screen.ts'
import type { IntegrationOption } from './integration-option.ts'

/**
 * The form targets of all offered integrations, not only of the visible one: the script replaces screens within one document,
 * which keeps the CSP of the first response.
 */
export function getFormActionCsp(integrations: readonly IntegrationOption[]): FormActionCsp {
  const authMethods = integrations.flatMap(({ available }) =>
    available.filter(({ kind }) => kind === 'sign_in'),
  )
  const origins = authMethods.flatMap(({ httpOrigin }) => httpOrigin ?? [])
  return { sameOriginOnly: authMethods.length === 0, formOrigins: [...new Set(origins)] }
}
