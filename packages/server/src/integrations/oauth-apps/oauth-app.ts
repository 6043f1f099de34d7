import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import type { Id } from '../../platform/storage/id.ts'
import type { DefinitionId } from '../definitions/definition.ts'

export type OAuthAppId = Id<'oap'>

/** An OAuth client that a workspace registered with a provider, for one definition. */
export interface OAuthApp {
  readonly oauthAppId: OAuthAppId
  readonly workspaceId: WorkspaceId
  readonly definitionId: DefinitionId
  readonly name: string
  readonly clientId: string
  /** The sealed client secret; null for public clients. */
  readonly sealedSecret: Uint8Array | null
  /** Scopes to request in addition to those of the spec. */
  readonly scopes: readonly string[]
  /** The origins that the secret was entered for. */
  readonly secretOrigins: readonly string[]
  /** Hosts that may receive the secret if a configuration determines the host. */
  readonly allowedHosts: readonly string[]
  /** Since when the provider refuses the client, in epoch milliseconds; null while it does not. */
  readonly failingSince: number | null
  /** Epoch milliseconds. */
  readonly createdAt: number
  readonly updatedAt: number
}
