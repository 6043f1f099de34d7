import type { OAuthAttemptRow } from '../../storage/tables.ts'
import type { Vault } from '../../vault/vault.ts'
import type { VerifiedTokens } from '../callback/verify-tokens.ts'

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
