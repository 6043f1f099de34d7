import { translateCommonLabel } from '../../i18n/common-labels.ts'
import type { Text } from '../../i18n/localized-text.ts'
import type { Messages } from '../../i18n/messages.ts'
import { stateHeader, tile } from '../../ui/header.ts'
import { html } from '../../ui/html.ts'
import { ICONS } from '../../ui/icons.ts'
import { row, rows } from '../../ui/list.ts'
import type { Screen } from '../../ui/screen.ts'
import type { AuthMethod } from '../form/auth-method.ts'
import type { IntegrationOption } from '../integrations.ts'
import { buildPageUrl, type PageContext } from '../page/page-context.ts'
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
  const names = integration.available.map((authMethod) => getMethodName(page, name, authMethod))
  const texts = names.map(String)
  // Names that several methods share.
  const lastIndexByText = new Map(texts.map((text, index) => [text, index]))
  const ambiguousNames = new Set(texts.filter((text, index) => lastIndexByText.get(text) !== index))
  const items = integration.available.map((authMethod, index) => {
    const label = ambiguousNames.has(texts[index] ?? '') ? getSpecLabel(authMethod) : ''
    return row({
      href: buildPageUrl(page, { integration: key, auth: authMethod.authType, q, category }),
      name: names[index] ?? '',
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

/** The display name of an auth method: common names of specs are translated, any other is shown unchanged. */
function getMethodName(
  { messages: { auth }, language }: PageContext,
  tool: string,
  authMethod: AuthMethod,
): Text {
  if (authMethod.kind === 'sign_in') return auth.signIn({ tool })
  if (/^api[\s_-]*key$/i.test(authMethod.authType)) return auth.apiKey
  if (/^(?:(?:personal|api)[\s_-]*)?(?:access[\s_-]*)?token$/i.test(authMethod.authType))
    return auth.token
  if (/^basic(?:[\s_-]*auth)?$|^password$/i.test(authMethod.authType)) return auth.password
  return auth.other({
    label: translateCommonLabel(language, authMethod.authType) ?? authMethod.authType,
  })
}

/** Distinguishes methods with the same display name: the spec's name, without "OAuth". */
function getSpecLabel({ authType, kind }: AuthMethod): string {
  return kind === 'sign_in'
    ? authType.replace(/^o-?auth[\s_-]*(?:2(?:\.0)?)?[\s_-]*/i, '').replace(/^\((.*)\)$/, '$1')
    : authType
}

function getMethodDescription(
  { auth }: Messages,
  tool: string,
  { kind, host, authType }: AuthMethod,
): Text | undefined {
  if (kind === 'sign_in') return host === undefined ? undefined : auth.signInLine({ host })
  return /^basic|^password$/i.test(authType) ? auth.passwordLine : auth.apiKeyLine({ tool })
}
