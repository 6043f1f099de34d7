import type { ParsedForm } from '../form/parse-form.ts'
import type { FormStep } from '../integrations/step.ts'
import type { PageContext } from '../page/page-context.ts'
import type { Screen } from '../page/screen.ts'
import { formScreen } from '../screens/form-screen.ts'

/** Renders the form of an expired session in a new one, with the entered values except secrets. Nothing was processed. */
export function sessionExpiredForm(
  page: PageContext,
  step: FormStep,
  { entered, hasSecret }: ParsedForm,
): Screen {
  const { sessionLost: summary } = page.messages.form
  const feedback = {
    status: 403,
    entered,
    fieldErrors: new Map(),
    summary,
    hint: undefined,
    code: 'visit_lost',
    mustReenterSecret: hasSecret,
  }
  return formScreen(page, { ...step, feedback })
}
