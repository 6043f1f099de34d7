import type { Database } from '../storage/database.ts'
import type { Param } from '../storage/prepared-query.ts'
import type { Workspace, WorkspaceId } from '../workspaces/workspace.ts'
import { toWorkspace } from '../workspaces/workspace-store.ts'
import type { Link, LinkId } from './link.ts'
import { toLink } from './link-row-store.ts'

/** A link and its workspace. */
export interface SharedLink {
  readonly link: Link
  readonly workspace: Workspace
}

/**
 * Links as seen by anyone with the link ID. Queries do not check a caller: the ID (160 random bits) is the capability, and
 * the link determines the workspace that accounts are added to.
 */
export function createSharedLinkStore(database: Database) {
  const link = database.prepare((db, param: Param<{ id: LinkId }>) =>
    db.selectFrom('links').selectAll().where('link_id', '=', param('id')),
  )
  const workspace = database.prepare((db, param: Param<{ id: WorkspaceId }>) =>
    db
      .selectFrom('workspaces')
      .selectAll()
      .where('workspace_id', '=', param('id'))
      .where('deleted_at', 'is', null),
  )
  return {
    /** Finds an open, expired or revoked link. */
    async find(linkId: LinkId): Promise<SharedLink | undefined> {
      const linkRow = await link.first({ id: linkId })
      if (linkRow === undefined) return undefined
      const workspaceRow = await workspace.first({ id: linkRow.workspace_id })
      return workspaceRow && { link: toLink(linkRow), workspace: toWorkspace(workspaceRow) }
    },
  }
}

export type SharedLinkStore = ReturnType<typeof createSharedLinkStore>
