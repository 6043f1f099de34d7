import type { TokenResult } from '../../../integrations/oauth/token-response/token-result.ts'
import type { HostScope } from './skipped-hosts-store.ts'

/**
 * How a refresh ended. `unavailable`: no usable response; `rejected`: the grant has ended; `refused`: any other refusal;
 * `not_sent`: an app, a field or a secret is missing; `discarded`: the lease was lost; `failed`: an error of our own.
 */
export const REFRESH_OUTCOMES = [
  ...(['refreshed', 'unavailable', 'rate_limited', 'rejected', 'refused'] as const),
  ...(['not_sent', 'discarded', 'failed'] as const),
] as const
export type RefreshOutcome = (typeof REFRESH_OUTCOMES)[number]

/** Accounts that the background refresh of this process passes over. */
export interface PassedOver {
  /** They do not respond. */
  readonly hosts: readonly HostScope[]
  /** All accounts that are due before this time go to these hosts, or are leased: epoch milliseconds. */
  readonly until: number
}

/** The token refreshes that this process has attempted, by outcome, and what its background refresh passes over. */
export interface RefreshCounts {
  add(outcome: RefreshOutcome): void
  read(): Readonly<Record<RefreshOutcome, number>>
  readPassedOver(): PassedOver
  /** Says how to read it, once the background refresh runs. */
  observePassedOver(read: () => PassedOver): void
}

export function createRefreshCounts(): RefreshCounts {
  const counts = Object.fromEntries(REFRESH_OUTCOMES.map((outcome) => [outcome, 0])) as Record<
    RefreshOutcome,
    number
  >
  let readPassedOver = (): PassedOver => ({ hosts: [], until: 0 })
  return {
    add(outcome) {
      counts[outcome] += 1
    },
    read: () => counts,
    readPassedOver: () => readPassedOver(),
    observePassedOver(read) {
      readPassedOver = read
    },
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
