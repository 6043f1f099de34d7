import type { AuthMethod } from '../form/auth-method.ts'
import type { FormField } from '../form/form-field.ts'
import { type PageContext, pageUrl } from '../page/page-context.ts'
import type { FormActionCsp } from '../page/screen.ts'
import { getFormActionCsp } from './form-action-csp.ts'
import type { IntegrationOption } from './integration-option.ts'

/** The step of the page: the list, the auth methods of an integration, or a form. */
export type Step =
  | { readonly type: 'list' }
  | {
      readonly type: 'auth-methods'
      readonly integration: IntegrationOption
      readonly back: string | undefined
    }
  | ({ readonly type: 'form' } & FormStep)

export interface FormStep {
  readonly integration: IntegrationOption
  readonly authMethod: AuthMethod
  readonly fields: readonly FormField[]
  /** URL of the back link; undefined when the form is the first step. */
  readonly back: string | undefined
  readonly formActionCsp: FormActionCsp
}

/** Resolves the step from the query, and skips a choice with a single option. */
export function resolveStep(page: PageContext, integrations: readonly IntegrationOption[]): Step {
  const { query } = page
  const requested = integrations.find(({ definition }) => definition.key === query.integration)
  const [onlyIntegration] = integrations
  const integration = requested ?? (integrations.length === 1 ? onlyIntegration : undefined)
  if (integration === undefined) return { type: 'list' }
  const { q, category } = query
  const listUrl = integrations.length === 1 ? undefined : pageUrl(page, { q, category })
  const requestedMethod = integration.available.find(({ authType }) => authType === query.auth)
  const [firstMethod] = integration.available
  const authMethod =
    requestedMethod ?? (integration.available.length === 1 ? firstMethod : undefined)
  if (authMethod === undefined) return { type: 'auth-methods', integration, back: listUrl }
  const authMethodsUrl =
    integration.available.length === 1
      ? listUrl
      : pageUrl(page, { integration: integration.definition.key, q, category })
  return {
    type: 'form',
    integration,
    authMethod,
    fields: authMethod.fields,
    back: authMethodsUrl,
    formActionCsp: getFormActionCsp(integrations),
  }
}
