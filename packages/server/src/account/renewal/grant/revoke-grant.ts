import type { RevocationOutcome } from '../../../oauth/token/revoke-token.ts'
import { revokeTokens } from '../../../oauth/token/revoke-tokens.ts'
import type { AccountRow } from '../../../storage/tables.ts'
import { takeLease } from '../lease/held-lease.ts'
import type { RenewalDeps } from '../renewal-deps.ts'
import { configText, openGrant } from './open-grant.ts'

/**
 * Revokes the tokens of an account at its provider, the refresh token first, in five seconds at most (RFC 7009). Null
 * when there is nothing to revoke: no OAuth account, or no tokens.
 */
export async function revokeGrant(
  deps: RenewalDeps,
  accountId: string,
): Promise<RevocationOutcome | null> {
  const seen = await deps.renewals.find(accountId)
  if (seen === undefined || seen.row.sealed_config === null) return null
  try {
    return await revoke(deps, seen.row)
  } catch (error) {
    // Whatever it is, it must not keep anything from being erased.
    deps.log.warn({ err: error, accountId }, 'the tokens of an account could not be revoked')
    return 'failed'
  }
}

async function revoke(deps: RenewalDeps, row: AccountRow): Promise<RevocationOutcome | null> {
  const { type, client, config } = await openGrant(deps, row)
  if (type === undefined || client === undefined) return null
  if (type.revocationUrl === undefined) return 'unsupported'
  // Keeps others from renewing what is revoked; one who renews now gets the account from under its feet.
  await takeLease(deps, row)
  const signal = AbortSignal.timeout(REVOKE_WITHIN_MS)
  const values = { ...config, client_id: client.clientId }
  const tokens = {
    accessToken: configText(config, 'access_token'),
    refreshToken: configText(config, 'refresh_token'),
  }
  return revokeTokens(deps, { type, client, values, signal }, tokens)
}

const REVOKE_WITHIN_MS = 5_000
