import type { AuthMethod } from '../form/auth-method.ts'
import type { FormField } from '../form/form-field.ts'
import { type PageContext, pageUrl } from '../page/page-context.ts'
import type { FormActionCsp } from '../page/screen.ts'
import { getFormActionCsp } from './form-action-csp.ts'
import type { IntegrationOption } from './integration-option.ts'

/** Where in the page a person is: at the list, at the ways of one tool, or at the form of one way. */
export type Step =
  | { readonly type: 'list' }
  | {
      readonly type: 'ways'
      readonly integration: IntegrationOption
      readonly back: string | undefined
    }
  | ({ readonly type: 'form' } & FormStep)

export interface FormStep {
  readonly integration: IntegrationOption
  readonly authMethod: AuthMethod
  readonly fields: readonly FormField[]
  /** Where "back" leads; undefined where the form is the first thing. */
  readonly back: string | undefined
  readonly formActionCsp: FormActionCsp
}

/** What is not asked because there is one answer: which tool, and which way. */
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
  if (authMethod === undefined) return { type: 'ways', integration, back: listUrl }
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
