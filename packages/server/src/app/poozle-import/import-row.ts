import type { AuthSpecification, InputSpecification, Spec } from '@linchpin/runner'
import type { Caller } from '../../access/auth/caller.ts'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import type { ImportAccountDeps } from '../../accounts/accounts/import-account.ts'
import { LINK, type Link } from '../../connect/links/link.ts'
import {
  createLinkAliasStore,
  insertLink,
  insertLinkAlias,
  isLinkAlias,
} from '../../connect/links/link-store.ts'
import {
  type RecordLinkChangeDeps,
  recordLinkChange,
} from '../../connect/links/record-link-change.ts'
import {
  createCustomCategory,
  isCategory,
  parseCategory,
} from '../../integrations/definitions/category.ts'
import {
  type CreateDefinitionDeps,
  createDefinition,
  deriveDefinitionKey,
} from '../../integrations/definitions/create-definition.ts'
import {
  type Definition,
  type DefinitionId,
  isCatalogueDefinition,
} from '../../integrations/definitions/definition.ts'
import { requireDefinition } from '../../integrations/definitions/find-definition.ts'
import { normalizeSpec } from '../../integrations/definitions/spec/validate-spec.ts'
import { getDefaultOAuthType } from '../../integrations/oauth/spec/parse-oauth-type.ts'
import { createOAuthApp } from '../../integrations/oauth-apps/create-oauth-app.ts'
import { selectIssuingApp } from '../../integrations/oauth-apps/select-oauth-app.ts'
import { validationFailed } from '../../platform/errors.ts'
import type { Database } from '../../platform/storage/database.ts'
import { newId, newLinkId } from '../../platform/storage/id.ts'
import type { KnownBundle } from './known-bundles.ts'
import type {
  PoozleDefinition,
  PoozleLink,
  PoozleOAuthApp,
  PoozleSource,
} from './poozle-source-store.ts'

/** What became of one row of Poozle. Contains no secrets. */
export interface PoozleReportLine {
  readonly kind: 'definition' | 'oauth_app' | 'link' | 'account'
  /** Its id in Poozle. */
  readonly id: string
  /** `found`: an earlier run has stored it. */
  readonly outcome: 'would_import' | 'imported' | 'found' | 'failed'
  /** Its id in Linchpin. */
  readonly newId?: string | undefined
  readonly reason?: string | undefined
  /** What the imported row lacks. */
  readonly warning?: string | undefined
}

export interface ImportPoozleOptions {
  readonly source: PoozleSource
  readonly caller: Caller
  /** The workspace of Poozle, and the one that receives its rows. */
  readonly from: string
  readonly workspaceId: WorkspaceId
  /** Definitions that exist here, by the keys of Poozle's. */
  readonly map: ReadonlyMap<string, string>
  /** The only URLs that the pages of imported links may redirect to; empty: those of the workspace. */
  readonly redirectUrls: readonly string[]
  /** Without it nothing is stored. */
  readonly applies: boolean
  readonly onLine: (line: PoozleReportLine) => void
}

/** The result of a row: its new id, and whether an earlier run has stored it. No id: it would be imported. */
export interface ImportedRow {
  readonly newId: string | undefined
  readonly isFound: boolean
  readonly warning?: string | undefined
}

/** What a definition of Poozle has become. One that has failed is not among them. */
export interface ImportedDefinition {
  readonly row: PoozleDefinition
  /** Undefined in a dry run, if the definition would be created. */
  readonly definitionId: DefinitionId | undefined
  readonly bundle: KnownBundle | undefined
  /** The client of its OAuth app in Poozle, which has not failed. */
  clientId: string | undefined
}

/** By the ids in Poozle. */
export type ImportedDefinitions = ReadonlyMap<string, ImportedDefinition>

/** A row that cannot be imported. */
export class RowError extends Error {}

export interface ImportDefinitionDeps extends CreateDefinitionDeps, ImportAccountDeps {}

/**
 * Downloads the bundle of a definition and creates the definition, unless one is mapped or has the same source URL. A bundle
 * that Poozle has published gets the base URLs and hosts of the catalogue's entry, because the proxy needs them.
 *
 * @param imported the definitions before it
 * @throws RowError, ApiError as `createDefinition`
 */
export async function importDefinition(
  deps: ImportDefinitionDeps,
  { caller, workspaceId, map, applies }: ImportPoozleOptions,
  row: PoozleDefinition,
  bundle: KnownBundle | undefined,
  imported: ImportedDefinitions,
): Promise<ImportedRow> {
  const mapped = map.get(row.key)
  if (mapped !== undefined) {
    const { read } = deps.database
    const definition = await requireDefinition(deps, read, caller, workspaceId, mapped)
    return { newId: definition.definitionId, isFound: true }
  }
  const { name, sourceUrl, integrationType } = row
  const definitions = await deps.definitions.listAll(caller, { workspaceId })
  const existing = definitions.find(
    (one) => one.workspaceId === workspaceId && one.sourceUrl === sourceUrl,
  )
  if (existing !== undefined) return { newId: existing.definitionId, isFound: true }
  if (!applies) {
    const taken = definitions.filter((one) => !isCatalogueDefinition(one)).map(({ key }) => key)
    planDefinition(row, taken, imported)
    return { newId: undefined, isFound: false }
  }
  const summary = definitions.find((one) => isCatalogueDefinition(one) && one.key === bundle?.entry)
  const entry = summary && (await deps.definitions.find(caller, summary.definitionId, workspaceId))
  const input = { name, sourceUrl, integrationType, workspaceId }
  const created = await createDefinition(deps, caller, input, (spec) =>
    completeSpec(spec, bundle, entry?.spec),
  )
  const { integrationDefinitionId } = created
  const definition = await deps.definitions.find(caller, integrationDefinitionId, workspaceId)
  return { newId: integrationDefinitionId, isFound: false, warning: findProxyWarning(definition) }
}

function findProxyWarning(definition: Definition | undefined): string | undefined {
  const { api_base_url, auth_specification = {} } = definition?.spec ?? {}
  const missing = Object.entries(auth_specification).filter(([, auth]) => !auth.api_base_url)
  if (api_base_url || missing.length === 0) return undefined
  const names = missing.map(([name]) => name).join(', ')
  return `the proxy cannot send requests for ${names}: the bundle has no api_base_url`
}

/** What can be known without a download. @throws RowError, ApiError `validation_failed` */
function planDefinition(
  { name, sourceUrl, integrationType }: PoozleDefinition,
  taken: readonly string[],
  imported: ImportedDefinitions,
): void {
  const url = URL.parse(sourceUrl)
  if (url === null || !/^https?:$/.test(url.protocol)) throw new RowError('its sourceUrl is no URL')
  const category = parseCategory('integrationType', integrationType, createCustomCategory)
  if (!isCategory(category)) throw validationFailed(category)
  const key = deriveDefinitionKey(name, newId('def', 0))
  const planned = [...imported.values()]
    .filter((one) => one.definitionId === undefined && one.row.sourceUrl !== sourceUrl)
    .map((one) => deriveDefinitionKey(one.row.name, newId('def', 0)))
  if ([...taken, ...planned].includes(key))
    throw new RowError('another definition has its name: use --map')
}

/**
 * Creates an OAuth app, unless the definition has one.
 *
 * @throws RowError if the definition has an app with another client, which could not refresh the tokens
 */
export async function importOAuthApp(
  deps: ImportDefinitionDeps,
  { caller, workspaceId, applies }: ImportPoozleOptions,
  row: PoozleOAuthApp,
  imported: ImportedDefinitions,
): Promise<ImportedRow> {
  const { integrationOAuthAppName, clientId, clientSecret, scopes } = row
  const target = imported.get(row.integrationDefinitionId)
  if (target === undefined) throw new RowError('its definition was not imported')
  const { definitionId } = target
  if (definitionId === undefined) {
    const planned = findPlannedClientId(imported, target)
    if (planned !== undefined && planned !== clientId) throw new RowError(OTHER_CLIENT)
    return { newId: undefined, isFound: false }
  }
  const { read } = deps.database
  const ids = { workspaceId, definitionId }
  const candidates = await deps.oauthApps.listCandidates(read, caller, ids, null)
  const existing = selectIssuingApp(candidates, {})
  if (existing !== undefined && existing.clientId !== clientId) throw new RowError(OTHER_CLIENT)
  if (existing !== undefined) return { newId: existing.oauthAppId, isFound: true }
  const definition = await requireDefinition(deps, read, caller, workspaceId, definitionId)
  if (getDefaultOAuthType(definition.spec) === undefined)
    throw new RowError('the definition has no OAuth')
  if (!applies) return { newId: undefined, isFound: false }
  const created = await createOAuthApp(deps, caller, {
    integrationDefinitionId: definitionId,
    integrationOAuthAppName,
    clientId,
    ...(clientSecret === '' ? {} : { clientSecret }),
    scopes: scopes
      .split(',')
      .map((scope) => scope.trim())
      .filter(Boolean),
    workspaceId,
  })
  return { newId: created.integrationOAuthAppId, isFound: false }
}

const OTHER_CLIENT = 'the definition has an OAuth app with another client ID'

/** In a dry run, the client of the app that the definition would have: definitions with one source URL become one. */
export function findPlannedClientId(
  imported: ImportedDefinitions,
  { row: { sourceUrl } }: ImportedDefinition,
): string | undefined {
  return [...imported.values()].find(
    (one) => one.row.sourceUrl === sourceUrl && one.clientId !== undefined,
  )?.clientId
}

/**
 * Adds what the spec of a bundle of Poozle lacks: the base URLs and hosts that the proxy needs, if the bundle is known, and
 * a pattern for fields that are hosts. Leaves what the bundle has. A value that is no spec is returned unchanged.
 *
 * @param entry the spec of the catalogue's entry for the bundle
 */
export function completeSpec(
  value: unknown,
  bundle: KnownBundle | undefined,
  entry: Spec | undefined,
): unknown {
  const normalized = normalizeSpec(value)
  if (typeof normalized === 'string' || !isSpecShaped(normalized.spec)) return value
  const { spec } = normalized
  const isKnown = bundle !== undefined && entry !== undefined
  return addHostPatterns(isKnown ? addProxySettings(spec, bundle, entry) : spec)
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

function isSpecShaped(value: unknown): value is Spec {
  const types = (value as { auth_specification?: unknown } | null)?.auth_specification
  return isObject(types) && Object.values(types).every(isObject)
}

function addProxySettings(spec: Spec, bundle: KnownBundle, entry: Spec): Spec {
  if (spec.api_base_url !== undefined) return spec
  const types = Object.entries(spec.auth_specification).map(([name, auth]) => {
    const mapped = bundle.auth[name]?.authType
    const entryAuth = mapped === undefined ? undefined : entry.auth_specification[mapped]
    const url = auth.api_base_url ?? bundle.apiBaseUrl?.[name] ?? entryAuth?.api_base_url
    return [name, url === undefined ? auth : { ...auth, api_base_url: url }] as const
  })
  const endpoints = types.flatMap(([, auth]) => [auth.authorization_url, auth.token_url])
  const hosts = [
    ...(entry['x-hosts'] ?? []),
    ...(bundle.hosts ?? []),
    ...endpoints.flatMap(getHost),
  ]
  const hasHosts = spec['x-hosts'] !== undefined || entry['x-hosts'] === undefined
  return {
    ...spec,
    auth_specification: Object.fromEntries(types),
    ...(hasHosts ? {} : { 'x-hosts': [...new Set(hosts)] }),
  }
}

/** None for a template, whose host the hosts of the entry cover. */
function getHost(url: unknown): string[] {
  const host = typeof url === 'string' ? URL.parse(url)?.hostname : undefined
  return host && /^[a-z0-9.-]+$/.test(host) ? [host] : []
}

/** A field may be the host of a URL only if its spec restricts its values. */
function addHostPatterns(spec: Spec): Spec {
  const urls = [spec, ...Object.values(spec.auth_specification)].flatMap((part) =>
    Object.values(part).filter((value): value is string => typeof value === 'string'),
  )
  const names = new Set(
    urls.flatMap((url) => [...url.matchAll(HOST_FIELD)].flatMap(([, name]) => name ?? [])),
  )
  const { other_inputs: others } = spec
  return {
    ...spec,
    auth_specification: Object.fromEntries(
      Object.entries(spec.auth_specification).map(([name, auth]) => [
        name,
        { ...auth, ...restrict(auth.input_specification, names) },
      ]),
    ) as Record<string, AuthSpecification>,
    ...(others === undefined
      ? {}
      : { other_inputs: { ...others, ...restrict(others.input_specification, names) } }),
  }
}

/** A field that is the whole host of a URL. */
const HOST_FIELD = /^https?:\/\/\$\{([A-Za-z0-9_.-]+)\}(?=[/?:]|$)/g
const HOST_PATTERN = '^[A-Za-z0-9][A-Za-z0-9-]*([.][A-Za-z0-9-]+)+$'

function restrict(
  inputs: InputSpecification | undefined,
  names: ReadonlySet<string>,
): { readonly input_specification?: InputSpecification } {
  if (!isObject(inputs?.properties)) return {}
  const properties = Object.entries(inputs.properties).map(([name, property]) => {
    const isFree =
      isObject(property) && property.pattern === undefined && property.enum === undefined
    return [name, names.has(name) && isFree ? { ...property, pattern: HOST_PATTERN } : property]
  })
  return { input_specification: { ...inputs, properties: Object.fromEntries(properties) } }
}

export interface ImportLinkDeps extends RecordLinkChangeDeps {
  readonly database: Database
  readonly now: () => number
}

/**
 * Creates a link with the restrictions and the expiry of Poozle's, and its old id as an alias, in one transaction. It allows
 * the definitions that Poozle's page shows: its own one, or those of the workspace in its categories.
 *
 * @throws RowError, ApiError `validation_failed`
 */
export async function importLink(
  deps: ImportLinkDeps,
  { caller, workspaceId, applies, redirectUrls }: ImportPoozleOptions,
  row: PoozleLink,
  shown: ShownDefinitions,
): Promise<ImportedRow> {
  const alias = row.linkId
  if (!isLinkAlias(alias)) throw new RowError('its ID is not a UUID')
  const existing = await createLinkAliasStore(deps.database).findByAlias(alias)
  if (existing !== undefined) return { newId: existing, isFound: true }
  // Without its definitions, the link would offer all of them.
  if (shown.imported.length === 0) throw new RowError('none of its definitions was imported')
  const now = deps.now()
  const link = buildLink(row, listIds(shown), { workspaceId, redirectUrls }, now)
  const warning =
    shown.missing.length === 0 ? undefined : `it does not offer ${shown.missing.join(', ')}`
  if (!applies) return { newId: undefined, isFound: false, warning }
  await deps.database.transaction(async (trx) => {
    await insertLink(trx, link)
    await insertLinkAlias(trx, { alias, workspaceId, linkId: link.linkId }, now)
    await recordLinkChange(deps, trx, caller, now, { type: 'link.created', link })
  })
  return { newId: link.linkId, isFound: false, warning }
}

/** The definitions that the page of a link shows in Poozle. */
export interface ShownDefinitions {
  readonly imported: readonly ImportedDefinition[]
  /** The keys of those that have failed. */
  readonly missing: readonly string[]
}

const listIds = ({ imported }: ShownDefinitions) => [
  ...new Set(imported.flatMap(({ definitionId }) => definitionId ?? [])),
]

function buildLink(
  row: PoozleLink,
  definitionIds: readonly DefinitionId[],
  target: Pick<Link, 'workspaceId' | 'redirectUrls'>,
  now: number,
): Link {
  // A link that can expire after no time has expired in Poozle.
  const expiresIn = Math.max(row.expiresIn, 0)
  return LINK.create({
    linkId: newLinkId(),
    ...target,
    name: row.linkName.trim().slice(0, 200) || 'Link',
    canExpire: row.canExpire,
    expiresIn: row.canExpire ? expiresIn : 0,
    expiresAt: row.canExpire ? row.createdAt + expiresIn * 1_000 : null,
    preferOAuth: row.preferOAuth,
    categories: (row.category ?? []).map((key) => {
      const category = parseCategory('category', key, createCustomCategory)
      if (!isCategory(category)) throw validationFailed(category)
      return category
    }),
    definitionIds,
    allowedOrigins: [],
    sessionsOnly: false,
    requireCustomerApp: false,
    scopes: {},
    createdAt: row.createdAt,
    updatedAt: now,
  })
}
