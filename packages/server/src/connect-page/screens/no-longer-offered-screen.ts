import { button } from '../../ui/button.ts'
import type { IntegrationOption } from '../integrations/integration-option.ts'
import { type PageContext, pageUrl } from '../page/page-context.ts'
import type { Screen } from '../page/screen.ts'
import { statusScreen } from '../page/status-screen.ts'
import { pageHeader } from './page-header.ts'

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
        href: pageUrl(page, { integration: key }),
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
