import type { Text } from '../../../platform/i18n/localized-text.ts'
import { stateHeader, tile } from '../../../platform/ui/header.ts'
import { html } from '../../../platform/ui/html.ts'
import { ICONS } from '../../../platform/ui/icons.ts'
import { row, rows } from '../../../platform/ui/list.ts'
import type { Screen } from '../../../platform/ui/screen.ts'
import type { AuthMethod } from '../form/auth-method.ts'
import { localizeFields } from '../form/localize-fields.ts'
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
    mark: [tile(name, getIntegrationIcon(integration.definition))],
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
