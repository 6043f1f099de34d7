import { button } from '../../ui/button.ts'
import type { IntegrationOption } from '../integrations/integration-option.ts'
import type { EmptyReason } from '../integrations/list-integrations.ts'
import { type PageContext, pageUrl } from '../page/page-context.ts'
import type { Screen } from '../page/screen.ts'
import { statusScreen } from '../page/status-screen.ts'
import { pageHeader } from './page-header.ts'

/** Explains why no integration is offered, and whom to contact. */
export function emptyScreen(
  page: PageContext,
  reason: EmptyReason,
  notConfigured: IntegrationOption | undefined,
  { hasOthers = false }: { readonly hasOthers?: boolean } = {},
): Screen {
  const { messages, workspaceName } = page
  const params = { workspace: workspaceName, tool: notConfigured?.definition.name ?? '' }
  return statusScreen('pickerEmpty', messages.states[reason](params), {
    mark: 'info',
    header: pageHeader(page),
    buttons: [
      hasOthers
        ? button({
            text: messages.action.chooseAnother,
            href: pageUrl(page),
            attributes: { 'data-go': true },
          })
        : undefined,
    ],
    data: { 'data-code': CODES[reason] },
  })
}

const CODES: Readonly<Record<EmptyReason, string>> = {
  noneInWorkspace: 'none_in_workspace',
  noneMatchKeys: 'none_match_keys',
  noneWithSignIn: 'none_with_sign_in',
  appMissing: 'app_missing',
}
