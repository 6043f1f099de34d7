import { ApiError } from '../../errors.ts'
import type { AccountRow } from '../../storage/tables.ts'
import { getValidCredentials } from './get-valid-credentials.ts'
import type { RefreshDeps } from './refresh-deps.ts'

/**
 * Renews tokens that CHECK will be asked about where it is time: one that has ended must not pass for refused credentials.
 * Of an account that is not well nothing is asked, since the change that is checked may be what mends it.
 *
 * @throws ApiError `provider_error`, `provider_timeout`, `renewal_in_progress`
 */
export async function refreshBeforeCheck(deps: RefreshDeps, account: AccountRow): Promise<void> {
  if (account.oauth_app_id === null || account.status !== 'active') return
  await getValidCredentials(deps, account.account_id).catch((error) => {
    if (!(error instanceof ApiError)) throw error
    if (error.code === 'needs_reauth') return
    // When to try again is for those who only wait for tokens.
    throw new ApiError(error.code, error.message, { cause: error })
  })
}
