import type { Text } from '../../i18n/localized-text.ts'
import type { Messages } from '../../i18n/messages.ts'
import { stateHeader, tile } from '../../ui/header.ts'
import { html } from '../../ui/html.ts'
import { ICONS } from '../../ui/icons.ts'
import { row, rows } from '../../ui/list.ts'
import type { Screen } from '../../ui/screen.ts'
import type { AuthMethod } from '../form/auth-method.ts'
import type { IntegrationOption } from '../integration-offer.ts'
import { buildPageUrl, type PageContext } from '../page/page-context.ts'
import { nameAuthMethods } from './auth-method-names.ts'
import { offlineTemplate } from './client-templates.ts'
import { getIntegrationIcon } from './integration-display.ts'
import { pageHeader } from './page-header.ts'

/** The choice between several auth methods, sign-in first. */
export function chooseAuthScreen(
  page: PageContext,
  integration: IntegrationOption,
  back: string | undefined,
): Screen {
  const { messages, query } = page
  const { name, key } = integration.definition
  const { q, category } = query
  const title = messages.auth.title({ tool: name })
  const items = nameAuthMethods(page, integration).map((named, index) => {
    const { authMethod, label } = named
    return row({
      href: buildPageUrl(page, { integration: key, auth: authMethod.authType, q, category }),
      name: named.name,
      line: getMethodDescription(messages, name, authMethod),
      picture: authMethod.kind === 'sign_in' ? ICONS.window : ICONS.lock,
      badges: [
        ...(label === '' ? [] : [label]),
        ...(index === 0 && authMethod.kind === 'sign_in' ? [messages.auth.recommended] : []),
      ],
      attributes: { 'data-auth': authMethod.authType },
    })
  })
  const main = html`${pageHeader(page, { back })}${stateHeader({
    mark: [tile(name, getIntegrationIcon(integration.definition))],
    title,
    body: messages.auth.body,
  })}${rows(items)}${offlineTemplate(page)}`
  return { state: 'chooseAuth', status: 200, title, main }
}

function getMethodDescription(
  { auth }: Messages,
  tool: string,
  { kind, host, authType }: AuthMethod,
): Text | undefined {
  if (kind === 'sign_in') return host === undefined ? undefined : auth.signInLine({ host })
  return /^basic|^password$/i.test(authType) ? auth.passwordLine : auth.apiKeyLine({ tool })
}
