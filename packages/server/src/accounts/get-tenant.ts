import type { Tenant } from '@linchpin/runner'

/** The tenant of an account or of an OAuth session. */
export function getTenant(row: {
  readonly workspace_id: string
  readonly definition_id: string
  readonly link_id: string | null
}): Tenant {
  const { workspace_id: workspaceId, definition_id: definitionId, link_id: linkId } = row
  return { workspaceId, definitionId, linkId: linkId ?? undefined }
}
