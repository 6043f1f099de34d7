import type { Text } from '../../i18n/localized-text.ts'
import type { Html } from '../../ui/html.ts'
import type { AuthMethod } from '../form/auth-method.ts'
import type { FormField } from '../form/form-field.ts'
import type { IntegrationOption } from '../integrations/integration-option.ts'
import type { FormActionCsp } from '../page/screen.ts'

/** What a form is about. */
export interface FormView {
  readonly integration: IntegrationOption
  readonly authMethod: AuthMethod
  readonly fields: readonly FormField[]
  readonly back: string | undefined
  readonly formActionCsp: FormActionCsp
  /** The id of a form that was not used up. Absent: a new one. */
  readonly submissionId?: string | undefined
  /** What is shown over a form that was sent. */
  readonly feedback?: FormFeedback | undefined
}

/** How a form that was sent comes back. */
export interface FormFeedback {
  readonly status: number
  /** What was typed, without secrets. */
  readonly entered: ReadonlyMap<string, string>
  /** What is wrong, by field. */
  readonly fieldErrors: ReadonlyMap<string, Text | Html>
  /** A secret was sent that is right as far as we know, and must be entered again: it is not kept. */
  readonly mustReenterSecret: boolean
  /** What went wrong as a whole. */
  readonly summary: Text | undefined
  /** The integration's own words about it. */
  readonly hint: string | undefined
  /** The code of the failure, for the script. */
  readonly code: string | undefined
}
