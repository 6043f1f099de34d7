import type { TokenResult } from '../../oauth/token-response/token-result.ts'

/**
 * How a refresh ended. `unavailable`: no usable response; `rejected`: the grant has ended; `refused`: any other refusal;
 * `not_sent`: an app, a field or a secret is missing; `discarded`: the lease was lost; `failed`: an error of our own.
 */
export const REFRESH_OUTCOMES = [
  ...(['refreshed', 'unavailable', 'rate_limited', 'rejected', 'refused'] as const),
  ...(['not_sent', 'discarded', 'failed'] as const),
] as const
export type RefreshOutcome = (typeof REFRESH_OUTCOMES)[number]

/** The token refreshes that this process has attempted, by outcome. */
export interface RefreshCounts {
  add(outcome: RefreshOutcome): void
  read(): Readonly<Record<RefreshOutcome, number>>
}

export function createRefreshCounts(): RefreshCounts {
  const counts = Object.fromEntries(REFRESH_OUTCOMES.map((outcome) => [outcome, 0])) as Record<
    RefreshOutcome,
    number
  >
  return {
    add(outcome) {
      counts[outcome] += 1
    },
    read: () => counts,
  }
}

/** The outcome of a token request whose result was stored. */
export function toRefreshOutcome(
  result: TokenResult | { readonly kind: 'not_sent' },
): RefreshOutcome {
  if (result.kind === 'tokens') return 'refreshed'
  if (result.kind === 'not_sent') return 'not_sent'
  if (result.kind === 'refused') return result.error === 'invalid_grant' ? 'rejected' : 'refused'
  return result.reason === 'rate_limited' ? 'rate_limited' : 'unavailable'
}
