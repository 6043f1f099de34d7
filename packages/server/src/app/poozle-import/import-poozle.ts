import { isOAuthType } from '../../accounts/accounts/credentials/account-config.ts'
import {
  deriveAccountId,
  type ImportAccount,
  importAccount,
  planImport,
} from '../../accounts/accounts/import-account.ts'
import type { LinkId } from '../../connect/links/link.ts'
import {
  type Definition,
  isCatalogueDefinition,
} from '../../integrations/definitions/definition.ts'
import { selectIssuingApp } from '../../integrations/oauth-apps/select-oauth-app.ts'
import { ApiError } from '../../platform/errors.ts'
import { StorageError } from '../../platform/storage/storage-error.ts'
import {
  findPlannedClientId,
  type ImportDefinitionDeps,
  type ImportedDefinition,
  type ImportedDefinitions,
  type ImportedRow,
  type ImportLinkDeps,
  type ImportPoozleOptions,
  importDefinition,
  importLink,
  importOAuthApp,
  type PoozleReportLine,
  RowError,
  type ShownDefinitions,
} from './import-row.ts'
import { findKnownBundle, type KnownAuth, type KnownBundle, readField } from './known-bundles.ts'
import type { PoozleAccount, PoozleDefinition, PoozleLink } from './poozle-source-store.ts'

export interface ImportPoozleDeps extends ImportDefinitionDeps, ImportLinkDeps {}

/**
 * Imports the definitions, OAuth apps, links and accounts of a workspace of Poozle, in this order. Safe to repeat: a
 * definition is found by its source URL, a link by its old id, an account by its external id. A row that fails is
 * reported, and so are the rows that need it; the others are imported.
 */
export async function importPoozle(
  deps: ImportPoozleDeps,
  options: ImportPoozleOptions,
): Promise<void> {
  const { source, from } = options
  const definitions = await source.listDefinitions(from)
  const imported = await importDefinitions(deps, options, definitions)
  for (const app of await source.listOAuthApps(from)) {
    const { integrationOAuthAppId: id, integrationDefinitionId } = app
    const row = await report(options, 'oauth_app', id, () =>
      importOAuthApp(deps, options, app, imported),
    )
    const target = imported.get(integrationDefinitionId)
    if (row !== undefined && target !== undefined) target.clientId = app.clientId
  }
  const linkIds = new Map<string, LinkId | undefined>()
  for (const link of await source.listLinks(from)) {
    const shown = listShown(link, from, definitions, imported)
    const row = await report(options, 'link', link.linkId, () =>
      importLink(deps, options, link, shown),
    )
    if (row !== undefined) linkIds.set(link.linkId, row.newId as LinkId | undefined)
  }
  for await (const account of source.listAccounts(from))
    await report(options, 'account', account.integrationAccountId, () =>
      importPoozleAccount(deps, options, account, imported, linkIds),
    )
}

async function importDefinitions(
  deps: ImportPoozleDeps,
  options: ImportPoozleOptions,
  rows: readonly PoozleDefinition[],
): Promise<Map<string, ImportedDefinition>> {
  const imported = new Map<string, ImportedDefinition>()
  for (const row of rows) {
    const { integrationDefinitionId: id } = row
    const bundle = findKnownBundle(row)
    const result = await report(options, 'definition', id, () =>
      importDefinition(deps, options, row, bundle, imported),
    )
    if (result === undefined) continue
    const definitionId = result.newId as ImportedDefinition['definitionId']
    imported.set(id, { row, definitionId, bundle, clientId: undefined })
  }
  return imported
}

/** As Poozle's page: the definition of the link, else those of its workspace in its categories. */
function listShown(
  { integrationDefinitionId, category }: PoozleLink,
  workspaceId: string,
  definitions: readonly PoozleDefinition[],
  imported: ImportedDefinitions,
): ShownDefinitions {
  const shown = definitions.filter((one) =>
    integrationDefinitionId === null
      ? one.workspaceId === workspaceId &&
        (!category?.length || category.includes(one.integrationType))
      : one.integrationDefinitionId === integrationDefinitionId,
  )
  return {
    imported: shown.flatMap((one) => imported.get(one.integrationDefinitionId) ?? []),
    missing: shown
      .filter((one) => !imported.has(one.integrationDefinitionId))
      .map(({ key }) => key),
  }
}

/** Reports a row. Returns undefined if it has failed. */
async function report(
  { onLine }: ImportPoozleOptions,
  kind: PoozleReportLine['kind'],
  id: string,
  work: () => Promise<ImportedRow>,
): Promise<ImportedRow | undefined> {
  try {
    const row = await work()
    const { newId, isFound, warning } = row
    const outcome = isFound ? 'found' : newId === undefined ? 'would_import' : 'imported'
    onLine({ kind, id, outcome, newId, warning })
    return row
  } catch (error) {
    onLine({ kind, id, outcome: 'failed', reason: describe(error) })
    return undefined
  }
}

/** Codes and names of fields, never values. @throws StorageError */
function describe(error: unknown): string {
  if (error instanceof ApiError) return [error.code, ...Object.keys(error.errors)].join(' ')
  if (error instanceof RowError) return error.message
  // The database would fail for the next row as well; an unexpected value would not.
  if (error instanceof StorageError || !(error instanceof Error)) throw error
  return `internal_error ${error.name}`
}

async function importPoozleAccount(
  deps: ImportPoozleDeps,
  options: ImportPoozleOptions,
  account: PoozleAccount,
  imported: ImportedDefinitions,
  linkIds: ReadonlyMap<string, LinkId | undefined>,
): Promise<ImportedRow> {
  const { caller, workspaceId, applies } = options
  const body = buildAccountImport(account)
  const accountId = deriveAccountId(workspaceId, body.externalId)
  if ((await deps.accounts.find(caller, accountId)) !== undefined)
    return { newId: accountId, isFound: true }
  const target = imported.get(account.integrationDefinitionId)
  if (target === undefined) throw new RowError('its definition was not imported')
  const { definitionId, bundle } = target
  const { linkId } = account
  const link = linkId !== null && linkIds.has(linkId) ? linkIds.get(linkId) : null
  const warnings = linkId !== null && link === null ? ['its link was not imported'] : []
  if (definitionId === undefined) {
    const planned = findPlannedClientId(imported, target)
    const clientId = account.integrationConfiguration?.client_id
    if (typeof clientId === 'string' && planned !== undefined) assertClient(clientId, planned)
    return createRow(undefined, warnings)
  }
  const definition = await deps.definitions.find(caller, definitionId, workspaceId)
  if (definition === undefined) throw new RowError('its definition was not imported')
  const { unused, clientId, ...credentials } = splitConfig(account, definition, bundle)
  if (unused.length > 0) warnings.push(`unused: ${unused.join(', ')}`)
  const ids = { workspaceId, integrationDefinitionId: definitionId }
  const input: ImportAccount = { ...body, ...credentials, ...ids }
  const { accountIdentifier } = account
  const client = { ...credentials, clientId, unused, accountIdentifier }
  await assertOwnClient(deps, options, definition, client, target)
  if (!applies) {
    await planAccount(deps, options, definition, input, target)
    return createRow(undefined, warnings)
  }
  await importAccount(deps, caller, input, link ?? null)
  return createRow(accountId, warnings)
}

const createRow = (newId: string | undefined, warnings: readonly string[]): ImportedRow => ({
  newId,
  isFound: false,
  warning: warnings.join('; ') || undefined,
})

/**
 * The token endpoint must never receive a refresh token with another client: it refuses it, and some providers then end
 * the grant.
 *
 * @throws RowError
 */
async function assertOwnClient(
  { oauthApps, database }: ImportPoozleDeps,
  { caller, workspaceId }: ImportPoozleOptions,
  { definitionId }: Definition,
  { tokens, clientId, accountIdentifier }: SplitConfig & Pick<PoozleAccount, 'accountIdentifier'>,
  { clientId: plannedClientId }: ImportedDefinition,
): Promise<void> {
  if (tokens?.refreshToken == null) return
  const ids = { workspaceId, definitionId }
  const candidates = await oauthApps.listCandidates(database.read, caller, ids, accountIdentifier)
  const app = selectIssuingApp(candidates, {})
  const expected = app?.clientId ?? plannedClientId
  if (expected === undefined) return
  if (clientId === undefined)
    throw new RowError('it has no client_id, so the OAuth client of its refresh token is unknown')
  assertClient(clientId, expected)
}

function assertClient(clientId: string, expected: string): void {
  if (clientId.trim() !== expected)
    throw new RowError('its OAuth client is not that of the OAuth app of its definition')
}

/** Validates what an import validates before it stores the account. @throws ApiError as `planImport` */
async function planAccount(
  deps: ImportPoozleDeps,
  { caller, workspaceId }: ImportPoozleOptions,
  definition: Definition,
  input: ImportAccount,
  { clientId }: ImportedDefinition,
): Promise<void> {
  await planImport(deps, caller, definition, workspaceId, input).catch((error: unknown) => {
    // In a dry run, the app of the definition is not here yet.
    const isPlanned = clientId !== undefined
    if (isPlanned && error instanceof ApiError && error.code === 'oauth_app_missing') return
    throw error
  })
}

/** The import of an account of Poozle, without its definition and its credentials. @throws RowError */
function buildAccountImport(
  account: PoozleAccount,
): Omit<ImportAccount, 'integrationDefinitionId' | 'workspaceId' | 'config' | 'tokens'> {
  const { integrationAccountId: id, authType, createdAt, accountIdentifier } = account
  // A shortened identifier could be that of another customer.
  if (accountIdentifier !== null && accountIdentifier.length > MAX_IDENTIFIER)
    throw new RowError('its accountIdentifier has more than 255 characters')
  return {
    externalId: `poozle:${id}`,
    integrationAccountName: account.integrationAccountName.trim().slice(0, 200) || id,
    authType,
    createdAt: new Date(Math.min(createdAt, Date.now())).toISOString(),
    tags: { 'poozle.account_id': id },
    ...(accountIdentifier ? { accountIdentifier } : {}),
  }
}

const MAX_IDENTIFIER = 255

/** The credentials of an account. */
interface SplitConfig extends Pick<ImportAccount, 'authType' | 'config' | 'tokens'> {
  /** The OAuth client of its refresh token; undefined if the configuration has no `client_id`. */
  readonly clientId: string | undefined
  /** Names of members that the definition has no field for. */
  readonly unused: readonly string[]
}

/**
 * The credentials of an account. Poozle stores the tokens of a sign-in, and the client of its OAuth app, among the fields
 * of the configuration; here the tokens are apart, and the OAuth app has the client. A definition of the catalogue receives
 * them under its own names.
 *
 * @throws RowError
 */
function splitConfig(
  account: PoozleAccount,
  definition: Pick<Definition, 'key' | 'spec' | 'latestVersion'>,
  bundle: KnownBundle | undefined,
): SplitConfig {
  const { spec } = definition
  const config = account.integrationConfiguration ?? {}
  if (typeof config !== 'object' || Array.isArray(config))
    throw new RowError('its configuration is not an object')
  const isEntry = isCatalogueDefinition(definition) && definition.key === bundle?.entry
  const known = isEntry ? bundle?.auth[account.authType] : undefined
  const authType = known?.authType ?? account.authType
  if (!isOAuthType(spec, authType))
    return { ...mapFields(config, known), authType, clientId: undefined }
  const { access_token, refresh_token, scope, token_type, client_id, client_secret, ...fields } =
    config
  const tokens = {
    ...pickText('accessToken', access_token),
    ...pickText('refreshToken', refresh_token),
    ...pickText('scope', scope),
    ...pickText('tokenType', token_type),
  }
  const clientId = typeof client_id === 'string' ? client_id.trim() || undefined : undefined
  return { ...mapFields(fields, known), authType, tokens, clientId }
}

function mapFields(
  config: Readonly<Record<string, unknown>>,
  known: KnownAuth | undefined,
): { readonly config: Record<string, unknown>; readonly unused: string[] } {
  if (known === undefined) return { config: { ...config }, unused: [] }
  const used = Object.values(known.fields).map((source) =>
    typeof source === 'string' ? source : source.from,
  )
  const fields = Object.entries(known.fields).flatMap(([field, source]) => {
    const value = readField(source, config)
    return value === undefined ? [] : [[field, value] as const]
  })
  const unused = Object.keys(config).filter((name) => !used.includes(name))
  return { config: Object.fromEntries(fields), unused }
}

function pickText<K extends string>(name: K, value: unknown): { [key in K]?: string } {
  return typeof value === 'string' && value !== ''
    ? ({ [name]: value } as { [key in K]: string })
    : {}
}
