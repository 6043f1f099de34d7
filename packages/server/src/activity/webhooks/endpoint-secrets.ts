import { createScrubber } from '@linchpin/runner'
import type { Vault } from '../../platform/vault/vault.ts'
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

/** Removes the secrets of an endpoint from the response of its receiver, which anyone with `read` may see. */
export type RedactResponse = (text: string) => string

/**
 * Creates a function that removes the signing secrets and the values of the headers: whole, without their scheme or
 * name, decoded (Basic), in upper and lower case, and in all encodings of `createScrubber`.
 */
export function createResponseRedactor(
  headers: Readonly<Record<string, string>>,
  secrets: readonly SigningSecrets[],
): RedactResponse {
  const values = [
    ...Object.values(headers).flatMap(listHeaderForms),
    ...secrets.flatMap(({ v1, v1a }) => [v1, v1a]).flatMap(listKeyForms),
  ]
  const scrub = createScrubber(values)
  return (text) => scrub(text) ?? ''
}

function listHeaderForms(value: string): string[] {
  const basic = /^Basic +(\S+)$/i.exec(value)?.[1]
  const userPassword = basic === undefined ? '' : Buffer.from(basic, 'base64').toString()
  const password = userPassword.slice(userPassword.indexOf(':') + 1)
  // `Bearer …`, `key=…; other=…`
  const parts = value.split(/[\s,;="]+/).filter((part) => part.length >= MIN_PART_LENGTH)
  const forms = [value, ...parts, userPassword, password].filter((form) => form !== '')
  const cases = forms
    .filter((form) => form.length >= MIN_PART_LENGTH)
    .flatMap((form) => [form.toLowerCase(), form.toUpperCase()])
  return [...new Set([...forms, ...cases])]
}

/** Shorter parts are words rather than secrets. */
const MIN_PART_LENGTH = 8

/** `whsec_…`, and its key in base64, base64url and hexadecimal. */
function listKeyForms(secret: string): string[] {
  const key = secret.slice(secret.indexOf('_') + 1)
  const bytes = Buffer.from(key, 'base64')
  const hex = bytes.toString('hex')
  return [secret, key, bytes.toString('base64url'), hex, hex.toUpperCase()]
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
