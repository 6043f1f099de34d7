import { admitChange, type ChangeCaller } from '../../account/config/admit-change.ts'
import { compareConfig } from '../../account/config/compare-config.ts'
import { configFields } from '../../account/config/config-fields.ts'
import type { AccountRow } from '../../storage/tables.ts'
import type { ConnectDeps } from '../connect-deps.ts'
import type { StartTarget } from './start-target.ts'

type Config = Readonly<Record<string, unknown>>

/**
 * Admits the configuration of a reconnect, which reuses what the account has stored: the rule of an update. Whatever changes
 * is recorded before a browser, the integration or the provider gets any of it.
 *
 * @param sent what the caller sent, without what sign-in fills
 * @param merged the stored configuration with what was sent in place of it
 * @throws ApiError `secret_required`
 */
export async function admitReconnect(
  deps: ConnectDeps,
  caller: ChangeCaller,
  { account, keptConfig, spec, authType }: StartTarget,
  sent: Config,
  merged: Config,
): Promise<void> {
  const fields = configFields(spec, authType)
  if (account === undefined || fields === undefined) return
  const { changed, reused } = compareConfig({ stored: keptConfig, sent, merged }, fields)
  const all = isOtherType(account, authType) ? ['authType', ...changed] : changed
  if (all.length > 0)
    await admitChange(deps, caller, { account, through: 'sign_in', changed: all, reused })
}

/** Tokens of a sign-in that serve as keys leave the account under the auth type for keys, without an OAuth app. */
function isOtherType(account: AccountRow, authType: string): boolean {
  const holdsTokensAsKeys =
    account.oauth_app_id === null && account.status_reason === 'no_refresh_token'
  return account.auth_type !== authType && !holdsTokensAsKeys
}
