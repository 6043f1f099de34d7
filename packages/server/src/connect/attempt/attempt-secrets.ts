import type { OAuthAttemptRow } from '../../storage/tables.ts'
import type { Vault } from '../../vault/vault.ts'
import type { ProvenTokens } from '../callback/prove-tokens.ts'

/** What an attempt keeps sealed until it ends. */
export interface AttemptSecrets {
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
  readonly proven?: ProvenTokens
}

type AttemptPlace = Pick<OAuthAttemptRow, 'workspace_id' | 'attempt_id'>

export function sealAttempt(
  vault: Vault,
  attempt: AttemptPlace,
  secrets: AttemptSecrets,
): Promise<Uint8Array> {
  return vault.seal(place(attempt), JSON.stringify(secrets))
}

/** @throws VaultError when it was changed or moved */
export async function openAttempt(
  vault: Vault,
  attempt: AttemptPlace,
  sealed: Uint8Array,
): Promise<AttemptSecrets> {
  return JSON.parse(await vault.openText(place(attempt), sealed)) as AttemptSecrets
}

function place({ workspace_id, attempt_id }: AttemptPlace) {
  return {
    table: 'oauth_attempts',
    column: 'sealed',
    workspaceId: workspace_id,
    rowId: attempt_id,
  }
}
