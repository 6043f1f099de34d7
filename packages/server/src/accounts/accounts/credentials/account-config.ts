import {
  type Bundle,
  type BundleCall,
  type FactSpecification,
  type InputProperty,
  normalizeHost,
  type Spec,
  type Tenant,
  type TokenObserver,
} from '@linchpin/runner'
import type { WorkspaceId } from '../../../access/workspaces/workspace.ts'
import type { BundleStore } from '../../../integrations/definitions/bundle-store.ts'
import type { Definition, DefinitionId } from '../../../integrations/definitions/definition.ts'
import { isDeclaredSecret } from '../../../integrations/definitions/spec/spec-schema.ts'
import { parseOAuthType } from '../../../integrations/oauth/spec/parse-oauth-type.ts'
import { fillHeaderTemplate, TemplateError } from '../../../integrations/oauth/template.ts'
import {
  guardSecret,
  type OAuthClient,
  type SecretGuard,
  withClientCredentials,
} from '../../../integrations/oauth/token/client-request.ts'
import { ApiError, fieldError, validationFailed } from '../../../platform/errors.ts'
import type { Id } from '../../../platform/storage/id.ts'
import type { Vault } from '../../../platform/vault/vault.ts'
import type { Account } from '../account.ts'
import { type ConfigFields, trimConfig, type ValidateConfig } from './validate-config.ts'

export interface PrepareConfigDeps {
  readonly validateConfig: ValidateConfig
  readonly bundles: BundleStore
}

/** A configuration that matches its spec, ready for CHECK. */
export interface PreparedConfig extends CheckParams {
  readonly fields: ConfigFields
  readonly definitionId: DefinitionId
  /** The facts that the auth type asks for after CHECK, and the values that the configuration names for them. */
  readonly facts: readonly FactSpecification[]
  readonly selectedFacts: Readonly<Record<string, unknown>>
  /** Whether the auth type has a token endpoint, which the bundle may call itself. */
  readonly hasTokenUrl: boolean
}

/** The workspace and link that the account belongs to. */
export interface ConfigContext {
  readonly workspaceId: WorkspaceId
  readonly linkId?: Id<'lnk'> | null
  /** Rejects auth types without OAuth sign-in. */
  readonly oauthOnly?: boolean
  /** The fields to validate. Default: all of the auth type. */
  readonly selectFields?: (fields: ConfigFields) => ConfigFields
}

/**
 * Trims a configuration, and validates it against the definition's spec before any bundle code sees it. `authType` inside
 * a configuration is reserved, so the caller's value is dropped. A value for a fact selects one: the provider decides whether it exists.
 *
 * @throws ApiError `auth_type_not_allowed`, `validation_failed`
 */
export async function prepareConfig(
  deps: PrepareConfigDeps,
  { definitionId, bundleSha256, spec }: Pick<Definition, 'definitionId' | 'bundleSha256' | 'spec'>,
  authType: string,
  input: Readonly<Record<string, unknown>>,
  context: ConfigContext,
): Promise<PreparedConfig> {
  const fields = listConfigFields(spec, authType)
  if (fields === undefined || (context.oauthOnly && !isOAuthType(spec, authType)))
    throw createAuthTypeNotAllowedError(spec, context.oauthOnly ?? false)
  const facts = listFacts(spec, authType)
  const { rest, selection } = splitFacts(facts, input)
  const config = trimConfig(fields, rest)
  const { workspaceId, linkId } = context
  const tenant = { workspaceId, definitionId, linkId: linkId ?? undefined }
  await deps.validateConfig(context.selectFields?.(fields) ?? fields, config, tenant)
  assertHeadersFillable(spec, authType, config)
  return {
    definitionId,
    tenant,
    bundle: { sha256: bundleSha256, load: () => deps.bundles.load(bundleSha256) },
    hosts: spec['x-hosts'],
    authType,
    config,
    fields,
    facts,
    selectedFacts: selection,
    hasTokenUrl: Boolean(spec.auth_specification[authType]?.token_url),
  }
}

/** Tokens that a provider has issued, ready for CHECK. */
export interface PreparedTokens
  extends CheckParams,
    Pick<PreparedConfig, 'facts' | 'selectedFacts'> {
  /** The configuration without the client of the OAuth app, which is not stored with the account. */
  readonly ownConfig: Readonly<Record<string, unknown>>
}

/** What tokens were issued to. */
export interface TokensContext {
  readonly tenant: AccountTenant
  /** The resource of the server that was discovered; undefined if the spec names it. */
  readonly resource: string | undefined
  readonly client: OAuthClient
}

/**
 * The counterpart of `prepareConfig` for tokens and other values that a provider has issued to a client, which are not validated.
 *
 * @throws TemplateError if no header of the auth type can carry one of them
 */
export function prepareTokens(
  { bundles }: Pick<PrepareConfigDeps, 'bundles'>,
  { bundleSha256, spec }: Pick<Definition, 'bundleSha256' | 'spec'>,
  authType: string,
  issued: Readonly<Record<string, unknown>>,
  { tenant, resource, client }: TokensContext,
): PreparedTokens {
  const facts = listFacts(spec, authType)
  const { rest: ownConfig, selection: selectedFacts } = splitFacts(facts, issued)
  const config = withClientCredentials(ownConfig, client)
  const secret = guardSecret(client)
  const error = findHeaderError(spec, authType, config)
  if (error !== undefined) throw error
  return {
    bundle: { sha256: bundleSha256, load: () => bundles.load(bundleSha256) },
    tenant,
    hosts: listTokenHosts(spec, resource),
    authType,
    config,
    ownConfig,
    facts,
    selectedFacts,
    secret,
  }
}

/** The facts that an auth type asks for. */
export function listFacts(spec: Spec, authType: string): readonly FactSpecification[] {
  if (!Object.hasOwn(spec.auth_specification, authType)) return []
  return spec.auth_specification[authType]?.['x-facts'] ?? []
}

/** A configuration without `authType` and facts, and the values that it has for facts. */
export function splitFacts(
  facts: readonly FactSpecification[],
  { authType: _reserved, ...config }: Readonly<Record<string, unknown>>,
) {
  if (facts.length === 0) return { rest: config, selection: {} }
  const names = new Set(facts.map(({ name }) => name))
  const pick = (isFact: boolean) =>
    Object.fromEntries(Object.entries(config).filter(([name]) => names.has(name) === isFact))
  return { rest: pick(false), selection: pick(true) }
}

/** @throws ApiError `validation_failed` if no header of the auth type can carry a value */
export function assertHeadersFillable(
  spec: Spec,
  authType: string,
  config: Readonly<Record<string, unknown>>,
): void {
  const error = findHeaderError(spec, authType, config)
  if (error !== undefined)
    throw validationFailed(fieldError(`config.${error.field}`, 'invalid', error.message))
}

/**
 * The first value that no header of the auth type can carry: CHECK could accept it, and every use of the account would
 * fail. Values that are missing may come from sign-in.
 */
function findHeaderError(
  spec: Spec,
  authType: string,
  config: Readonly<Record<string, unknown>>,
): TemplateError | undefined {
  for (const template of Object.values(spec.auth_specification[authType]?.headers ?? {})) {
    try {
      fillHeaderTemplate(String(template), config)
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error
      if (!error.isMissing && error.field !== undefined) return error
    }
  }
  return undefined
}

function createAuthTypeNotAllowedError(spec: Spec, oauthOnly: boolean): ApiError {
  const allowed = Object.keys(spec.auth_specification).filter(
    (authType) => !oauthOnly || isOAuthType(spec, authType),
  )
  const message =
    allowed.length === 0
      ? 'This link requires OAuth, which this integration does not support.'
      : `Must be one of ${allowed.map((name) => JSON.stringify(name)).join(', ')}.`
  return new ApiError('auth_type_not_allowed', `authType: ${message}`, {
    errors: fieldError('authType', 'not_allowed', message),
  })
}

/** The fields of an auth type, with names as in the spec; undefined if the spec has no such type. */
export function listConfigFields(spec: Spec, authType: string): ConfigFields | undefined {
  if (!Object.hasOwn(spec.auth_specification, authType)) return undefined
  const specifications = [
    spec.auth_specification[authType]?.input_specification,
    spec.other_inputs?.input_specification,
  ]
  return {
    properties: mergeProperties(
      specifications.flatMap((specification) => Object.entries(specification?.properties ?? {})),
    ),
    required: specifications.flatMap((specification) => specification?.required ?? []),
    declaresRequired: specifications.some((specification) => specification?.required !== undefined),
  }
}

/** Whether an auth type uses OAuth with an authorization page, as `preferOAuth` requires. */
export function isOAuthType(spec: Spec, authType: string): boolean {
  return parseOAuthType(spec, authType) !== undefined
}

/**
 * The hosts that code with the tokens of an account may call: those of the spec, unless a server was discovered, which alone gets
 * them (RFC 8707 section 2).
 */
export function listTokenHosts(
  spec: Spec,
  resource: string | null | undefined,
): readonly string[] | undefined {
  return resource == null ? spec['x-hosts'] : [normalizeHost(new URL(resource).hostname)]
}

/** A field that is declared twice is secret if either declaration marks it so. */
function mergeProperties(
  fields: readonly [string, InputProperty][],
): ReadonlyMap<string, InputProperty> {
  const properties = new Map<string, InputProperty>()
  for (const [name, property] of fields) {
    const existing = properties.get(name)
    properties.set(name, existing === undefined ? property : mergeProperty(existing, property))
  }
  return properties
}

function mergeProperty(one: InputProperty, other: InputProperty): InputProperty {
  const isSecret = isDeclaredSecret(one) || isDeclaredSecret(other)
  return { ...one, ...other, ...(isSecret ? { 'x-secret': true } : {}) }
}

/**
 * The fields of a configuration that responses may show. A field is secret unless the spec declares it and either
 * marks it `x-secret: false` or gives it a public name. Password and write-only fields are always secret, and so are access and
 * refresh tokens.
 */
export function redactConfig(
  config: Readonly<Record<string, unknown>>,
  fields: ConfigFields,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(config).filter(([name, value]) => {
      const property = fields.properties.get(name)
      return property !== undefined && isPublic(name, property) && isPrimitive(value)
    }),
  )
}

function isPublic(name: string, property: InputProperty): boolean {
  if (/(?:access|refresh)_?token$/i.test(name)) return false
  if (property.format === 'password' || property.writeOnly === true) return false
  const secretFlag = property['x-secret']
  if (typeof secretFlag === 'boolean') return !secretFlag
  return PUBLIC_NAMES.has(name) || /_(?:domain|region)$/.test(name)
}

/** Objects and arrays could contain a secret. */
function isPrimitive(value: unknown): boolean {
  return value === null || typeof value !== 'object'
}

/** Names of fields that are public by default. Exact and few: think before you add one. */
const PUBLIC_NAMES = new Set([
  'client_id',
  'scope',
  'scopes',
  'org',
  'organisation',
  'organization',
  'domain',
  'subdomain',
  'region',
  'site',
  'host',
  'base_url',
  'workspace',
  'account_id',
  'email',
  'username',
])

type AccountIds = Pick<Account, 'workspaceId' | 'accountId'>

/** The context that an encrypted configuration is bound to: it cannot be decrypted in another row. */
export function createEncryptionContext(row: AccountIds) {
  return {
    table: 'accounts',
    column: 'sealed_config',
    workspaceId: row.workspaceId,
    rowId: row.accountId,
  }
}

/** Decrypts the complete configuration, including secrets. @throws VaultError if the value was modified or moved */
export async function decryptConfig(
  vault: Vault,
  row: AccountIds,
  sealed: Uint8Array,
): Promise<Record<string, unknown>> {
  return JSON.parse(await vault.openText(createEncryptionContext(row), sealed)) as Record<
    string,
    unknown
  >
}

/** The tenant on whose behalf a bundle runs. */
export type AccountTenant = Tenant & {
  readonly workspaceId: WorkspaceId
  readonly linkId?: Id<'lnk'> | undefined
}

/** The input of a bundle command that uses credentials: CHECK, HEADERS or IDENTITY. `hosts` comes from the spec. */
export interface CheckParams {
  readonly bundle: Bundle
  readonly tenant: AccountTenant
  readonly hosts: readonly string[] | undefined
  readonly authType: string
  readonly config: Readonly<Record<string, unknown>>
  /** Observes the tokens that the bundle obtains. */
  readonly tokens?: TokenObserver
  /** Withholds the client secret in the configuration from hosts other than those of its OAuth app. */
  readonly secret?: SecretGuard | undefined
  /** Receives the requests of the bundle. */
  readonly onExchange?: BundleCall['onExchange']
}

/** The tenant of an account or of an OAuth session. */
export function getRunnerTenant({
  workspaceId,
  definitionId,
  linkId,
  accountId,
}: Pick<Account, 'workspaceId' | 'definitionId' | 'linkId'> &
  Partial<Pick<Account, 'accountId'>>): AccountTenant {
  return { workspaceId, definitionId, linkId: linkId ?? undefined, accountId }
}
