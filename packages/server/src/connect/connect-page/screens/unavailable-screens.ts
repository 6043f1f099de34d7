import { button } from '../../../platform/ui/button.ts'
import { type Screen, statusScreen } from '../../../platform/ui/screen.ts'
import type { EmptyReason, IntegrationOption } from '../integration-offer.ts'
import { buildPageUrl, type PageContext } from '../page/page-context.ts'
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
            href: buildPageUrl(page),
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
  toolGone: 'tool_gone',
  appMissing: 'app_missing',
  appRemoved: 'app_missing',
}

/** A form was submitted for an integration or auth method that the link no longer offers. */
export function noLongerOfferedScreen(
  page: PageContext,
  integration: IntegrationOption | undefined,
  name: string,
): Screen {
  const { messages, workspaceName } = page
  const params = {
    tool: integration?.definition.name ?? name.slice(0, MAX_NAME),
    workspace: workspaceName,
  }
  const [state, status] =
    integration === undefined ? (['notOffered', 410] as const) : METHOD_CHANGED
  const key = integration?.definition.key
  return statusScreen(state, messages.states[state](params), {
    status,
    mark: 'info',
    header: pageHeader(page),
    buttons: [
      button({
        text:
          integration === undefined ? messages.action.chooseAnother : messages.action.startAgain,
        href: buildPageUrl(page, { integration: key }),
        attributes: { 'data-go': true },
      }),
    ],
    data: {
      'data-code': integration === undefined ? 'not_offered' : 'way_changed',
      'data-key': key,
    },
  })
}

const METHOD_CHANGED = ['wayChanged', 409] as const
/** The name is client input from the form. */
const MAX_NAME = 200
