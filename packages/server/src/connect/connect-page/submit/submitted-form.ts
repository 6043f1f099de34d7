import type { PageLayout, Screen } from '../../../platform/ui/screen.ts'
import type { ConnectionChoice } from '../../oauth-flow/callback/complete-choice.ts'
import type { ParsedForm } from '../form/parse-form.ts'
import type { FormStep } from '../integration-offer.ts'
import type { PageContext } from '../page/page-context.ts'

/** A submitted form and its page. */
export interface SubmittedForm {
  readonly page: PageContext
  readonly step: FormStep
  /** The form's ID, which is processed once. */
  readonly submissionId: string
  readonly parsedForm: ParsedForm
  /** What the person has chosen for a user who is connected already. */
  readonly choice: ConnectionChoice | undefined
}

/** The URL that a form was submitted to. */
export interface FormRequest {
  readonly mode: 'page' | 'frame'
  readonly pageId: string
  readonly searchParams: URLSearchParams
}

/** A form that may be processed, or the screen to show instead. */
export type LoadedForm =
  | { readonly submitted: SubmittedForm }
  | { readonly submitted?: undefined; readonly layout: PageLayout; readonly screen: Screen }
