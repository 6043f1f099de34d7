import type { OAuthAppRow, OAuthAttemptRow } from '../../storage/tables.ts'
import type { Vault } from '../../vault/vault.ts'

/** What an attempt keeps sealed until it ends. */
export interface OAuthSessionSecrets {
  readonly config: Readonly<Record<string, unknown>>
  /** Names in it that an earlier sign-in may have brought: what this one brings under them wins. */
  readonly earlier?: readonly string[]
  /** The bundle that the flow began with: its endpoints are the only ones that may see the code. */
  readonly bundleSha256: string
  /** The client that the person is asked to let in: no other may bring the code. */
  readonly clientId: string
  /** The PKCE verifier; undefined until the browser has begun. */
  readonly codeVerifier?: string
  /** What a reconnect brought, until the host confirms it. */
  readonly proven?: VerifiedTokens
}

type SessionRowKey = Pick<OAuthAttemptRow, 'workspace_id' | 'attempt_id'>

export function sealSessionSecrets(
  vault: Vault,
  session: SessionRowKey,
  secrets: OAuthSessionSecrets,
): Promise<Uint8Array> {
  return vault.seal(encryptionContext(session), JSON.stringify(secrets))
}

/** @throws VaultError when it was changed or moved */
export async function openSessionSecrets(
  vault: Vault,
  session: SessionRowKey,
  sealed: Uint8Array,
): Promise<OAuthSessionSecrets> {
  return JSON.parse(await vault.openText(encryptionContext(session), sealed)) as OAuthSessionSecrets
}

function encryptionContext({ workspace_id, attempt_id }: SessionRowKey) {
  return {
    table: 'oauth_attempts',
    column: 'sealed',
    workspaceId: workspace_id,
    rowId: attempt_id,
  }
}

/** Tokens in hand. */
export interface TokenSet {
  readonly accessToken: string
  readonly refreshToken: string | undefined
  /** Epoch milliseconds; undefined when unknown. */
  readonly expiresAt: number | undefined
}

/** Tokens that the integration has accepted, as an account keeps them. */
export interface VerifiedTokens extends TokenSet {
  readonly authType: string
  /** What is sealed: never the client's id or secret. */
  readonly config: Readonly<Record<string, unknown>>
  /** The provider's id of who signed in; null when the integration does not tell. */
  readonly identityId: string | null
  /** What the provider calls who signed in; undefined when the integration does not tell. */
  readonly identityLabel?: string | undefined
}

/** What `${name}` in URLs and parameters of a spec is filled from. */
export function templateValues(
  config: Readonly<Record<string, unknown>>,
  app: Pick<OAuthAppRow, 'client_id'>,
): Record<string, unknown> {
  return { ...config, client_id: app.client_id }
}
