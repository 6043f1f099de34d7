import { ApiError } from '../../../errors.ts'
import type { TokenResult } from '../../../oauth/answer/token-result.ts'
import { TemplateError } from '../../../oauth/template/template-error.ts'
import { refreshTokens } from '../../../oauth/token/token-endpoint.ts'
import { SECRET_REQUIRED } from '../../../oauth-app/secret-endpoints.ts'
import { tenantOf } from '../../tenant-of.ts'
import type { HeldLease } from '../lease/held-lease.ts'
import { RENEWAL_TIMES, type RenewalDeps } from '../renewal-deps.ts'
import { configText, type Grant } from './open-grant.ts'

/** What came of asking. */
export interface Asked {
  readonly result: TokenResult | { readonly kind: 'fault'; readonly reason: string }
  /** An earlier request with this refresh token may have replaced it, and its reply was lost. */
  readonly mayBeReplaced: boolean
}

/**
 * Asks for new tokens, once; a second time at once when the connection broke before the reply was here, since
 * providers accept the old token again only for a short while. That a request is on its way is committed before it is.
 * Undefined: the lease does not last long enough any more, or is lost.
 */
export async function askProvider(
  deps: RenewalDeps,
  held: HeldLease,
  grant: Grant,
): Promise<Asked | undefined> {
  let mayBeReplaced = held.row.renewal_sent_at !== null
  const fault = (reason: string): Asked => ({ result: { kind: 'fault', reason }, mayBeReplaced })
  const { type, client, config } = grant
  const refreshToken = configText(config, 'refresh_token')
  if (client === undefined) return fault('oauth_app_missing')
  if (type === undefined) return fault('auth_type_missing')
  if (refreshToken === undefined) return fault('no_refresh_token')
  if (!(await held.write({ renewal_sent_at: held.now() }))) return undefined
  const { providerMs } = deps.renewalTimes ?? RENEWAL_TIMES
  const values = { ...config, client_id: client.clientId }
  const tenant = tenantOf(held.row)
  const send = () =>
    refreshTokens(
      { gate: deps.gate, now: held.now },
      { type, client, refreshToken, values, tenant, signal: AbortSignal.timeout(providerMs) },
    )
  try {
    if (!held.maySend()) return undefined
    const first = await send()
    if (!isCutOff(first)) return { result: first, mayBeReplaced: mayBeReplaced || isLost(first) }
    mayBeReplaced = true
    return { result: held.maySend() ? await send() : first, mayBeReplaced }
  } catch (error) {
    if (error instanceof TemplateError) return fault('invalid_config')
    // Nothing was sent: the refresh token is as good as before.
    if (error instanceof ApiError && error.code === SECRET_REQUIRED) return fault(SECRET_REQUIRED)
    throw error
  }
}

function isLost(result: TokenResult): boolean {
  return result.kind === 'unavailable' && result.replyMayBeLost
}

/** Not after a timeout or an answer of 5xx: then the provider needs time rather than another request. */
function isCutOff(result: TokenResult): boolean {
  return isLost(result) && result.kind === 'unavailable' && CUT_OFF.has(result.reason)
}

const CUT_OFF: ReadonlySet<string> = new Set(['unreachable', 'bad_answer'])
