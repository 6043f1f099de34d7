import type { EgressGateway } from '@linchpin/runner'
import { parseRetryAfter } from '../../../integrations/oauth/token-response/parse-oauth-response.ts'
import { sendWebhook, type WebhookAttempt, type WebhookResult } from '../send-webhook.ts'
import type { WebhookEndpoint } from '../webhook-endpoint.ts'
import type { DueDelivery } from './claim-store.ts'
import type { AttemptResult } from './plan-settlement.ts'

/** An endpoint with its opened secrets. */
export interface Receiver extends Pick<WebhookAttempt, 'keys' | 'headers' | 'redact'> {
  readonly endpoint: WebhookEndpoint
}

export interface AttemptOptions {
  readonly isProbe: boolean
  readonly signal: AbortSignal
}

/**
 * Sends a delivery once. Undefined if it was interrupted because this node stops: then nothing is known about it, and it
 * is sent again.
 */
export async function attemptDelivery(
  deps: { readonly egressGateway: EgressGateway; readonly now: () => number },
  receiver: Receiver,
  delivery: DueDelivery,
  { isProbe, signal }: AttemptOptions,
): Promise<AttemptResult | undefined> {
  const { event, attempts } = delivery
  if (event === undefined) return createResultOfDeletedEvent(delivery)
  const attempt = { ...receiver, event, attempt: attempts + 1, signal }
  const { getHeader, ...result } = await sendWebhook(deps, attempt)
  if (result.code === 'aborted') return undefined
  const directive = getHeader('webhook-delivery')?.trim().toLowerCase()
  return {
    ...result,
    delivery,
    isProbe,
    outcome: getOutcome(result, directive),
    disables: result.status === 410 || directive === 'disable',
    retryAfterMs: parseRetryAfter(getHeader('retry-after'), deps.now()) ?? null,
  }
}

/** The name server or the operator's proxy is down: the receiver is not the cause. */
function getOutcome(
  { code, status }: Pick<WebhookResult, 'code' | 'status'>,
  directive: string | undefined,
): AttemptResult['outcome'] {
  if (code === null) return 'delivered'
  if (code === 'egress_unavailable') return 'postponed'
  return status === 410 || directive === 'abort-message' ? 'given_up' : 'failed'
}

function createResultOfDeletedEvent(delivery: DueDelivery): AttemptResult {
  return {
    delivery,
    outcome: 'event_deleted',
    code: 'event_deleted',
    disables: false,
    isProbe: false,
    status: null,
    ms: 0,
    response: '',
    retryAfterMs: null,
  }
}
