import { isDeepStrictEqual } from 'node:util'
import { findRefreshTokens, getJwtExpiry, stringEntries } from '@linchpin/runner'
import type { Caller } from '../../access/auth/caller.ts'
import type { DestinationChange } from '../../access/auth/stored-secrets.ts'
import type { Definition } from '../../integrations/definitions/definition.ts'
import { requireDefinition } from '../../integrations/definitions/find-definition.ts'
import { parseOAuthType } from '../../integrations/oauth/spec/parse-oauth-type.ts'
import {
  guardSecret,
  type OAuthClient,
  withClientCredentials,
} from '../../integrations/oauth/token/client-request.ts'
import {
  type LoadOAuthClientDeps,
  loadOAuthClient,
} from '../../integrations/oauth-apps/load-oauth-client.ts'
import type { OAuthAppStore } from '../../integrations/oauth-apps/oauth-app-store.ts'
import type { Database } from '../../platform/storage/database.ts'
import type { Vault } from '../../platform/vault/vault.ts'
import {
  type Account,
  type AccountFacts,
  type AccountUpdate,
  acceptedAt,
  NON_REFRESHABLE_DEFAULTS,
} from './account.ts'
import type { CreateAccountDeps } from './create-account.ts'
import {
  createEncryptionContext,
  decryptConfig,
  listConfigFields,
  type PrepareConfigDeps,
  type PreparedConfig,
  prepareConfig,
  redactConfig,
  splitFacts,
} from './credentials/account-config.ts'
import {
  assertChangeAllowed,
  type ConfigMerge,
  compareConfig,
  listMissingConfigSecrets,
} from './credentials/config-change.ts'
import { trimConfig } from './credentials/validate-config.ts'
import type { UpdateAccount } from './schemas.ts'
import { acquireLeaseBlocking, LEASE_CLEARED, withLease } from './token-refresh/acquire-lease.ts'
import { refreshBeforeCheck } from './token-refresh/get-valid-credentials.ts'
import { getConfigString, getRefreshedWith } from './token-refresh/grant.ts'
import type { RefreshDeps } from './token-refresh/refresh-deps.ts'
import { createAccountPendingError } from './token-refresh/refresh-errors.ts'
import { getTokenTiming, type RefreshedWith } from './token-refresh/refresh-schedule.ts'
import { fetchTokens } from './token-refresh/request-token.ts'
import { loadOrphanedGrant, revokeOrphanedTokens } from './token-refresh/revocation/revoke-grant.ts'
import { buildObservedColumns } from './token-refresh/save-refresh-result.ts'
import {
  type CheckConfigOptions,
  type CheckedConfig,
  checkConfig,
  getSender,
  type LatestConfig,
} from './verification/check-config.ts'
import { type FactSelection, toFacts } from './verification/run-check.ts'

export interface UpdateCredentialsDeps extends CreateAccountDeps, RefreshDeps {}

/** Stores credentials, and deletes the tokens stored for them during verification. */
export type StoreCredentials = (
  row: Account,
  credentials: AccountUpdate,
  verified: CheckedConfig,
) => Promise<void>

/**
 * Verifies changed credentials and stores them in place of the old ones. If an OAuth app refreshes the account, its
 * client replaces the one in the configuration, as in every other use. If tokens could be refreshed concurrently, all
 * of this happens under the account's lease: a refresh token must not be used twice.
 *
 * @param store receives the account as it was when its credentials were read
 * @throws ApiError as `checkConfig`, `planCredentialUpdate`, `assertUpdateAllowed` and `refreshBeforeCheck`;
 * `unknown_reference`, `account_pending`
 */
export async function updateCredentials(
  deps: UpdateCredentialsDeps,
  caller: Caller,
  snapshot: Account,
  input: UpdateAccount,
  store: StoreCredentials,
): Promise<void> {
  if (snapshot.status === 'pending') throw createAccountPendingError()
  const { workspaceId, definitionId } = snapshot
  const { read } = deps.database
  const definition = await requireDefinition(deps, read, caller, workspaceId, definitionId)
  const verifyAndStore = async (row: Account, plan: PlannedCredentialUpdate) => {
    await using verified = await verifyChange(deps, caller, row, definition, plan)
    await store(row, await buildUpdatedCredentials(deps, row, definition, plan, verified), verified)
    if (plan.authType !== row.authType) await revokePreviousGrant(deps, row)
  }
  const plan = await planCredentialUpdate(deps, definition, snapshot, input)
  await assertUpdateAllowed(deps, caller, snapshot, plan)
  if (!mayRefresh(definition, snapshot, plan)) return verifyAndStore(snapshot, plan)
  if (areTokensReused(snapshot, input)) await refreshBeforeCheck(deps, snapshot)
  const lease = await acquireLeaseBlocking(deps, snapshot)
  return withLease(lease, async () => {
    // Re-plan: another request may have stored other secrets before we acquired the lease.
    const currentPlan = await planCredentialUpdate(deps, definition, lease.row, input)
    await assertUpdateAllowed(deps, caller, lease.row, currentPlan, true)
    await verifyAndStore(lease.row, currentPlan)
  })
}

/** Whether CHECK will use the stored tokens. */
function areTokensReused(snapshot: Account, { authType, config }: UpdateAccount): boolean {
  const isSameType = (authType ?? snapshot.authType) === snapshot.authType
  return isSameType && config?.access_token == null && config?.refresh_token == null
}

/** A change of the auth type leaves the tokens of the previous grant without an owner. */
async function revokePreviousGrant(deps: UpdateCredentialsDeps, row: Account): Promise<void> {
  const orphaned = { subject: row.accountId, open: () => loadOrphanedGrant(deps, row) }
  await revokeOrphanedTokens(deps, orphaned)
}

/**
 * Runs CHECK, which must accept the change. For a refresh token sent without an access token, fetches the access token first, because
 * most integrations need one for CHECK. Tokens that replace stored ones are stored with the account at once: the old
 * ones no longer work, whatever CHECK returns.
 */
async function verifyChange(
  deps: UpdateCredentialsDeps,
  caller: Caller,
  row: Account,
  { spec }: Definition,
  { authType, stored, prepared, client, isNewGrant, facts }: PlannedCredentialUpdate,
): Promise<CheckedConfig> {
  const type = parseOAuthType(spec, authType)
  const options: CheckConfigOptions = {
    sender: getSender(caller),
    mustBeAccepted: true,
    facts,
    async fetchInitialTokens(config) {
      const lacksAccessToken = isNewGrant && getConfigString(config, 'access_token') === undefined
      return lacksAccessToken
        ? fetchTokens(deps, { type, client, config }, prepared.tenant)
        : undefined
    },
    async storeWithAccount(tokens) {
      if (!stringEntries(stored).some(([, text]) => text === tokens.configuredToken)) return false
      const grant = { spec, type, config: stored }
      const columns = await buildObservedColumns(deps, row, grant, [tokens], deps.now())
      return deps.database.transaction((trx) => deps.accounts.update(trx, caller, row, columns))
    },
  }
  return checkConfig(deps, prepared, options)
}

/** Whether CHECK, or a concurrent use of the account, may refresh tokens. */
function mayRefresh({ spec }: Definition, row: Account, plan: PlannedCredentialUpdate): boolean {
  const { auth_specification: types } = spec
  if (Object.hasOwn(types, row.authType) && types[row.authType]?.token_url) return true
  return row.sealedHeaders !== null || findRefreshTokens([plan.stored, plan.merged]).length > 0
}

type Config = Readonly<Record<string, unknown>>

/**
 * The columns of an account after CHECK accepted its changed credentials. `newest` includes tokens that CHECK
 * obtained.
 */
async function buildUpdatedCredentials(
  deps: { readonly vault: Vault; readonly now: () => number },
  row: Account,
  { spec }: Definition,
  { authType, keepsAuthType, stored, merged, prepared, client }: PlannedCredentialUpdate,
  newest: CheckedConfig,
): Promise<AccountUpdate> {
  const config = client === undefined ? newest.config : withOwnClient(newest.config, merged)
  return {
    ...(keepsAuthType
      ? refreshColumns(deps.now(), row, stored, {
          ...newest,
          config,
          refreshedWith: getRefreshedWith(config, parseOAuthType(spec, authType)),
        })
      : NON_REFRESHABLE_DEFAULTS),
    ...(keepsAuthType ? {} : { tokenExpiresAt: newest.expiresAt }),
    facts: newest.facts,
    // The new credentials may be those of another user.
    ...(row.oauthAppId === null && !isDeepStrictEqual(stored, config)
      ? { identityId: null, identityLabel: null }
      : {}),
    ...LEASE_CLEARED,
    ...acceptedAt(deps.now()),
    authType: authType,
    publicConfig: redactConfig(config, prepared.fields),
    sealedConfig: await deps.vault.seal(createEncryptionContext(row), JSON.stringify(config)),
    sealedHeaders: null,
    credentialVersion: row.credentialVersion + 1,
  }
}

/**
 * The credentials work, so the account becomes active and the refresh state of the old ones is reset. But once the
 * token endpoint has rejected the grant, only different tokens reactivate the account.
 */
function refreshColumns(
  now: number,
  row: Account,
  stored: Config,
  {
    config,
    refreshedWith,
    isRefreshed,
    expiresAt,
  }: LatestConfig & { readonly refreshedWith: RefreshedWith | undefined },
): AccountUpdate {
  const isRefreshable = row.oauthAppId !== null
  const isSame = ['access_token', 'refresh_token'].every((name) => stored[name] === config[name])
  const lacksAccessToken =
    isRefreshable &&
    refreshedWith === 'refresh_token' &&
    getConfigString(config, 'access_token') === undefined
  const isUnchanged = isSame && !isRefreshed
  if (isRefreshable && isUnchanged && row.status === 'needs_reauth') return {}
  const ownExpiry = getJwtExpiry(getConfigString(config, 'access_token') ?? '') ?? null
  const knownExpiry = isUnchanged ? row.tokenExpiresAt : (expiresAt ?? ownExpiry)
  // Expired: the first use must fetch an access token.
  const accessTokenExpiry = lacksAccessToken ? now : knownExpiry
  return {
    status: 'active',
    statusReason: isRefreshable && refreshedWith === undefined ? 'no_refresh_token' : null,
    ...getTokenTiming(now, accessTokenExpiry, row.tokenTtlMs, refreshedWith),
    // The remaining lifetime is not the token's TTL.
    ...(isUnchanged ? { tokenTtlMs: row.tokenTtlMs } : {}),
    ...(isRefreshable ? {} : { refreshAt: null }),
    refreshFailures: 0,
    refreshSentAt: null,
  }
}

/** The client of the OAuth app is never stored with the account: each use reads it again. */
function withOwnClient(config: Config, { client_id, client_secret }: Config): Config {
  const { client_id: _id, client_secret: _secret, ...rest } = config
  return {
    ...rest,
    ...(client_id === undefined ? {} : { client_id }),
    ...(client_secret === undefined ? {} : { client_secret }),
  }
}

export interface PlanCredentialUpdateDeps extends LoadOAuthClientDeps, PrepareConfigDeps {
  readonly database: Database
  readonly oauthApps: OAuthAppStore
  readonly now: () => number
}

/** The configuration that an update results in: validated, not yet verified by CHECK. */
interface PlannedCredentialUpdate {
  readonly authType: string
  readonly keepsAuthType: boolean
  /** The stored configuration; empty if the auth type changes, because then nothing is reused. */
  readonly stored: Config
  /** The stored configuration overlaid with the fields of the request. */
  readonly merged: Config
  /** `merged` as the bundle receives it: with the client of the account's OAuth app. */
  readonly prepared: PreparedConfig
  readonly client: OAuthClient | undefined
  /** Whether the refresh token differs from the stored one. */
  readonly isNewGrant: boolean
  readonly change: DestinationChange
  /** Facts come from the provider's list, so that a change of them needs no secrets. */
  readonly facts: FactSelection
}

/** Merges an update into the stored configuration and validates the result. @throws ApiError as `prepareConfig` */
async function planCredentialUpdate(
  deps: PlanCredentialUpdateDeps,
  definition: Definition,
  row: Account,
  input: UpdateAccount,
): Promise<PlannedCredentialUpdate> {
  const authType = input.authType ?? row.authType
  const keepsAuthType = authType === row.authType
  const stored =
    keepsAuthType && row.sealedConfig !== null
      ? await decryptConfig(deps.vault, row, row.sealedConfig)
      : {}
  // `authType` inside a configuration is reserved; the caller's value is ignored.
  const { authType: _ignored, ...rest } = input.config ?? {}
  const sent = trimConfig(listConfigFields(definition.spec, authType), rest)
  const isNewGrant = hasNewGrant(stored, sent)
  const merged = { ...(isNewGrant ? withoutAccessToken(stored) : stored), ...sent }
  const client = keepsAuthType ? await loadClient(deps, row) : undefined
  const configWithClient = withClientCredentials(merged, client)
  const validated = await prepareConfig(deps, definition, authType, configWithClient, {
    workspaceId: row.workspaceId,
    linkId: row.linkId,
  })
  const prepared = { ...validated, secret: guardSecret(client) }
  const { changed, reused } = compareWithoutFacts(prepared, { stored, sent, merged })
  const change = {
    changed: keepsAuthType ? changed : ['authType', ...changed],
    reused: isClientReused(changed, sent, client) ? withClientSecret(reused) : reused,
  }
  const facts = planFacts(prepared, stored, sent, keepsAuthType ? row.facts : {})
  return {
    authType,
    keepsAuthType,
    stored,
    merged,
    prepared,
    client,
    isNewGrant,
    change,
    facts,
  }
}

/** A fact comes from the provider's list, so no caller can choose a host with it. */
function compareWithoutFacts(
  { facts, fields }: PreparedConfig,
  { stored, sent, merged }: ConfigMerge,
): DestinationChange {
  const withoutFacts = (config: Config) => splitFacts(facts, config).rest
  const merge = {
    stored: withoutFacts(stored),
    sent: withoutFacts(sent),
    merged: withoutFacts(merged),
  }
  return compareConfig(merge, fields)
}

/** The values that the request names, and those until now, which an older version may have stored as a field. */
function planFacts(
  { facts }: PreparedConfig,
  stored: Config,
  sent: Config,
  previous: AccountFacts,
): FactSelection {
  return {
    selected: splitFacts(facts, sent).selection,
    previous: { ...toFacts(splitFacts(facts, stored).selection), ...previous },
  }
}

/**
 * Asserts that the caller may make the planned change, and records the attempt. With `isRetry`, for a plan computed
 * again under the account's lease, it records only a rejection.
 *
 * @throws ApiError `secret_required`
 */
async function assertUpdateAllowed(
  deps: PlanCredentialUpdateDeps,
  caller: Caller,
  account: Account,
  { change }: PlannedCredentialUpdate,
  isRetry = false,
): Promise<void> {
  if (isRetry && listMissingConfigSecrets(caller, change).length === 0) return
  await assertChangeAllowed(deps, caller, { account, through: 'update', ...change })
}

/**
 * The bundle receives the client secret of the OAuth app, so a change may redirect it to another host. New tokens
 * alone cannot.
 */
function isClientReused(
  changed: readonly string[],
  sent: Config,
  client: OAuthClient | undefined,
): boolean {
  if (client?.clientSecret === undefined || sent.client_secret === client.clientSecret) return false
  return changed.some((name) => !TOKEN_FIELDS.has(name))
}

function withClientSecret(reused: readonly string[]): string[] {
  return [...new Set([...reused, 'client_secret'])].sort()
}

/** An access token of the old grant must not be combined with a refresh token of the new one. */
function hasNewGrant(stored: Config, sent: Config): boolean {
  const refreshToken = getConfigString(sent, 'refresh_token')
  return refreshToken !== undefined && refreshToken !== stored.refresh_token
}

function withoutAccessToken({ access_token: _accessToken, ...rest }: Config): Config {
  return rest
}

async function loadClient(
  deps: PlanCredentialUpdateDeps,
  row: Account,
): Promise<OAuthClient | undefined> {
  if (row.oauthAppId === null) return undefined
  const { read } = deps.database
  const app = await deps.oauthApps.findInWorkspace(read, row.workspaceId, row.oauthAppId)
  return app && loadOAuthClient(deps, app)
}

const TOKEN_FIELDS: ReadonlySet<string> = new Set(['access_token', 'refresh_token', 'token_type'])
