import { t } from '../../i18n/localized-text.ts'
import { actions, button } from '../../ui/button.ts'
import { stateHeader, tile, topBar } from '../../ui/header.ts'
import { html } from '../../ui/html.ts'
import { hiddenInputs } from '../../ui/list.ts'
import type { PageLayout, Screen } from '../../ui/screen.ts'
import { getPagePath, serializePageQuery } from '../page/page-context.ts'
import type { PageQuery } from '../page/page-query.ts'
import { type PageSession, sessionField } from '../session/page-session.ts'

interface StartView {
  readonly workspaceName: string
  /** Whether it leads to the portal. */
  readonly isPortal: boolean
  readonly query: PageQuery
  readonly token: string
  readonly session: PageSession
}

/** The first page of a connect session: who asks, and the button that binds it to the browser. */
export function startScreen(
  { mode, messages }: PageLayout,
  { workspaceName, isPortal, query, token, session }: StartView,
): Screen {
  const { title, body } = (isPortal ? messages.portal.start : messages.states.sessionStart)({
    workspace: workspaceName,
  })
  const search = serializePageQuery(query)
  const action = `${getPagePath(token, mode)}/open${search === '' ? '' : `?${search}`}`
  // On the page, the tile and the title already name the workspace.
  const header =
    mode === 'frame'
      ? topBar({
          workspace: { name: String(t`${workspaceName}`) },
          exit: { text: messages.action.close, attributes: { 'data-exit': true, hidden: true } },
        })
      : ''
  const main = html`${header}${stateHeader({ mark: [tile(workspaceName)], title, body })}
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
