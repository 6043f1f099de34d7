import type { ConnectPageDeps } from '../connect-page-deps.ts'
import { linkLimitReason } from '../integrations/link-limit-reason.ts'
import { listIntegrations } from '../integrations/list-integrations.ts'
import { type FormStep, resolveStep } from '../integrations/step.ts'
import type { PageContext } from '../page/page-context.ts'
import type { Screen } from '../page/screen.ts'
import { linkFullScreen } from '../screens/link-full-screen.ts'
import { noLongerOfferedScreen } from '../screens/no-longer-offered-screen.ts'

/** Resolves the submitted form as the link offers it now, or the screen that explains why it is not offered. */
export async function resolveForm(
  deps: ConnectPageDeps,
  page: PageContext,
  form: URLSearchParams,
  kind: 'credentials' | 'sign_in',
): Promise<
  | { readonly step: FormStep; readonly screen?: undefined }
  | { readonly step?: undefined; readonly screen: Screen }
> {
  const offered = await listIntegrations(deps, page)
  const step = resolveStep(page, offered.integrations)
  const { integration, auth } = page.query
  const isRequestedForm =
    step.type === 'form' &&
    step.authMethod.kind === kind &&
    step.authMethod.authType === auth &&
    step.integration.definition.key === integration
  if (isRequestedForm) return { step }
  const limitReason = await linkLimitReason(deps, page)
  const sessionKey = { sessionHash: page.session.hash, linkId: page.link.linkId }
  if (limitReason !== undefined)
    return {
      screen: linkFullScreen(page, limitReason, await deps.submissions.accounts(sessionKey)),
    }
  const option = offered.integrations.find(({ definition }) => definition.key === integration)
  return { screen: noLongerOfferedScreen(page, option, form.get('tool') ?? integration ?? '') }
}
