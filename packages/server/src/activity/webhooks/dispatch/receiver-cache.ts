import type { Vault } from '../../../platform/vault/vault.ts'
import {
  createResponseRedactor,
  createSigningKeys,
  openEndpointHeaders,
  openSigningSecrets,
} from '../endpoint-secrets.ts'
import type { WebhookEndpoint } from '../webhook-endpoint.ts'
import type { Receiver } from './attempt-delivery.ts'

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
