import type { AccountRow } from '../storage/tables.ts'
import type { NewestConfig } from './check/check-config.ts'
import { publicConfig } from './config/public-config.ts'
import { sealedPlace } from './config/sealed-config.ts'
import { type ConnectAccountDeps, UNRENEWED } from './connect-account.ts'
import type { PlannedChange } from './plan-change.ts'
import { configText } from './renewal/grant/open-grant.ts'
import { RELEASED } from './renewal/lease/held-lease.ts'
import { tokenTimes } from './renewal/token-times.ts'

type Config = Readonly<Record<string, unknown>>

/** The columns of an account whose changed credentials CHECK has accepted. `newest` has the tokens that CHECK brought. */
export async function changedColumns(
  deps: Pick<ConnectAccountDeps, 'vault' | 'now'>,
  row: AccountRow,
  { authType, staysType, stored, merged, prepared, client }: PlannedChange,
  newest: NewestConfig,
): Promise<Partial<AccountRow>> {
  const config = client === undefined ? newest.config : withOwnClient(newest.config, merged)
  return {
    ...(staysType ? renewalColumns(deps.now(), row, stored, { ...newest, config }) : UNRENEWED),
    ...(staysType ? {} : { token_expires_at: newest.expiresAt }),
    ...RELEASED,
    auth_type: authType,
    public_config: JSON.stringify(publicConfig(config, prepared.fields)),
    sealed_config: await deps.vault.seal(sealedPlace(row), JSON.stringify(config)),
    sealed_headers: null,
    credential_version: row.credential_version + 1,
  }
}

/**
 * The credentials work, so the account is well again, and nothing that renewal knew of the old ones holds. But where the
 * token endpoint has said that the grant is dead, only other tokens bring it back.
 */
function renewalColumns(
  now: number,
  row: AccountRow,
  stored: Config,
  { config, isRefreshed, expiresAt }: NewestConfig,
): Partial<AccountRow> {
  const isRenewed = row.oauth_app_id !== null
  const hasRefreshToken = configText(config, 'refresh_token') !== undefined
  const isSame = ['access_token', 'refresh_token'].every((name) => stored[name] === config[name])
  const isMissing = isRenewed && hasRefreshToken && configText(config, 'access_token') === undefined
  const isUnchanged = isSame && !isRefreshed
  if (isRenewed && isUnchanged && row.status === 'needs_reauth') return {}
  const known = isUnchanged ? row.token_expires_at : expiresAt
  // Without an access token the first use has to fetch one.
  const end = isMissing ? now : known
  return {
    status: 'active',
    status_reason: isRenewed && !hasRefreshToken ? 'no_refresh_token' : null,
    ...tokenTimes(now, end, row.token_life_ms, hasRefreshToken),
    // What is left of a life is not a life.
    ...(isUnchanged ? { token_life_ms: row.token_life_ms } : {}),
    ...(isRenewed ? {} : { renew_at: null }),
    renew_failures: 0,
    renewal_sent_at: null,
  }
}

/** What is stored never holds the client of the app: it is read anew at each use. */
function withOwnClient(config: Config, { client_id, client_secret }: Config): Config {
  const { client_id: _id, client_secret: _secret, ...rest } = config
  return {
    ...rest,
    ...(client_id === undefined ? {} : { client_id }),
    ...(client_secret === undefined ? {} : { client_secret }),
  }
}
