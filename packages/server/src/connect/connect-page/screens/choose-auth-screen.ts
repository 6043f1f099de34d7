import { getIntegrationIcon } from '../../../integrations/catalogue/integration-icon.ts'
import { translateCommonLabel } from '../../../platform/i18n/language.ts'
import type { Text } from '../../../platform/i18n/localized-text.ts'
import { row, rows, stateHeader, toolTile } from '../../../platform/ui/header.ts'
import { html, ICONS } from '../../../platform/ui/html.ts'
import type { Screen } from '../../../platform/ui/screen.ts'
import type { AuthMethod } from '../form/auth-method.ts'
import { localizeFields } from '../form/field-texts.ts'
import type { IntegrationOption } from '../integration-offer.ts'
import { buildPageUrl, type PageContext } from '../page/page-context.ts'
import { offlineTemplate, pageHeader } from './page-header.ts'

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
  const describe = createDescriber(page, integration)
  const items = nameAuthMethods(page, integration).map((named, index) => {
    const { authMethod, label } = named
    return row({
      href: buildPageUrl(page, { integration: key, auth: authMethod.authType, q, category }),
      name: named.name,
      line: describe(authMethod),
      picture: authMethod.kind === 'sign_in' ? ICONS.window : ICONS.lock,
      badges: [
        ...(label === '' ? [] : [label]),
        ...(index === 0 && authMethod.kind === 'sign_in' ? [messages.auth.recommended] : []),
      ],
      attributes: { 'data-auth': authMethod.authType },
    })
  })
  const main = html`${pageHeader(page, { back })}${stateHeader({
    mark: [toolTile(name, getIntegrationIcon(integration.definition))],
    title,
    body: messages.auth.body,
  })}${rows(items)}${offlineTemplate(page)}`
  return { state: 'chooseAuth', status: 200, title, main }
}

/** Describes each method in a sentence of its own: what the person does or, where that is the same, what they need. */
function createDescriber(
  page: PageContext,
  { available, definition }: IntegrationOption,
): (authMethod: AuthMethod) => Text | undefined {
  const counts = countNames(available.flatMap(({ fields }) => fields.map(({ name }) => name)))
  const actions = new Map(available.map((one) => [one, getAction(one)]))
  const actionCounts = countNames([...actions.values()])
  return (authMethod) => {
    const { auth } = page.messages
    const { kind, host } = authMethod
    if (kind === 'sign_in') return host === undefined ? undefined : auth.signInLine({ host })
    const action = actions.get(authMethod) ?? 'other'
    const isAlone = actionCounts.get(action) === 1
    if (action === 'passwordLine') return auth.passwordLine
    if (action !== 'other' && isAlone) return auth[action]({ tool: definition.name })
    const needed = authMethod.fields.filter(({ isOptional }) => !isOptional)
    const own = needed.filter(({ name }) => counts.get(name) !== available.length)
    const shown = (own.length === 0 ? needed : own).slice(0, MAX_FIELDS)
    if (shown.length === 0) return undefined
    const labels = localizeFields(shown, page.language, definition).map(({ label }) => label)
    return auth.fieldsLine({ label: labels.join(', ') })
  }
}

const MAX_FIELDS = 4

function countNames<Name>(names: readonly Name[]): Map<Name, number> {
  const counts = new Map<Name, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return counts
}

/** What the person does, by the usual names of auth types. */
function getAction({
  authType,
}: AuthMethod): 'passwordLine' | 'apiKeyLine' | 'tokenLine' | 'other' {
  if (/^basic|^password$/i.test(authType)) return 'passwordLine'
  if (/api[\s_-]*key$/i.test(authType)) return 'apiKeyLine'
  return /token$/i.test(authType) ? 'tokenLine' : 'other'
}

export interface NamedAuthMethod {
  readonly authMethod: AuthMethod
  readonly name: Text
  /** Distinguishes it from another with the same name; else empty. */
  readonly label: string
}

/** The available auth methods of an integration with their display names. */
export function nameAuthMethods(
  page: PageContext,
  { available, definition }: IntegrationOption,
): NamedAuthMethod[] {
  const names = available.map((authMethod) => getMethodName(page, definition.name, authMethod))
  const texts = names.map(String)
  // Names that several methods share.
  const lastIndexByText = new Map(texts.map((text, index) => [text, index]))
  const ambiguousNames = new Set(texts.filter((text, index) => lastIndexByText.get(text) !== index))
  return available.map((authMethod, index) => ({
    authMethod,
    name: names[index] ?? '',
    label: ambiguousNames.has(texts[index] ?? '') ? getSpecLabel(authMethod) : '',
  }))
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
