import { createSecretKey } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { EgressError, type EgressGateway } from '@linchpin/runner'
import type { EncryptedRingKey, KeyEntries, KeyRing, RingKey } from './key-ring.ts'
import { VaultError } from './sealed-box.ts'

/**
 * The key ring with every key decrypted: one request for each key that the transit key has encrypted, one after the other.
 *
 * @throws VaultError, TransitUnavailableError
 */
export async function openKeyEntries(
  [first, ...others]: KeyEntries,
  transitKey: TransitKey | undefined,
  deps: TransitDeps,
): Promise<KeyRing> {
  const ring: [RingKey, ...RingKey[]] = [await openEntry(first, transitKey, deps)]
  for (const entry of others) ring.push(await openEntry(entry, transitKey, deps))
  return ring
}

async function openEntry(
  entry: RingKey | EncryptedRingKey,
  transitKey: TransitKey | undefined,
  deps: TransitDeps,
): Promise<RingKey> {
  if ('key' in entry) return entry
  const { id, ciphertext } = entry
  if (transitKey === undefined)
    throw new VaultError(
      'unknown_key',
      `LINCHPIN_KEYS: the key ${id} is encrypted with a transit key. Set LINCHPIN_TRANSIT_KEY.`,
    )
  const bytes = await decryptWithTransit(transitKey, ciphertext, deps).catch((error: unknown) => {
    const { engineUrl, name } = transitKey
    const where = `LINCHPIN_KEYS: the transit key ${engineUrl}/keys/${name} does not decrypt the key ${id}`
    if (error instanceof VaultError) throw new VaultError(error.kind, `${where}: ${error.message}`)
    if (error instanceof TransitUnavailableError)
      throw new TransitUnavailableError(`${where} now: ${error.message}`)
    throw error
  })
  if (bytes.length !== 32)
    throw new VaultError(
      'wrong_key',
      `LINCHPIN_KEYS: the key ${id} is ${bytes.length} bytes, not 32: create it with datakey/wrapped.`,
    )
  return { id, key: createSecretKey(bytes) }
}

/** A transit key, and how to authenticate to its engine. */
interface TransitKey {
  /** The URL of the engine's API, such as `https://vault.internal:8200/v1/transit`. */
  readonly engineUrl: string
  readonly name: string
  /** Absent: an agent adds it. */
  readonly token?: string | undefined
  readonly namespace?: string | undefined
}

export interface TransitDeps {
  readonly egressGateway: Pick<EgressGateway, 'request'>
  /** The pause before each further attempt, in milliseconds. */
  readonly retryDelaysMs?: readonly number[] | undefined
}

/** The transit engine cannot answer now; the same request may work later. */
export class TransitUnavailableError extends Error {}

/**
 * Decrypts a ciphertext with a transit key of Vault or OpenBao: four attempts of 5 seconds, in 29 seconds at most.
 *
 * @throws VaultError if the engine refuses, and for settings that have to change
 * @throws TransitUnavailableError if it cannot be reached, is sealed or fails
 */
async function decryptWithTransit(
  transitKey: TransitKey,
  ciphertext: string,
  { egressGateway, retryDelaysMs = RETRY_DELAYS_MS }: TransitDeps,
): Promise<Buffer> {
  for (const delayMs of retryDelaysMs) {
    try {
      return await decrypt(transitKey, ciphertext, egressGateway)
    } catch (error) {
      if (!(error instanceof TransitUnavailableError)) throw error
      await sleep(delayMs)
    }
  }
  return await decrypt(transitKey, ciphertext, egressGateway)
}

const TIMEOUT_MS = 5_000
const RETRY_DELAYS_MS = [1_000, 3_000, 5_000]
const MAX_RESPONSE_BYTES = 65_536

async function decrypt(
  { engineUrl, name, token, namespace }: TransitKey,
  ciphertext: string,
  egressGateway: TransitDeps['egressGateway'],
): Promise<Buffer> {
  const request = {
    method: 'POST',
    url: `${engineUrl}/decrypt/${name}`,
    headers: {
      'content-type': 'application/json',
      'x-vault-request': 'true',
      ...(token !== undefined && { 'x-vault-token': token }),
      ...(namespace !== undefined && { 'x-vault-namespace': namespace }),
    },
    body: Buffer.from(JSON.stringify({ ciphertext })),
  }
  const policy = { purpose: 'keys', timeoutMs: TIMEOUT_MS, maxRedirects: 0 } as const
  const { status, body } = await egressGateway
    .request(request, { ...policy, maxResponseBytes: MAX_RESPONSE_BYTES, decompress: true })
    .catch(throwConnectionError)
  const answer = parseAnswer(body)
  if (status !== 200) throw describeRefusal(status, answer.errors, name)
  if (answer.plaintext === undefined)
    throw new VaultError('wrong_key', 'the response has no plaintext: is it a transit engine?')
  return Buffer.from(answer.plaintext, 'base64')
}

/** @throws VaultError, TransitUnavailableError */
function throwConnectionError(error: unknown): never {
  if (!(error instanceof EgressError)) throw error
  const { code, detail, message, systemCode = '' } = error
  if (code === 'refused')
    throw new VaultError(
      'unknown_key',
      `${detail}. LINCHPIN_EGRESS_ALLOW has to contain its address, such as keys=10.0.0.5:8200.`,
    )
  if (/CERT|SIGNATURE|ALTNAME/.test(systemCode))
    throw new VaultError(
      'unknown_key',
      `its certificate is not trusted (${systemCode}). NODE_EXTRA_CA_CERTS names the file of a private CA.`,
    )
  const reason = systemCode === '' ? '' : ` (${systemCode})`
  throw new TransitUnavailableError(`${message.replace(/\.$/, '')}${reason}.`)
}

interface Answer {
  readonly plaintext: string | undefined
  /** Such as `permission denied`. */
  readonly errors: string
}

function parseAnswer(body: Uint8Array): Answer {
  try {
    const answer = JSON.parse(Buffer.from(body).toString('utf8'))
    const plaintext = answer?.data?.plaintext
    const errors = Array.isArray(answer?.errors) ? answer.errors.map(String) : []
    return {
      plaintext: typeof plaintext === 'string' ? plaintext : undefined,
      errors: toPrintable(errors.join('; ')),
    }
  } catch {
    return { plaintext: undefined, errors: '' }
  }
}

function toPrintable(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]+/g, ' ').slice(0, 300)
}

/** The statuses of the HTTP API of Vault: standbys redirect, a sealed Vault returns 503. */
function describeRefusal(
  status: number,
  errors: string,
  name: string,
): VaultError | TransitUnavailableError {
  const answer = `it answered ${status}${errors === '' ? '' : `: ${errors}`}.`
  if (status === 403)
    return new VaultError(
      'unknown_key',
      `${answer} The token of LINCHPIN_TRANSIT_TOKEN may have expired, or its policy lacks update for decrypt/${name}.`,
    )
  const isTemporary = status >= 500 || [307, 412, 429, 472, 473].includes(status)
  if (isTemporary) return new TransitUnavailableError(answer)
  const remedy = /too old|disallowed by policy/.test(errors)
    ? ' Lower min_decryption_version of the transit key, or restore the rewrapped key.'
    : ' Is LINCHPIN_TRANSIT_KEY the key that encrypted it?'
  return new VaultError('wrong_key', answer + remedy)
}
