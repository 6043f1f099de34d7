import { isDeepStrictEqual } from 'node:util'
import { getJwtExpiry } from '@linchpin/runner'
import type { Vault } from '../../platform/vault/vault.ts'
import type { Account, AccountChange } from './account.ts'
import { createEncryptionContext, redactConfig } from './credentials/account-config.ts'
import { NON_REFRESHABLE_DEFAULTS } from './credentials/non-refreshable-defaults.ts'
import type { PlannedCredentialUpdate } from './plan-credential-update.ts'
import { LEASE_CLEARED } from './token-refresh/acquire-lease.ts'
import { getConfigString } from './token-refresh/grant.ts'
import { getTokenTiming } from './token-refresh/refresh-schedule.ts'
import type { LatestConfig } from './verification/check-config.ts'

type Config = Readonly<Record<string, unknown>>

/**
 * The columns of an account after CHECK accepted its changed credentials. `newest` includes tokens that CHECK
 * obtained.
 */
export async function buildUpdatedCredentials(
  deps: { readonly vault: Vault; readonly now: () => number },
  row: Account,
  { authType, keepsAuthType, stored, merged, prepared, client }: PlannedCredentialUpdate,
  newest: LatestConfig,
): Promise<AccountChange> {
  const config = client === undefined ? newest.config : withOwnClient(newest.config, merged)
  return {
    ...(keepsAuthType
      ? refreshColumns(deps.now(), row, stored, { ...newest, config })
      : NON_REFRESHABLE_DEFAULTS),
    ...(keepsAuthType ? {} : { tokenExpiresAt: newest.expiresAt }),
    // The new credentials may be those of another user.
    ...(row.oauthAppId === null && !isDeepStrictEqual(stored, config)
      ? { identityId: null, identityLabel: null }
      : {}),
    ...LEASE_CLEARED,
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
  { config, isRefreshed, expiresAt }: LatestConfig,
): AccountChange {
  const isRefreshable = row.oauthAppId !== null
  const hasRefreshToken = getConfigString(config, 'refresh_token') !== undefined
  const isSame = ['access_token', 'refresh_token'].every((name) => stored[name] === config[name])
  const lacksAccessToken =
    isRefreshable && hasRefreshToken && getConfigString(config, 'access_token') === undefined
  const isUnchanged = isSame && !isRefreshed
  if (isRefreshable && isUnchanged && row.status === 'needs_reauth') return {}
  const ownExpiry = getJwtExpiry(getConfigString(config, 'access_token') ?? '') ?? null
  const knownExpiry = isUnchanged ? row.tokenExpiresAt : (expiresAt ?? ownExpiry)
  // Expired: the first use must fetch an access token.
  const accessTokenExpiry = lacksAccessToken ? now : knownExpiry
  return {
    status: 'active',
    statusReason: isRefreshable && !hasRefreshToken ? 'no_refresh_token' : null,
    ...getTokenTiming(now, accessTokenExpiry, row.tokenTtlMs, hasRefreshToken),
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
