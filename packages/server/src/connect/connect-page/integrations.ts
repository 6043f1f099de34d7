import type { WorkspaceAccess } from '../../access/auth/caller.ts'
import { ACME_SANDBOX_ID } from '../../integrations/catalogue/offered-integration.ts'
import {
  type DefinitionSummary,
  isCatalogueDefinition,
} from '../../integrations/definitions/definition.ts'
import { getOptionKey } from '../../integrations/definitions/spec/spec-schema.ts'
import { createOfferSelector } from '../../integrations/oauth-apps/select-oauth-app.ts'
import { isLoopbackHost } from '../../platform/config/url.ts'
import { ApiError } from '../../platform/errors.ts'
import type { FormActionCsp } from '../../platform/ui/screen.ts'
import { findExposedSecret } from '../connect-sessions/given-config.ts'
import { assertLinkAccepts, createAllowedDefinitionsFilter } from '../links/link-policy.ts'
import type { ConnectPageDeps } from './connect-page-deps.ts'
import { type AuthMethod, getDefaultAuthMethod } from './form/auth-method.ts'
import type { FormField } from './form/form-field.ts'
import type {
  EmptyReason,
  FormStep,
  IntegrationOffer,
  IntegrationOption,
  LinkLimitReason,
  PageStep,
} from './integration-offer.ts'
import { buildPageUrl, type PageContext } from './page/page-context.ts'

/** The integrations that can be connected here, Acme Sandbox and the popular ones first, then by name: allowed by the link, requested by key, and configured. */
export async function listIntegrations(
  deps: ConnectPageDeps,
  page: PageContext,
): Promise<IntegrationOffer> {
  const { link, access, query, language } = page
  const filter = createAllowedDefinitionsFilter(link)
  const [allowed, selectOffer] = await Promise.all([
    deps.definitions.listAll(access, filter),
    createSelector(deps, page),
  ])
  const definitions =
    page.account === undefined
      ? selectOffered(deps, page, allowed)
      : allowed.filter(({ definitionId }) => definitionId === page.account?.definitionId)
  if (definitions.length === 0)
    return offerNothing(namesTools(page) ? 'toolGone' : 'noneInWorkspace')
  const keys = query.integrationKeys?.split(',').map((key) => key.trim())
  const requested = definitions.filter(({ key }) => keys === undefined || keys.includes(key))
  if (requested.length === 0) return offerNothing('noneMatchKeys')
  const authMethods = await deps.readAuthMethods(requested, () =>
    deps.definitions.listWithSpecs(access, filter),
  )
  const options = requested.map((definition) => {
    const methods = selectForPage(page, authMethods.get(definition.bundleSha256) ?? [])
    return { definition, ...selectOffer(definition.definitionId, methods) }
  })
  const integrations = options.filter(({ available }) => available.length > 0)
  const unavailable = options.filter(({ isAppMissing }) => isAppMissing)
  if (integrations.length > 0)
    return { integrations: sortIntegrations(integrations, language), unavailable }
  const [notConfigured] = unavailable
  return notConfigured === undefined
    ? offerNothing('noneWithSignIn')
    : {
        integrations: [],
        emptyReason: page.account === undefined ? 'appMissing' : 'appRemoved',
        notConfigured,
      }
}

/** Selects what can be connected of a tool, with the OAuth app for the customer of this page. */
async function createSelector({ oauthApps }: ConnectPageDeps, page: PageContext) {
  const { link, access, connectSession, account, query } = page
  const customer = account?.accountIdentifier ?? query.accountIdentifier ?? null
  const isSignInOnly = link.preferOAuth || connectSession?.mode === 'app'
  return createOfferSelector(
    await oauthApps.listCandidatesByDefinition(access, link.workspaceId, customer),
    {
      requestedId: connectSession?.oauthAppId ?? link.oauthAppId,
      accountAppId: account?.oauthAppId,
      requiresCustomerApp: link.requireCustomerApp || connectSession?.requireCustomerApp === true,
      oauthOnly: isSignInOnly && account === undefined,
    },
  )
}

/** The definitions that a connect session offers, whether they can be connected now or not. */
export async function listOfferedDefinitions(
  deps: Pick<ConnectPageDeps, 'baseUrl' | 'definitions'>,
  access: WorkspaceAccess,
  page: Pick<PageContext, 'link' | 'connectSession'>,
): Promise<DefinitionSummary[]> {
  const filter = createAllowedDefinitionsFilter(page.link)
  return selectOffered(deps, page, await deps.definitions.listAll(access, filter))
}

function selectOffered(
  deps: Pick<ConnectPageDeps, 'baseUrl'>,
  page: Pick<PageContext, 'link' | 'connectSession'>,
  allowed: readonly DefinitionSummary[],
): DefinitionSummary[] {
  return removeDuplicateKeys(allowed).filter((one) => isOffered(deps, page, one))
}

/** Whether the session is for certain tools, all of which existed when it was created. */
function namesTools({ account, connectSession }: PageContext): boolean {
  return account !== undefined || (connectSession?.definitionIds.length ?? 0) > 0
}

/** Whether a connect session offers a definition of its link. Where customers are, the sandbox must be named. */
function isOffered(
  { baseUrl }: Pick<ConnectPageDeps, 'baseUrl'>,
  { link, connectSession }: Pick<PageContext, 'link' | 'connectSession'>,
  { definitionId, typeKey }: DefinitionSummary,
): boolean {
  if (definitionId === ACME_SANDBOX_ID && !isLoopbackHost(new URL(baseUrl()).hostname)) {
    const named = [...link.definitionIds, ...(connectSession?.definitionIds ?? [])]
    if (!named.includes(ACME_SANDBOX_ID)) return false
  }
  if (connectSession === undefined) return true
  const { definitionIds, categories } = connectSession
  return (
    (definitionIds.length === 0 || definitionIds.includes(definitionId)) &&
    (categories.length === 0 || categories.some(({ key }) => key === typeKey))
  )
}

/**
 * The auth methods with which an account is reconnected: its own; and sign-in, if its key came from a sign-in. Without those
 * with which the visitor could choose the host of a given secret: a definition may have changed since the session was created.
 */
function selectForPage(
  { account, connectSession }: PageContext,
  all: readonly AuthMethod[],
): readonly AuthMethod[] {
  const given = connectSession?.configFields ?? []
  const safe =
    given.length === 0
      ? all
      : all.filter(({ destinations }) => findExposedSecret(destinations, given) === undefined)
  if (account === undefined) return safe
  const isFromSignIn = account.statusReason === 'no_refresh_token'
  return safe.filter(
    ({ authType, kind }) => authType === account.authType || (isFromSignIn && kind === 'sign_in'),
  )
}

/** URLs identify an integration by key: a custom definition replaces the catalogue's one with the same key. */
function removeDuplicateKeys(definitions: readonly DefinitionSummary[]): DefinitionSummary[] {
  const byKey = new Map<string, DefinitionSummary>()
  for (const definition of definitions)
    if (!byKey.has(definition.key) || !isCatalogueDefinition(definition))
      byKey.set(definition.key, definition)
  return [...byKey.values()]
}

function offerNothing(emptyReason: EmptyReason): IntegrationOffer {
  return { integrations: [], emptyReason }
}

/** Acme Sandbox and the popular ones first, then by name. Reuses one collator, since `localeCompare` with a language creates one per call. */
export function sortIntegrations(
  integrations: readonly IntegrationOption[],
  language: string,
): IntegrationOption[] {
  const { compare } = new Intl.Collator(language)
  return integrations.toSorted(
    ({ definition: one }, { definition: other }) =>
      getPopularity(one.key) - getPopularity(other.key) ||
      compare(one.name, other.name) ||
      (one.key < other.key ? -1 : 1),
  )
}

/** Checks the link's limits before a form is shown; undefined when it accepts another account. Storing checks them again. */
export async function getLinkLimitReason(
  deps: ConnectPageDeps,
  page: PageContext,
): Promise<LinkLimitReason | undefined> {
  if (page.account !== undefined) return undefined
  const identifier = page.query.accountIdentifier ?? null
  try {
    await assertLinkAccepts(deps, deps.database.read, page.link, identifier)
    return undefined
  } catch (error) {
    const code = error instanceof ApiError ? error.code : undefined
    if (code !== 'link_full' && code !== 'link_identifier_full') throw error
    deps.counters.refused(page.link.linkId, code)
    return code
  }
}

/** Resolves the step from the query, and skips a choice that has one option, or a recommended one. */
export function resolveStep(
  page: PageContext,
  integrations: readonly IntegrationOption[],
): PageStep {
  const { query } = page
  const requested = integrations.find(({ definition }) => definition.key === query.integration)
  const [onlyIntegration] = integrations
  const integration = requested ?? (integrations.length === 1 ? onlyIntegration : undefined)
  if (integration === undefined) return { type: 'list' }
  const { q, category } = query
  const listUrl = integrations.length === 1 ? undefined : buildPageUrl(page, { q, category })
  const requestedMethod = integration.available.find(({ authType }) => authType === query.auth)
  const defaultMethod = getDefaultAuthMethod(integration)
  const authMethod = requestedMethod ?? defaultMethod
  if (authMethod === undefined) return { type: 'auth-methods', integration, back: listUrl }
  const authMethodsUrl =
    authMethod === defaultMethod
      ? listUrl
      : buildPageUrl(page, { integration: integration.definition.key, q, category })
  return {
    type: 'form',
    integration,
    authMethod,
    ...separateGivenFields(page, authMethod.fields),
    back: authMethodsUrl,
    formActionCsp: getFormActionCsp(integrations),
  }
}

/** Separates the fields to fill in from those whose values the connect session gives. */
function separateGivenFields(
  { given, connectSession, storedConfig }: PageContext,
  all: readonly FormField[],
): Pick<FormStep, 'fields' | 'givenConfig' | 'lockedFields'> {
  const isGiven = ({ name }: FormField) => Object.hasOwn(given, name)
  const isVisible = ({ name, isSecret }: FormField) =>
    !isSecret && connectSession?.configFields.some((one) => one.name === name && !one.hidden)
  const givenFields = all.filter(isGiven)
  return {
    fields: all
      .filter((field) => !isGiven(field))
      .map((field) => withStoredValue(field, storedConfig)),
    givenConfig: Object.fromEntries(givenFields.map(({ name }) => [name, given[name] ?? ''])),
    lockedFields: givenFields.filter(isVisible),
  }
}

/**
 * A field of an account that is reconnected, with its stored value: only for the session of this account, in the browser that
 * it is bound to. Both the spec and what was stored must say that the value is no secret. Secrets are always entered again, so
 * that none is sent to a host that the form names (decision 021).
 */
function withStoredValue(
  field: FormField,
  publicConfig: Readonly<Record<string, unknown>> | undefined,
): FormField {
  const initial = field.isSecret ? undefined : toInitial(field, getValue(publicConfig, field))
  return initial === undefined ? field : { ...field, initial, isStored: true }
}

function getValue(config: unknown, { name, group }: FormField): unknown {
  if (group === undefined) return getMember(config, name)
  return getMember(getMember(config, group.name), name.slice(group.name.length + 1))
}

function getMember(value: unknown, name: string): unknown {
  const isObject = typeof value === 'object' && value !== null
  return isObject && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined
}

function toInitial({ kind, options }: FormField, value: unknown): string | undefined {
  if (kind === 'select') {
    const key = value === undefined ? undefined : getOptionKey(value)
    return options.find((option) => option.value === key)?.value
  }
  return ['string', 'number', 'boolean'].includes(typeof value) && value !== ''
    ? String(value)
    : undefined
}

/**
 * The form targets of all offered integrations, not only of the visible one: the script replaces screens within one document,
 * which keeps the CSP of the first response.
 */
export function getFormActionCsp(integrations: readonly IntegrationOption[]): FormActionCsp {
  const authMethods = integrations.flatMap(({ available }) =>
    available.filter(({ kind }) => kind === 'sign_in'),
  )
  const origins = authMethods.flatMap(({ httpOrigin }) => httpOrigin ?? [])
  return { sameOriginOnly: authMethods.length === 0, formOrigins: [...new Set(origins)] }
}

/** The keys of the tools that a list starts with: the one for a first try, then those that products connect most. The others follow by name. */
const POPULAR = [
  'acme_sandbox',
  'salesforce',
  'hubspot',
  'slack',
  'google_drive',
  'google_calendar',
  'microsoft_teams',
  'jira',
  'github',
  'notion',
]

/** The place of an integration among the popular ones; the same for all others. */
function getPopularity(key: string): number {
  const place = POPULAR.indexOf(key)
  return place === -1 ? POPULAR.length : place
}
