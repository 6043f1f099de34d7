import { getIntegrationIcon } from '../../../integrations/catalogue/integration-icon.ts'
import type { Definition } from '../../../integrations/definitions/definition.ts'
import { getWorkspaceHeading } from '../../../platform/i18n/language.ts'
import type { Message, Messages } from '../../../platform/i18n/messages.ts'
import { actions, button } from '../../../platform/ui/field.ts'
import { hiddenInputs, stateHeader, tile, toolTile, topBar } from '../../../platform/ui/header.ts'
import { html } from '../../../platform/ui/html.ts'
import type { PageLayout, Screen } from '../../../platform/ui/screen.ts'
import { getPagePath, type PageQuery, serializePageQuery } from '../page/page-context.ts'
import { type PageSession, sessionField } from '../page/page-session.ts'

interface StartView {
  readonly workspaceName: string
  /** URL of the workspace's logo; undefined until it is cached. */
  readonly logo: string | undefined
  /** Whether it leads to the portal. */
  readonly isPortal: boolean
  /** Whether an administrator enters an OAuth app first. */
  readonly isSetup: boolean
  /** The only tool of the session. */
  readonly tool: Pick<Definition, 'name' | 'key' | 'releaseStage' | 'icon'> | undefined
  /** Whether the tool is connected already. */
  readonly isReconnect: boolean
  readonly query: PageQuery
  readonly token: string
  readonly session: PageSession
}

/** The first page of a connect session: who asks, and the button that binds it to the browser. */
export function startScreen({ mode, messages }: PageLayout, view: StartView): Screen {
  const { workspaceName, logo, tool, query, token, session } = view
  const { title, body } = getMessage(messages, view)
  const search = serializePageQuery(query)
  const action = `${getPagePath(token, mode)}/open${search === '' ? '' : `?${search}`}`
  // On the page, the tile and the title already name the workspace.
  const header =
    mode === 'frame'
      ? topBar({
          workspace: { name: getWorkspaceHeading(workspaceName, messages) },
          exit: { text: messages.action.close, attributes: { 'data-exit': true, hidden: true } },
        })
      : ''
  const mark = [
    tile(workspaceName, logo),
    ...(tool === undefined ? [] : [toolTile(tool.name, getIntegrationIcon(tool))]),
  ]
  const main = html`${header}${stateHeader({ mark, title, body })}
<form method="post" action="${action}" data-form="open">
${hiddenInputs({ visit: sessionField(session) })}
${actions(button({ text: messages.action.continue }))}
</form>`
  return {
    state: 'sessionStart',
    status: 200,
    title,
    main,
    // In a frame the script shows the next screens in this document, whose policy stays.
    ...(mode === 'frame' ? {} : { formActionCsp: { sameOriginOnly: true, formOrigins: [] } }),
    data: { 'data-visit': sessionField(session) },
  }
}

/** What the session is for: the connections, one tool, or a choice of several. */
function getMessage(
  { portal, states, form, setup }: Messages,
  { workspaceName: workspace, isPortal, isSetup, tool, isReconnect }: StartView,
): Message {
  if (isPortal) return portal.start({ workspace })
  if (tool === undefined) return states.sessionStart({ workspace })
  const params = { workspace, tool: tool.name }
  if (isSetup) return setup.start(params)
  const message = states.sessionStartOne(params)
  return isReconnect ? { ...message, title: form.reconnectTitle(params) } : message
}
