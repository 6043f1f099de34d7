import type { DefinitionSummaryRow } from '../../definitions/definition-store.ts'
import { isCatalogueDefinition } from '../../definitions/visible-definitions-store.ts'
import { ALL_ROWS } from '../../http/pagination.ts'
import { allowedDefinitionsFilter } from '../../links/assert-definition-allowed.ts'
import type { ConnectPageDeps } from '../connect-page-deps.ts'
import type { AuthMethod } from '../form/auth-method.ts'
import type { PageContext } from '../page/page-context.ts'
import type { IntegrationOption } from './integration-option.ts'

/** Why no integration is offered. */
export type EmptyReason = 'noneInWorkspace' | 'noneMatchKeys' | 'noneWithSignIn' | 'appMissing'

/** The integrations that a link offers, or the reason why there are none. */
export type Offered =
  | {
      readonly integrations: readonly IntegrationOption[]
      readonly emptyReason?: undefined
      /** Integrations whose every auth method requires an OAuth app that is missing. */
      readonly unavailable: readonly IntegrationOption[]
    }
  | {
      readonly integrations: readonly []
      readonly emptyReason: EmptyReason
      readonly notConfigured?: IntegrationOption | undefined
    }

/** The integrations that can be connected here, sorted by name: allowed by the link, requested by key, and configured. */
export async function listIntegrations(deps: ConnectPageDeps, page: PageContext): Promise<Offered> {
  const { link, accessScope, query, language } = page
  const filter = allowedDefinitionsFilter(link)
  const [allowed, apps] = await Promise.all([
    deps.definitions.list(accessScope, filter, ALL_ROWS),
    deps.oauthApps.list(accessScope, { workspaceId: link.workspaceId }, ALL_ROWS),
  ])
  const definitions = dedupeByKey(allowed)
  if (definitions.length === 0) return offerNothing('noneInWorkspace')
  const keys = query.integrationKeys?.split(',').map((key) => key.trim())
  const requested = definitions.filter(({ key }) => keys === undefined || keys.includes(key))
  if (requested.length === 0) return offerNothing('noneMatchKeys')
  const definitionsWithApp = new Set(apps.map(({ definitionId }) => definitionId))
  const authMethods = await deps.readAuthMethods(requested, () =>
    deps.definitions.listWithSpecs(accessScope, filter),
  )
  const accepts = ({ kind }: AuthMethod) => !link.preferOAuth || kind === 'sign_in'
  const options = requested.map((definition): IntegrationOption => {
    const accepted = (authMethods.get(definition.bundle_sha256) ?? []).filter(accepts)
    const hasApp = definitionsWithApp.has(definition.definition_id)
    const available = accepted.filter(({ kind }) => hasApp || kind === 'credentials')
    return { definition, authMethods: accepted, available }
  })
  const integrations = options.filter(({ available }) => available.length > 0)
  const unavailable = options.filter(
    ({ authMethods, available }) => authMethods.length > 0 && available.length === 0,
  )
  if (integrations.length > 0)
    return { integrations: sortByName(integrations, language), unavailable }
  const [notConfigured] = unavailable
  return notConfigured === undefined
    ? offerNothing('noneWithSignIn')
    : { integrations: [], emptyReason: 'appMissing', notConfigured }
}

/** URLs identify an integration by key: a custom definition replaces the catalogue's one with the same key. */
function dedupeByKey(definitions: readonly DefinitionSummaryRow[]): DefinitionSummaryRow[] {
  const ownKeys = new Set(
    definitions.filter((definition) => !isCatalogueDefinition(definition)).map(({ key }) => key),
  )
  return definitions.filter(
    (definition) => !isCatalogueDefinition(definition) || !ownKeys.has(definition.key),
  )
}

function offerNothing(emptyReason: EmptyReason): Offered {
  return { integrations: [], emptyReason }
}

/** Reuses one collator, since `localeCompare` with a language creates one per call. */
function sortByName(
  integrations: readonly IntegrationOption[],
  language: string,
): IntegrationOption[] {
  const { compare } = new Intl.Collator(language)
  return integrations.toSorted(
    ({ definition: one }, { definition: other }) =>
      compare(one.name, other.name) || (one.key < other.key ? -1 : 1),
  )
}
