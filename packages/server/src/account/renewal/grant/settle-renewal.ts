import { NOBODY, recordAudit } from '../../../audit/audit-store.ts'
import type { Refused, Tokens, Unavailable } from '../../../oauth/answer/token-result.ts'
import type { AccountRow } from '../../../storage/tables.ts'
import { configFields } from '../../config/config-fields.ts'
import { publicConfig } from '../../config/public-config.ts'
import { sealedPlace } from '../../config/sealed-config.ts'
import { isAlive } from '../is-due.ts'
import { type HeldLease, RELEASED } from '../lease/held-lease.ts'
import type { RenewalDeps } from '../renewal-deps.ts'
import { backOffMs, operatorWaitMs } from '../renewal-times.ts'
import { tokenTimes } from '../token-times.ts'
import type { Asked } from './ask-provider.ts'
import { configText, type Grant } from './open-grant.ts'
import { withTokens } from './with-tokens.ts'

/**
 * Writes what came of asking, and gives the lease back. New tokens are stored before anybody gets them. False: somebody
 * else has taken over, and nothing was written.
 */
export async function settleRenewal(
  deps: RenewalDeps,
  held: HeldLease,
  grant: Grant,
  { result, mayBeReplaced }: Asked,
): Promise<boolean> {
  if (result.kind === 'tokens') return keepTokens(deps, held, grant, result.tokens)
  const accountId = held.accountId
  if (result.kind === 'unavailable') {
    deps.log.info({ accountId, reason: result.reason }, 'tokens could not be renewed now')
    return backOff(deps, held, result, mayBeReplaced)
  }
  if (result.kind === 'refused') {
    const { error, description } = result
    deps.log.info({ accountId, error, description }, 'the provider refused to renew tokens')
    if (error === 'invalid_grant')
      return endGrant(held, mayBeReplaced ? 'reply_lost' : 'invalid_grant')
    return waitForOperator(held, operatorReason(result), mayBeReplaced)
  }
  if (result.reason === 'no_refresh_token')
    return isAlive(held.row, held.now()) ? held.write(RELEASED) : endGrant(held, 'token_expired')
  return waitForOperator(held, result.reason, mayBeReplaced)
}

/** The columns of tokens that were just issued. `end` as in tokenTimes. */
export async function tokenColumns(
  deps: Pick<RenewalDeps, 'vault'>,
  row: AccountRow,
  grant: Pick<Grant, 'spec'>,
  config: Readonly<Record<string, unknown>>,
  end: number | null | undefined,
  now: number,
): Promise<Partial<AccountRow>> {
  const fields = configFields(grant.spec, row.auth_type)
  const hasRefreshToken = configText(config, 'refresh_token') !== undefined
  return {
    ...(fields === undefined
      ? {}
      : { public_config: JSON.stringify(publicConfig(config, fields)) }),
    sealed_config: await deps.vault.seal(sealedPlace(row), JSON.stringify(config)),
    credential_version: row.credential_version + 1,
    ...tokenTimes(now, end, row.token_life_ms, hasRefreshToken),
    renew_failures: 0,
    renewal_sent_at: null,
    ...(row.status === 'error' ? { status: 'active', status_reason: null, updated_at: now } : {}),
    ...RELEASED,
  }
}

async function keepTokens(
  deps: RenewalDeps,
  held: HeldLease,
  grant: Grant,
  tokens: Tokens,
): Promise<boolean> {
  const fields = configFields(grant.spec, held.row.auth_type)
  const mayBeGiven = (name: string) => fields === undefined || fields.properties.has(name)
  const config = withTokens(grant.config, tokens, mayBeGiven)
  const now = held.now()
  deps.renewalState.timeouts.delete(held.accountId)
  return held.write(await tokenColumns(deps, held.row, grant, config, tokens.expiresAt, now))
}

/** Exponential, with jitter; the old token is served while it lives. Never the end of a grant. */
async function backOff(
  { renewalState: { timeouts } }: RenewalDeps,
  held: HeldLease,
  { reason, retryAfterMs }: Unavailable,
  mayBeReplaced: boolean,
): Promise<boolean> {
  if (reason === 'timeout') timeouts.add(held.accountId)
  else timeouts.delete(held.accountId)
  const failures = held.row.renew_failures + 1
  const now = held.now()
  return held.write({
    renew_failures: failures,
    renew_at: now + backOffMs(failures, retryAfterMs),
    renewal_sent_at: mayBeReplaced ? now : null,
    ...RELEASED,
  })
}

/** Only the operator can help: tried again slowly, and at once when the OAuth app changes. */
async function waitForOperator(
  held: HeldLease,
  reason: string,
  mayBeReplaced: boolean,
): Promise<boolean> {
  const now = held.now()
  const isPending = held.row.status === 'pending'
  return held.write({
    ...(isPending ? {} : { status: 'error', status_reason: reason }),
    renew_failures: held.row.renew_failures + 1,
    renew_at: now + operatorWaitMs(),
    renewal_sent_at: mayBeReplaced ? now : null,
    updated_at: now,
    ...RELEASED,
  })
}

/**
 * Only the person can help. What nobody has confirmed yet waits for that first: its next use finds out again. False:
 * somebody else has taken over, and nothing was written.
 */
export async function endGrant(held: HeldLease, reason: string): Promise<boolean> {
  const now = held.now()
  if (held.row.status === 'pending')
    return held.write({ token_expires_at: now, renew_at: null, renewal_sent_at: null, ...RELEASED })
  const change: Partial<AccountRow> = {
    status: 'needs_reauth',
    status_reason: reason,
    renew_at: null,
    renewal_sent_at: null,
    updated_at: now,
    ...RELEASED,
  }
  return held.write(change, (trx) =>
    recordAudit(trx, NOBODY, now, {
      action: 'account.needs_reauth',
      workspaceId: held.row.workspace_id,
      subject: held.accountId,
      detail: { reason },
    }),
  )
}

/** One word for a client that is not accepted, the provider's own code for all else. */
function operatorReason({ error }: Refused): string {
  return error === 'unauthorized_client' ? 'invalid_client' : error.slice(0, 64)
}
