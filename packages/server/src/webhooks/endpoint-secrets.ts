import type { Vault } from '../vault/vault.ts'
import {
  generateSigningSecret,
  getPublicKey,
  parseSigningSecret,
  type SigningKey,
} from './signatures.ts'
import type { WebhookEndpoint } from './webhook-endpoint.ts'

/** The secrets of both schemes. All of an endpoint that have not expired sign its deliveries. */
export interface SigningSecrets {
  /** `whsec_…` */
  readonly v1: string
  /** `whsk_…` */
  readonly v1a: string
  /** Epoch milliseconds; null for the current ones. */
  readonly expiresAt: number | null
}

/** The fields that secrets are sealed for. */
type SealedFor = Pick<WebhookEndpoint, 'endpointId' | 'workspaceId'>

/** The keys that sign a delivery now, the newest first. @throws VaultError */
export async function openSigningKeys(
  vault: Pick<Vault, 'openText'>,
  endpoint: SealedFor & Pick<WebhookEndpoint, 'sealedSecrets' | 'signature'>,
  now: number,
): Promise<SigningKey[]> {
  return createSigningKeys(await openSigningSecrets(vault, endpoint, now), endpoint.signature)
}

/** The keys of these secrets for a signature. */
export function createSigningKeys(
  secrets: readonly SigningSecrets[],
  signature: WebhookEndpoint['signature'],
): SigningKey[] {
  const schemes = signature === 'both' ? (['v1', 'v1a'] as const) : [signature]
  return secrets.flatMap((each) => schemes.map((scheme) => parseSigningSecret(each[scheme])))
}

/** The secrets of an endpoint that have not expired, the newest first. @throws VaultError */
export async function openSigningSecrets(
  vault: Pick<Vault, 'openText'>,
  endpoint: SealedFor & Pick<WebhookEndpoint, 'sealedSecrets'>,
  now: number,
): Promise<SigningSecrets[]> {
  const text = await vault.openText(
    createContext(endpoint, 'sealed_secrets'),
    endpoint.sealedSecrets,
  )
  const secrets: SigningSecrets[] = JSON.parse(text)
  return secrets.filter(({ expiresAt }) => expiresAt === null || expiresAt > now)
}

export function generateSigningSecrets(): SigningSecrets {
  return { v1: generateSigningSecret('v1'), v1a: generateSigningSecret('v1a'), expiresAt: null }
}

/** Encrypts secrets, the newest first, and returns them with their public keys. */
export async function sealSigningSecrets(
  vault: Pick<Vault, 'seal'>,
  endpoint: SealedFor,
  secrets: readonly SigningSecrets[],
): Promise<Pick<WebhookEndpoint, 'sealedSecrets' | 'publicKeys'>> {
  const context = createContext(endpoint, 'sealed_secrets')
  return {
    sealedSecrets: await vault.seal(context, JSON.stringify(secrets)),
    publicKeys: secrets.map(({ v1a }) => getPublicKey(v1a)),
  }
}

/** The request headers that the owner of an endpoint has set. @throws VaultError */
export async function openEndpointHeaders(
  vault: Pick<Vault, 'openText'>,
  endpoint: SealedFor & Pick<WebhookEndpoint, 'sealedHeaders'>,
): Promise<Record<string, string>> {
  const { sealedHeaders } = endpoint
  if (sealedHeaders === null) return {}
  return JSON.parse(await vault.openText(createContext(endpoint, 'sealed_headers'), sealedHeaders))
}

export async function sealEndpointHeaders(
  vault: Pick<Vault, 'seal'>,
  endpoint: SealedFor,
  headers: Readonly<Record<string, string>>,
): Promise<Pick<WebhookEndpoint, 'sealedHeaders' | 'headerNames'>> {
  const headerNames = Object.keys(headers)
  if (headerNames.length === 0) return { sealedHeaders: null, headerNames }
  const context = createContext(endpoint, 'sealed_headers')
  return { sealedHeaders: await vault.seal(context, JSON.stringify(headers)), headerNames }
}

function createContext({ endpointId, workspaceId }: SealedFor, column: string) {
  return { table: 'webhook_endpoints', column, workspaceId, rowId: endpointId }
}
