import type { ParsedForm } from '../form/parse-form.ts'
import type { FormStep } from '../integrations/step.ts'
import type { PageContext } from '../page/page-context.ts'
import type { Screen } from '../page/screen.ts'
import { formScreen } from '../screens/form-screen.ts'

/** A form whose visit is over: the same form in a new visit, with what was typed, secrets excepted. Nothing was used. */
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
