import type { ConnectPageDeps } from '../connect-page-deps.ts'
import { getFormActionCsp } from '../integrations/form-action-csp.ts'
import { linkLimitReason } from '../integrations/link-limit-reason.ts'
import { listIntegrations } from '../integrations/list-integrations.ts'
import { resolveStep } from '../integrations/step.ts'
import type { PageContext } from '../page/page-context.ts'
import type { Screen } from '../page/screen.ts'
import { chooseAuthScreen } from '../screens/choose-auth-screen.ts'
import { emptyScreen } from '../screens/empty-screen.ts'
import { formScreen } from '../screens/form-screen.ts'
import { linkFullScreen } from '../screens/link-full-screen.ts'
import { pickerScreen } from '../screens/picker-screen.ts'
import { submissionScreen } from '../screens/submission-screen.ts'

/** Chooses the screen that the URL selects: a submission, a form, the auth methods of an integration, or the list. */
export async function chooseScreen(deps: ConnectPageDeps, page: PageContext): Promise<Screen> {
  const submission = await submissionScreen(deps, page)
  if (submission !== undefined) return submission
  const sessionKey = { sessionHash: page.session.hash, linkId: page.link.linkId }
  const [offered, accounts, limitReason] = await Promise.all([
    listIntegrations(deps, page),
    deps.submissions.accounts(sessionKey),
    linkLimitReason(deps, page),
  ])
  if (limitReason !== undefined) return linkFullScreen(page, limitReason, accounts)
  if (offered.emptyReason !== undefined)
    return emptyScreen(page, offered.emptyReason, offered.notConfigured)
  const notConfigured = offered.unavailable.find(
    ({ definition }) => definition.key === page.query.integration,
  )
  if (notConfigured !== undefined)
    return emptyScreen(page, 'appMissing', notConfigured, { hasOthers: true })
  const step = resolveStep(page, offered.integrations)
  if (step.type === 'form') return formScreen(page, step)
  const formActionCsp = getFormActionCsp(offered.integrations)
  if (step.type === 'auth-methods')
    return { ...chooseAuthScreen(page, step.integration, step.back), formActionCsp }
  return { ...pickerScreen(page, offered, accounts), formActionCsp }
}
