import type { EgressGateway } from '@linchpin/runner'
import { parseRetryAfter } from '../../../integrations/oauth/token-response/parse-oauth-response.ts'
import type { Vault } from '../../../platform/vault/vault.ts'
import {
  createResponseRedactor,
  createSigningKeys,
  openEndpointHeaders,
  openSigningSecrets,
} from '../endpoint-secrets.ts'
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

interface OpenedSecrets extends Pick<Receiver, 'keys' | 'headers' | 'redact'> {
  readonly endpoint: WebhookEndpoint
  /** When the next former secret expires. Epoch milliseconds. */
  readonly validUntil: number
}

/**
 * Opens the secrets of one endpoint, and keeps them while its row has the same ones: a rotation takes effect with the next
 * claim, which has read the row.
 */
export class ReceiverCache {
  readonly #vault: Pick<Vault, 'openText'>
  #opened: OpenedSecrets | undefined

  constructor(vault: Pick<Vault, 'openText'>) {
    this.#vault = vault
  }

  /** `at`: epoch milliseconds. @throws VaultError */
  async open(endpoint: WebhookEndpoint, at: number): Promise<Receiver> {
    if (this.#opened === undefined || !isCurrent(this.#opened, endpoint, at))
      this.#opened = await openSecrets(this.#vault, endpoint, at)
    const { keys, headers, redact } = this.#opened
    return { endpoint, keys, headers, redact }
  }
}

async function openSecrets(
  vault: Pick<Vault, 'openText'>,
  endpoint: WebhookEndpoint,
  at: number,
): Promise<OpenedSecrets> {
  const secrets = await openSigningSecrets(vault, endpoint, at)
  const ends = secrets.flatMap(({ expiresAt }) => (expiresAt === null ? [] : [expiresAt]))
  const headers = await openEndpointHeaders(vault, endpoint)
  return {
    endpoint,
    keys: createSigningKeys(secrets, endpoint.signature),
    headers,
    redact: createResponseRedactor(headers, secrets),
    validUntil: Math.min(...ends),
  }
}

function isCurrent(
  { endpoint, validUntil }: OpenedSecrets,
  { signature, sealedSecrets, sealedHeaders }: WebhookEndpoint,
  at: number,
): boolean {
  return (
    at < validUntil &&
    endpoint.signature === signature &&
    isEqual(endpoint.sealedSecrets, sealedSecrets) &&
    isEqual(endpoint.sealedHeaders, sealedHeaders)
  )
}

function isEqual(a: Uint8Array | null, b: Uint8Array | null): boolean {
  return a === null || b === null ? a === b : Buffer.compare(a, b) === 0
}
