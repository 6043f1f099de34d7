import type { OAuthApp } from '../../oauth-apps/oauth-app.ts'
import type { Vault } from '../../vault/vault.ts'
import type { OAuthSession } from './oauth-session.ts'

/** The encrypted part of a session, erased when it finishes. Serialized as JSON: its keys are a storage format. */
export interface OAuthSessionSecrets {
  readonly config: Readonly<Record<string, unknown>>
  /** Names of fields in `config` that an earlier sign-in may have filled: values of this sign-in overwrite them. */
  readonly earlier?: readonly string[]
  /** The bundle at the start of the flow: the code may be sent to the endpoints of this bundle only. */
  readonly bundleSha256: string
  /** The client that the user authorizes: only this client may redeem the code. */
  readonly clientId: string
  /** The PKCE code verifier (RFC 7636); undefined until the browser is redirected to the provider. */
  readonly codeVerifier?: string
  /** The tokens of a reconnect that awaits confirmation. */
  readonly proven?: VerifiedTokens
}

type SessionRowKey = Pick<OAuthSession, 'workspaceId' | 'sessionId'>

/** Encrypts the secrets for the row of this session. */
export function sealSessionSecrets(
  vault: Vault,
  session: SessionRowKey,
  secrets: OAuthSessionSecrets,
): Promise<Uint8Array> {
  return vault.seal(createEncryptionContext(session), JSON.stringify(secrets))
}

/**
 * Decrypts the secrets of a session.
 *
 * @throws VaultError when the ciphertext was modified or belongs to another row
 */
export async function openSessionSecrets(
  vault: Vault,
  session: SessionRowKey,
  sealed: Uint8Array,
): Promise<OAuthSessionSecrets> {
  return JSON.parse(
    await vault.openText(createEncryptionContext(session), sealed),
  ) as OAuthSessionSecrets
}

function createEncryptionContext({ workspaceId, sessionId }: SessionRowKey) {
  return {
    table: 'oauth_attempts',
    column: 'sealed',
    workspaceId,
    rowId: sessionId,
  }
}

/** The tokens of a token response. */
export interface TokenSet {
  readonly accessToken: string
  readonly refreshToken: string | undefined
  /** Epoch milliseconds; undefined when unknown. */
  readonly expiresAt: number | undefined
}

/** Tokens that the integration has accepted, with the data to store in the account. */
export interface VerifiedTokens extends TokenSet {
  readonly authType: string
  /** The configuration to encrypt. Never contains the client ID or secret of the OAuth app. */
  readonly config: Readonly<Record<string, unknown>>
  /** The provider's ID of the user who signed in; null when the integration does not report it. */
  readonly identityId: string | null
  /** The provider's display name of that user; undefined when the integration does not report it. */
  readonly identityLabel?: string | undefined
}

/** The values for `${name}` placeholders in URLs and parameters of a spec. */
export function getTemplateValues(
  config: Readonly<Record<string, unknown>>,
  app: Pick<OAuthApp, 'clientId'>,
): Record<string, unknown> {
  return { ...config, client_id: app.clientId }
}
