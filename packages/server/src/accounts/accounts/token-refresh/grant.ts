import type { Spec } from '@linchpin/runner'
import { bindToServer } from '../../../integrations/oauth/discovery/authorization-server.ts'
import {
  type OAuthType,
  parseOAuthType,
} from '../../../integrations/oauth/spec/parse-oauth-type.ts'
import { fillUrlTemplate, TemplateError } from '../../../integrations/oauth/template.ts'
import {
  ANY_ENDPOINT,
  type OAuthClient,
  withClientCredentials,
} from '../../../integrations/oauth/token/client-request.ts'
import type { GrantTokens } from '../../../integrations/oauth/token/revoke-token.ts'
import {
  readNestedTokens,
  type Tokens,
  toNestedFields,
} from '../../../integrations/oauth/token-response/token-result.ts'
import {
  createOAuthClient,
  loadOAuthClient,
  SECRET_REQUIRED,
} from '../../../integrations/oauth-apps/load-oauth-client.ts'
import { type OAuthApp, readServer } from '../../../integrations/oauth-apps/oauth-app.ts'
import type { OAuthAppStore } from '../../../integrations/oauth-apps/oauth-app-store.ts'
import { selectIssuingApp } from '../../../integrations/oauth-apps/select-oauth-app.ts'
import type { Log } from '../../../platform/http/log.ts'
import type { Database } from '../../../platform/storage/database.ts'
import type { Vault } from '../../../platform/vault/vault.ts'
import type { Account } from '../account.ts'
import { decryptConfig } from '../credentials/account-config.ts'
import type { CachedGrant } from './grant-cache.ts'
import type { RefreshedWith } from './refresh-schedule.ts'
import type { FoundAccount, RefreshStore } from './refresh-store.ts'

/**
 * An account's OAuth grant with everything needed to use, refresh and revoke it. Also loaded for accounts without
 * OAuth.
 */
export interface Grant {
  readonly config: Readonly<Record<string, unknown>>
  readonly spec: Spec
  readonly bundleSha256: string
  /** The epoch of definitions at which it was read. */
  readonly epoch: string
  /** Undefined when the auth type does not use OAuth in the current spec. */
  readonly type: OAuthType | undefined
  /** Undefined when the account has no OAuth app. */
  readonly app: OAuthApp | undefined
  readonly client: OAuthClient | undefined
}

/** Valid credentials of an account and the headers that authenticate a request with them. */
export interface AuthHeaders {
  /** The account row at the time the headers were created: `credentialVersion` identifies their credentials. */
  readonly row: Account
  readonly grant: Grant
  /** From the bundle's HEADERS command, else from the header templates of its spec; null when it has neither. */
  readonly headers: Readonly<Record<string, string>> | null
}

/** The configuration that bundles expect: includes the client credentials of the OAuth app. */
export function createBundleConfig({ config, client }: Grant): Record<string, unknown> {
  return withClientCredentials(config, client)
}

/** Reads a string field of the configuration; undefined when it is missing, empty or not a string. */
export function getConfigString(config: Grant['config'], name: string): string | undefined {
  const value = Object.hasOwn(config, name) ? config[name] : undefined
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** What newer tokens of a configuration are requested with; undefined when nothing refreshes them. */
export function getRefreshedWith(
  config: Grant['config'],
  type: Pick<OAuthType, 'exchanges'> | undefined,
): RefreshedWith | undefined {
  if (getConfigString(config, 'refresh_token') !== undefined) return 'refresh_token'
  const isExchangeable = type?.exchanges !== undefined
  return isExchangeable && getConfigString(config, 'access_token') !== undefined
    ? 'access_token'
    : undefined
}

/** Reads all tokens of a configuration. */
export function getGrantTokens(config: Readonly<Record<string, unknown>>): GrantTokens {
  return {
    accessToken: getConfigString(config, 'access_token'),
    refreshToken: getConfigString(config, 'refresh_token'),
    nested: readNestedTokens(config),
  }
}

/** What loads a grant. */
export interface LoadGrantDeps {
  readonly database: Database
  readonly vault: Vault
  readonly oauthApps: OAuthAppStore
  readonly refreshStore: RefreshStore
  readonly log: Log
  readonly now: () => number
}

/**
 * Decrypts the grant of a live account. Reads the client each time, so that a rotated secret takes effect immediately. With the
 * epoch of definitions of a read before it, a definition that was read at that epoch is not read again.
 */
export async function loadGrant(deps: LoadGrantDeps, row: Account, epoch?: string): Promise<Grant> {
  if (row.sealedConfig === null) throw new Error(`account ${row.accountId} has no configuration`)
  const base = await loadDefinition(deps, row, epoch)
  const app =
    row.oauthAppId === null
      ? undefined
      : await deps.oauthApps.findInWorkspace(deps.database.read, row.workspaceId, row.oauthAppId)
  return {
    ...base,
    type: bindAccountType(base.type, row, app),
    config: await decryptConfig(deps.vault, row, row.sealedConfig),
    app,
    client: app && (await loadOAuthClient(deps, app, toSecretUse(row))),
  }
}

/** The grant of an account whose credentials are in memory, decrypted. */
export async function restoreGrant(
  deps: LoadGrantDeps,
  { row, epoch }: FoundAccount,
  { config, app, clientSecret }: CachedGrant,
): Promise<Grant> {
  const base = await loadDefinition(deps, row, epoch)
  const client = app && createOAuthClient(deps, app, clientSecret, toSecretUse(row))
  return { ...base, type: bindAccountType(base.type, row, app), config, app, client }
}

/** The type with the endpoints that the server of an account names. Without them, nothing can be sent. */
function bindAccountType(
  type: OAuthType | undefined,
  { resource }: Account,
  app: OAuthApp | undefined,
): OAuthType | undefined {
  if (type?.discoveredFrom === undefined || resource === null) return type
  const server = app && readServer(app)
  return server === undefined ? type : bindToServer(type, { resource, server })
}

async function loadDefinition({ refreshStore }: LoadGrantDeps, row: Account, epoch?: string) {
  const found = await refreshStore.findDefinition(row, epoch)
  if (found === undefined) throw new Error(`account ${row.accountId} has no definition`)
  const { spec, bundleSha256 } = found.definition
  return { spec, bundleSha256, epoch: found.epoch, type: parseOAuthType(spec, row.authType) }
}

function toSecretUse({ statusReason }: Account) {
  return { isAudited: statusReason === SECRET_REQUIRED }
}

/**
 * Finds the client that may revoke the tokens of an account: the client of its OAuth app, else the client in its own
 * configuration, else the client of the customer's or workspace's OAuth app for the definition, but never of a successor. A wrong guess is harmless: providers
 * refuse a client to which the tokens were not issued (RFC 7009 section 2.1). Undefined when there is no client or
 * nothing to revoke.
 */
export async function getRevocationClient(
  deps: LoadGrantDeps,
  row: Account,
  { type, client, config }: Grant,
): Promise<OAuthClient | undefined> {
  if (type === undefined) return undefined
  if (client !== undefined) return client
  const clientId = getConfigString(config, 'client_id')
  if (clientId !== undefined)
    return getClientFromConfig(clientId, getConfigString(config, 'client_secret'))
  const { read } = deps.database
  const candidates = await deps.oauthApps.listCandidatesInWorkspace(
    read,
    row,
    row.accountIdentifier,
  )
  const app = selectIssuingApp(candidates, {})
  return app && loadOAuthClient(deps, app)
}

/** The secret belongs to the account; changes of the endpoints beside it are restricted on update (decision 021). */
function getClientFromConfig(clientId: string, clientSecret: string | undefined): OAuthClient {
  if (clientSecret === undefined) return { clientId }
  return { clientId, clientSecret, endpoints: ANY_ENDPOINT }
}

/**
 * Merges newly issued tokens, and the other parameters of the token response, into a configuration. Keeps values that
 * the response omits, and never overwrites an input field.
 */
export function mergeTokens(
  config: Readonly<Record<string, unknown>>,
  { accessToken, refreshToken, scope, tokenType, nested, extra }: Tokens,
  isInputField: (name: string) => boolean,
): Record<string, unknown> {
  const inputEntries = Object.entries(config).filter(([name]) => isInputField(name))
  return {
    ...config,
    ...extra,
    ...toNestedFields(nested),
    ...Object.fromEntries(inputEntries),
    access_token: accessToken,
    token_type: tokenType,
    ...(scope ? { scope } : {}),
    ...(refreshToken === undefined ? {} : { refresh_token: refreshToken }),
  }
}

/**
 * Host and port of the endpoint that refreshes the tokens of a grant, such as `login.example.com:443`. Null when the grant has
 * none, or its configuration cannot fill the URL.
 */
export function findTokenHost({
  type,
  client,
  config,
}: Pick<Grant, 'type' | 'client' | 'config'>): string | null {
  if (type === undefined) return null
  try {
    const values = { ...config, client_id: client?.clientId }
    const { exchanges, refreshUrl } = type
    const isExchanged = getRefreshedWith(config, type) === 'access_token'
    const template = (isExchanged ? exchanges?.next.url : undefined) ?? refreshUrl
    const url = new URL(fillUrlTemplate(template, values, type.templateFields))
    return `${url.hostname}:${url.port || (url.protocol === 'http:' ? '80' : '443')}`
  } catch (error) {
    if (error instanceof TemplateError) return null
    throw error
  }
}
