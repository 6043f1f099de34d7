import type { Database } from '../../storage/database.ts'
import type { Param } from '../../storage/hot-query.ts'
import type { LinkRow, WorkspaceRow } from '../../storage/tables.ts'

/** A link, and whose it is. */
export interface SharedLink {
  readonly link: LinkRow
  readonly workspace: WorkspaceRow
}

/**
 * Links as whoever has their id meets them. Not bound to a reach: the id of 160 random bits is the capability, and the
 * link says on whose behalf things are connected.
 */
export function createSharedLinkStore(database: Database) {
  const link = database.hot((db, param: Param<{ id: string }>) =>
    db.selectFrom('links').selectAll().where('link_id', '=', param('id')),
  )
  const workspace = database.hot((db, param: Param<{ id: string }>) =>
    db
      .selectFrom('workspaces')
      .selectAll()
      .where('workspace_id', '=', param('id'))
      .where('deleted_at', 'is', null),
  )
  return {
    /** Open, expired or revoked. */
    async find(linkId: string): Promise<SharedLink | undefined> {
      const found = await link.first({ id: linkId })
      if (found === undefined) return undefined
      const owner = await workspace.first({ id: found.workspace_id })
      return owner === undefined ? undefined : { link: found, workspace: owner }
    },
  }
}

export type SharedLinkStore = ReturnType<typeof createSharedLinkStore>
