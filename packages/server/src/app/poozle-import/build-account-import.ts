import { isOAuthType } from '../../accounts/accounts/credentials/account-config.ts'
import type { ImportAccount } from '../../accounts/accounts/schemas/import-request.ts'
import {
  type Definition,
  isCatalogueDefinition,
} from '../../integrations/definitions/definition.ts'
import { RowError } from './imported-row.ts'
import { type KnownAuth, type KnownBundle, readField } from './known-bundles.ts'
import type { PoozleAccount } from './poozle-source.ts'

/** The import of an account of Poozle, without its definition and its credentials. @throws RowError */
export function buildAccountImport(
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
export interface SplitConfig extends Pick<ImportAccount, 'authType' | 'config' | 'tokens'> {
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
export function splitConfig(
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
