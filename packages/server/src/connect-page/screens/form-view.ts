import type { Text } from '../../i18n/localized-text.ts'
import type { Html } from '../../ui/html.ts'
import type { AuthMethod } from '../form/auth-method.ts'
import type { FormField } from '../form/form-field.ts'
import type { IntegrationOption } from '../integrations/integration-option.ts'
import type { FormActionCsp } from '../page/screen.ts'

/** The content of a form. */
export interface FormView {
  readonly integration: IntegrationOption
  readonly authMethod: AuthMethod
  readonly fields: readonly FormField[]
  readonly back: string | undefined
  readonly formActionCsp: FormActionCsp
  /** The unused ID of an earlier form; undefined for a new one. */
  readonly submissionId?: string | undefined
  /** Feedback on a rejected form. */
  readonly feedback?: FormFeedback | undefined
}

/** The feedback on a rejected form. */
export interface FormFeedback {
  readonly status: number
  /** The entered values, without secrets. */
  readonly entered: ReadonlyMap<string, string>
  /** Error messages by field name. */
  readonly fieldErrors: ReadonlyMap<string, Text | Html>
  /** A secret without an error was submitted and must be entered again, since it is not rendered into the page. */
  readonly mustReenterSecret: boolean
  /** The main error message. */
  readonly summary: Text | undefined
  /** The integration's own message. */
  readonly hint: string | undefined
  /** The error code, for the script. */
  readonly code: string | undefined
}
