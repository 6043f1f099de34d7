import type { Spec } from '@linchpin/runner'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import type { Id } from '../../platform/storage/id.ts'

export type DefinitionId = Id<'def'>

/** Names a definition in a request: its id, or its key. Of two with one key, the workspace's own wins over the catalogue's. */
export type DefinitionReference = string

/**
 * An integration definition as one workspace sees it, without its spec: a definition of the catalogue has the version that
 * the workspace pinned, else the current one. Times are epoch milliseconds.
 */
export interface DefinitionSummary {
  readonly definitionId: DefinitionId
  /** The workspace that sees it, also if the definition belongs to the catalogue. */
  readonly workspaceId: WorkspaceId
  /** Unique among the live definitions of a workspace. */
  readonly key: string
  readonly name: string
  /** URL, or a path of this service; empty for the default icon. */
  readonly icon: string
  readonly version: string
  /** Key of the release stage. */
  readonly releaseStage: string
  /** Key of its category. */
  readonly typeKey: string
  readonly typeName: string
  /** Begins with `/` if this service serves it. */
  readonly sourceUrl: string
  /** SHA-256 in lower-case hex. */
  readonly bundleSha256: string
  /** The newest version in the catalogue or a registry; null for custom definitions. */
  readonly latestVersion: string | null
  readonly latestSourceUrl: string | null
  readonly createdAt: number
  readonly updatedAt: number
  readonly deletedAt: number | null
}

/** A definition with its spec. */
export interface Definition extends DefinitionSummary {
  /** The validated spec as it is stored. */
  readonly specJson: string
  /** The validated spec, parsed when it is first read. */
  readonly spec: Spec
}

/** Whether a definition belongs to the catalogue. Custom definitions have no separate latest version. */
export function isCatalogueDefinition({
  latestVersion,
}: Pick<DefinitionSummary, 'latestVersion'>): boolean {
  return latestVersion !== null
}
