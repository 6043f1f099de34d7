import {
  assertChangeAllowed,
  type ChangeCaller,
} from '../../accounts/credentials/assert-change-allowed.ts'
import { compareConfig } from '../../accounts/credentials/compare-config.ts'
import { configFields } from '../../accounts/credentials/config-fields.ts'
import type { AccountRow } from '../../storage/tables.ts'
import type { OAuthFlowDeps } from '../oauth-flow-deps.ts'
import type { ResolvedStart } from './resolve-start.ts'

type Config = Readonly<Record<string, unknown>>

/**
 * Admits the configuration of a reconnect, which reuses what the account has stored: the rule of an update. Whatever changes
 * is recorded before a browser, the integration or the provider gets any of it.
 *
 * @param sent what the caller sent, without what sign-in fills
 * @param merged the stored configuration with what was sent in place of it
 * @throws ApiError `secret_required`
 */
export async function assertReconnectAllowed(
  deps: OAuthFlowDeps,
  caller: ChangeCaller,
  { account, storedConfig, spec, authType }: ResolvedStart,
  sent: Config,
  merged: Config,
): Promise<void> {
  const fields = configFields(spec, authType)
  if (account === undefined || fields === undefined) return
  const { changed, reused } = compareConfig({ stored: storedConfig, sent, merged }, fields)
  const allChanged = isAuthTypeChange(account, authType) ? ['authType', ...changed] : changed
  if (allChanged.length > 0)
    await assertChangeAllowed(deps, caller, {
      account,
      through: 'sign_in',
      changed: allChanged,
      reused,
    })
}

/** Tokens of a sign-in that serve as keys leave the account under the auth type for keys, without an OAuth app. */
function isAuthTypeChange(account: AccountRow, authType: string): boolean {
  const usesTokenAsApiKey =
    account.oauth_app_id === null && account.status_reason === 'no_refresh_token'
  return account.auth_type !== authType && !usesTokenAsApiKey
}
