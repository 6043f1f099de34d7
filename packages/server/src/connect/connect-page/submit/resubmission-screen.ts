import { errorScreen } from '../../../platform/ui/error-screen.ts'
import type { ConnectPageDeps } from '../connect-page-deps.ts'
import { buildPageUrl } from '../page/page-context.ts'
import { submissionScreen } from '../screens/submission-screen.ts'
import { rejectedFormScreen } from './create-rejected-form.ts'
import type { SubmittedForm } from './submitted-form.ts'

/** The screen of a form that was already submitted: its state, or the form again when it failed. */
export async function resubmissionScreen(
  deps: ConnectPageDeps,
  { page, step, submissionId, parsedForm }: SubmittedForm,
) {
  const sessionKey = { sessionHash: page.session.hash, pageId: page.pageId }
  const row = await deps.submissions.find(sessionKey, submissionId)
  if (row?.state === 'failed') {
    const failure = {
      code: row.code ?? 'unknown',
      field: row.field ?? undefined,
      hint: row.hint ?? undefined,
    }
    return rejectedFormScreen(page, step, parsedForm, failure)
  }
  const screen = await submissionScreen(deps, page, { submissionId, isResubmission: true })
  return (
    screen ??
    errorScreen(page, 'notOurs', {
      workspaceName: page.workspaceName,
      retryUrl: buildPageUrl(page),
    })
  )
}
