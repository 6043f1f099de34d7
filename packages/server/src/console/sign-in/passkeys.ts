import { isIP } from 'node:net'
import type {
  AuthenticationResponseJSON,
  RegistrationResponseJSON,
  Uint8Array_,
} from '@simplewebauthn/server'
import { hashSecret } from '../../access/auth/access-token.ts'
import type { Log } from '../../platform/http/log.ts'
import type { Actor } from '../../platform/record/change.ts'
import { record } from '../../platform/record/record-store.ts'
import type { Database, Transaction } from '../../platform/storage/database.ts'
import { type Id, isId, newId } from '../../platform/storage/id.ts'
import {
  type ChallengeDeps,
  type ChallengePurpose,
  checkChallenge,
  createChallenge,
} from './challenge.ts'
import { MAX_PASSKEYS, type Passkey, type PasskeyStore } from './passkey-store.ts'
import type { ConsoleSession } from './session.ts'
import type { SignInStore } from './sign-in-store.ts'
import { toTypedName } from './typed-name.ts'

export interface PasskeyDeps extends ChallengeDeps {
  readonly database: Database
  readonly signIns: SignInStore
  readonly passkeys: PasskeyStore
  /** The base URL of the console. */
  readonly consoleUrl: () => string
  readonly log: Pick<Log, 'warn'>
}

/** How long the browser waits for the person, in milliseconds. */
const TIMEOUT_MS = 5 * 60_000
/** COSE: Ed25519, ES256 and RS256, which all authenticators have one of. */
const ALGORITHMS = [-8, -7, -257]
/** An assertion has about a thousand characters, with a long ID of the credential some thousands. */
const MAX_RESPONSE = 16_000
const MAX_NAME = 60
/** After a sign-in, the first passkey can be added for this time without confirming again who one is, in milliseconds. */
const FIRST_PASSKEY_MS = 10 * 60_000

/**
 * The domain that passkeys belong to (the RP ID): the host of the console. Undefined for an IP address, to which browsers bind
 * no passkeys.
 */
export function getPasskeyDomain(consoleUrl: string): string | undefined {
  const { hostname } = new URL(consoleUrl)
  return isIP(hostname.replace(/^\[|\]$/g, '')) === 0 ? hostname : undefined
}

/** What `navigator.credentials.get` is called with, as JSON: `PublicKeyCredentialRequestOptionsJSON` of WebAuthn level 3. */
export function createRequestOptions(
  deps: Pick<PasskeyDeps, 'sessionKey' | 'now' | 'consoleUrl'>,
  purpose: ChallengePurpose,
  passkeys: readonly Passkey[] = [],
): string {
  return JSON.stringify({
    challenge: createChallenge(deps, purpose),
    rpId: getPasskeyDomain(deps.consoleUrl()),
    userVerification: 'required',
    timeout: TIMEOUT_MS,
    allowCredentials: passkeys.map(describeCredential),
  })
}

/** What `navigator.credentials.create` is called with, as JSON: `PublicKeyCredentialCreationOptionsJSON` of WebAuthn level 3. */
export function createCreationOptions(
  deps: Pick<PasskeyDeps, 'sessionKey' | 'now' | 'consoleUrl'>,
  { sessionId, userId, email, name }: ConsoleSession,
  passkeys: readonly Passkey[],
): string {
  return JSON.stringify({
    challenge: createChallenge(deps, `add ${sessionId}`),
    rp: { id: getPasskeyDomain(deps.consoleUrl()), name: 'Linchpin' },
    user: { id: encodeUserId(userId), name: email, displayName: name },
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
    timeout: TIMEOUT_MS,
    attestation: 'none',
    authenticatorSelection: {
      residentKey: 'required',
      requireResidentKey: true,
      userVerification: 'required',
    },
    excludeCredentials: passkeys.map(describeCredential),
  })
}

function describeCredential({ credentialId, transports }: Passkey) {
  return { type: 'public-key', id: credentialId, transports }
}

/** The same for all passkeys of a person, so that an authenticator shows one entry. */
function encodeUserId(userId: Id<'usr'>): string {
  return Buffer.from(userId).toString('base64url')
}

/**
 * Uses an assertion up.
 *
 * @param text the credential that the browser returned, as JSON
 * @param owner whose passkey it has to be. Default: anyone's
 * @returns undefined if it is refused: unknown, for another purpose, expired, used before, or from a copy of the authenticator
 */
export async function usePasskey(
  deps: PasskeyDeps,
  text: string,
  purpose: ChallengePurpose,
  owner?: Id<'usr'>,
): Promise<Passkey | undefined> {
  const response = parseResponse<AuthenticationResponseJSON>(text)
  const passkey = response && (await deps.passkeys.findByCredential(response.id))
  if (passkey === undefined || (owner !== undefined && passkey.userId !== owner)) return undefined
  const { userHandle } = response?.response ?? {}
  if (userHandle !== undefined && userHandle !== encodeUserId(passkey.userId)) return undefined
  const verified = await verifyAssertion(deps, response, passkey, purpose)
  if (verified === undefined) return undefined
  const { counter, challenge } = verified
  const { userId, passkeyId } = passkey
  const now = deps.now()
  const outcome = await deps.database.transaction(async (trx) => {
    if (!(await spendChallenge(deps, trx, { ...challenge, userId }))) return 'used before'
    return (await deps.passkeys.use(trx, { passkeyId, counter }, now)) ? 'used' : 'counter'
  })
  if (outcome === 'counter')
    deps.log.warn({ passkeyId }, 'a passkey was refused: its counter did not increase')
  return outcome === 'used' ? passkey : undefined
}

interface UsedChallenge {
  readonly value: string
  readonly expiresAt: number
}

async function verifyAssertion(
  deps: PasskeyDeps,
  response: AuthenticationResponseJSON | undefined,
  { credentialId, publicKey }: Passkey,
  purpose: ChallengePurpose,
): Promise<{ counter: number; challenge: UsedChallenge } | undefined> {
  const domain = getPasskeyDomain(deps.consoleUrl())
  if (response === undefined || domain === undefined) return undefined
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server')
  let challenge: UsedChallenge | undefined
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      expectedChallenge(value) {
        const expiresAt = checkChallenge(deps, purpose, value)
        challenge = expiresAt === undefined ? undefined : { value, expiresAt }
        return challenge !== undefined
      },
      expectedOrigin: new URL(deps.consoleUrl()).origin,
      expectedRPID: domain,
      // The store compares the counter, after the signature, in the transaction of the use.
      credential: { id: credentialId, publicKey: new Uint8Array(publicKey), counter: 0 },
      requireUserVerification: true,
    })
    if (!verified || challenge === undefined) return undefined
    return { counter: authenticationInfo.newCounter, challenge }
  } catch {
    // It throws for whatever is wrong with what the browser sent.
    return undefined
  }
}

/** Whether this use of a challenge is the first one, on all nodes. */
function spendChallenge(
  { signIns, now }: Pick<PasskeyDeps, 'signIns' | 'now'>,
  trx: Transaction,
  { value, expiresAt, userId }: UsedChallenge & { readonly userId: Id<'usr'> },
): Promise<boolean> {
  const hash = hashSecret(`console passkey ${value}`)
  return signIns.spendClaim(trx, { kind: 'passkey', hash, userId, expiresAt }, now())
}

/** Why a passkey was not added. */
export type PasskeyRefusal = 'refused' | 'not confirmed' | 'known already' | 'too many'

/**
 * Whether a session may add a passkey: an open session that someone else finds must not get one that outlives it. So the person
 * must have confirmed who they are; the first one can also be added right after a sign-in.
 */
export function mayAddPasskey(
  { elevatedUntil, startedAt }: Pick<ConsoleSession, 'elevatedUntil' | 'startedAt'>,
  count: number,
  now: number,
): boolean {
  return elevatedUntil !== null || (count === 0 && now - startedAt < FIRST_PASSKEY_MS)
}

/**
 * Adds the passkey that a browser has created.
 *
 * @param text the credential, as JSON
 * @returns the ID of the passkey, or why it was not added
 */
export async function addPasskey(
  deps: PasskeyDeps,
  session: ConsoleSession,
  actor: Actor,
  { text, name }: { readonly text: string; readonly name: string },
): Promise<{ passkeyId: Id<'psk'> } | { refusal: PasskeyRefusal }> {
  const response = parseResponse<RegistrationResponseJSON>(text)
  const verified = response && (await verifyRegistration(deps, response, session))
  if (verified === undefined) return { refusal: 'refused' }
  const { userId, membership } = session
  const now = deps.now()
  const passkeyId = newId('psk', now)
  const add = async (trx: Transaction): Promise<PasskeyRefusal | undefined> => {
    // It may have ended meanwhile: because of whose it was, all passkeys were removed.
    if (!(await deps.signIns.isOpen(trx, session.sessionId))) return 'refused'
    const count = await deps.passkeys.count(trx, userId)
    if (!mayAddPasskey(session, count, now)) return 'not confirmed'
    if (count >= MAX_PASSKEYS) return 'too many'
    if (!(await spendChallenge(deps, trx, { ...verified.challenge, userId }))) return 'refused'
    const passkey = { ...verified.credential, passkeyId, userId, name: toName(name) }
    if (!(await deps.passkeys.insert(trx, { ...passkey, createdAt: now }))) return 'known already'
    await record(trx, actor, now, {
      action: 'passkey.created',
      workspaceId: membership.workspaceId,
      subject: passkeyId,
      detail: { name: passkey.name },
    })
    return undefined
  }
  // Serializable: of two first ones at once, the other is a second one.
  const refusal = await deps.database.transaction(add, { serializable: true })
  return refusal === undefined ? { passkeyId } : { refusal }
}

type NewCredential = Pick<Passkey, 'credentialId' | 'publicKey' | 'counter' | 'transports'>

async function verifyRegistration(
  deps: PasskeyDeps,
  response: RegistrationResponseJSON,
  { sessionId }: Pick<ConsoleSession, 'sessionId'>,
): Promise<{ credential: NewCredential; challenge: UsedChallenge } | undefined> {
  const domain = getPasskeyDomain(deps.consoleUrl())
  if (domain === undefined) return undefined
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server')
  let challenge: UsedChallenge | undefined
  try {
    if (!(await hasNoCertificates(response))) return undefined
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response,
      expectedChallenge(value) {
        const expiresAt = checkChallenge(deps, `add ${sessionId}`, value)
        challenge = expiresAt === undefined ? undefined : { value, expiresAt }
        return challenge !== undefined
      },
      expectedOrigin: new URL(deps.consoleUrl()).origin,
      expectedRPID: domain,
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    })
    if (!verified || challenge === undefined) return undefined
    const { id, publicKey, counter, transports = [] } = registrationInfo.credential
    const known = transports.filter((each) => /^[a-z-]{1,20}$/.test(each)).slice(0, 10)
    return { credential: { credentialId: id, publicKey, counter, transports: known }, challenge }
  } catch {
    return undefined
  }
}

/** Nothing needs an attestation. The verification of one may request the lists of revoked certificates that the certificates name. */
async function hasNoCertificates({ response }: RegistrationResponseJSON): Promise<boolean> {
  const { decodeAttestationObject } = await import('@simplewebauthn/server/helpers')
  const bytes: Uint8Array_ = new Uint8Array(Buffer.from(response.attestationObject, 'base64url'))
  const attestation = decodeAttestationObject(bytes)
  const format = attestation.get('fmt')
  return (
    format === 'none' ||
    (format === 'packed' && attestation.get('attStmt').get('x5c') === undefined)
  )
}

/** Renames a passkey of the person. Does nothing if it is gone. */
export async function renamePasskey(
  { database, passkeys, now }: Pick<PasskeyDeps, 'database' | 'passkeys' | 'now'>,
  { userId, membership }: ConsoleSession,
  actor: Actor,
  { passkeyId, name }: { readonly passkeyId: string; readonly name: string },
): Promise<void> {
  if (!isId('psk', passkeyId)) return
  const renamed = { passkeyId, userId, name: toName(name) }
  await database.transaction(async (trx) => {
    if (!(await passkeys.rename(trx, renamed))) return
    await record(trx, actor, now(), {
      action: 'passkey.updated',
      workspaceId: membership.workspaceId,
      subject: passkeyId,
      detail: { name: renamed.name },
    })
  })
}

/** Deletes a passkey of the person. Does nothing if it is gone. */
export async function deletePasskey(
  { database, passkeys, now }: Pick<PasskeyDeps, 'database' | 'passkeys' | 'now'>,
  { userId, membership }: ConsoleSession,
  actor: Actor,
  passkeyId: string,
): Promise<void> {
  if (!isId('psk', passkeyId)) return
  await database.transaction(async (trx) => {
    const name = await passkeys.delete(trx, { passkeyId, userId })
    if (name === undefined) return
    await record(trx, actor, now(), {
      action: 'passkey.deleted',
      workspaceId: membership.workspaceId,
      subject: passkeyId,
      detail: { name },
    })
  })
}

function toName(text: string): string {
  return toTypedName(text, MAX_NAME) || 'Passkey'
}

/** A response of a browser; undefined for any other text. What is inside is verified later. */
function parseResponse<Response extends { readonly id: string; readonly response: object }>(
  text: string,
): Response | undefined {
  if (text.length > MAX_RESPONSE) return undefined
  try {
    const value = JSON.parse(text) as Response | null
    // A query with a NUL fails on PostgreSQL.
    const isCredential = typeof value?.id === 'string' && /^[\w-]+$/.test(value.id)
    const isResponse = isCredential && typeof value?.response === 'object'
    return isResponse && value.response !== null ? value : undefined
  } catch {
    return undefined
  }
}
