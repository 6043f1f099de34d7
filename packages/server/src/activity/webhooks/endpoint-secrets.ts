import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
} from 'node:crypto'
import { createScrubber } from '@linchpin/runner'
import type { Vault } from '../../platform/vault/vault.ts'
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

/** A parsed signing secret of Standard Webhooks. With the bytes of a key, `createHmac` takes 35 µs instead of 5. */
export interface SigningKey {
  readonly scheme: 'v1' | 'v1a'
  readonly key: KeyObject
}

/** A message to sign. */
export interface SignedMessage {
  /** The id of the event, the same for each attempt. */
  readonly messageId: string
  /** When it is sent, in epoch seconds. */
  readonly timestamp: number
  readonly body: string | Uint8Array
  readonly keys: readonly SigningKey[]
}

/**
 * The headers of Standard Webhooks for a message (https://www.standardwebhooks.com): one signature per key. `v1` is
 * HMAC-SHA256, `v1a` Ed25519, both over id, timestamp and body, joined by full stops.
 */
export function signDelivery({ messageId, timestamp, body, keys }: SignedMessage) {
  const content = Buffer.concat([
    Buffer.from(`${messageId}.${timestamp}.`),
    typeof body === 'string' ? Buffer.from(body) : body,
  ])
  return {
    'webhook-id': messageId,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': keys.map((key) => signContent(key, content)).join(' '),
  }
}

function signContent({ scheme, key }: SigningKey, content: Uint8Array): string {
  const signature =
    scheme === 'v1'
      ? createHmac('sha256', key).update(content).digest('base64')
      : sign(null, content, key).toString('base64')
  return `${scheme},${signature}`
}

/** Parses a secret from `generateSigningSecret`. */
export function parseSigningSecret(secret: string): SigningKey {
  const bytes = Buffer.from(secret.slice(secret.indexOf('_') + 1), 'base64')
  return secret.startsWith('whsec_')
    ? { scheme: 'v1', key: createSecretKey(bytes) }
    : { scheme: 'v1a', key: toPrivateKey(bytes) }
}

/** A new secret: `whsec_` with 32 random bytes for `v1`, `whsk_` with the seed of an Ed25519 key for `v1a`. */
export function generateSigningSecret(scheme: SigningKey['scheme']): string {
  if (scheme === 'v1') return `whsec_${randomBytes(32).toString('base64')}`
  const { d = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })
  return `whsk_${Buffer.from(d, 'base64url').toString('base64')}`
}

/** The public key of a `whsk_` secret: `whpk_` with its 32 bytes. */
export function getPublicKey(secret: string): string {
  const privateKey = toPrivateKey(Buffer.from(secret.slice(secret.indexOf('_') + 1), 'base64'))
  const { x = '' } = createPublicKey(privateKey).export({ format: 'jwk' })
  return `whpk_${Buffer.from(x, 'base64url').toString('base64')}`
}

/** An Ed25519 key from its seed: PKCS #8 (RFC 8410, section 7) has a constant prefix. */
function toPrivateKey(seed: Buffer): KeyObject {
  const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed])
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
}
