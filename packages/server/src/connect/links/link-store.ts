import { type Kysely, sql } from 'kysely'
import { coversWorkspace, type WorkspaceAccess } from '../../access/auth/caller.ts'
import {
  isAccessibleWorkspace,
  isInAccessibleWorkspace,
  isOwnedWorkspace,
} from '../../access/auth/workspace-access-store.ts'
import type { UserId } from '../../access/users/user.ts'
import type { Workspace, WorkspaceId } from '../../access/workspaces/workspace.ts'
import { toWorkspace } from '../../access/workspaces/workspace-store.ts'
import { notFound } from '../../platform/errors.ts'
import type { Pagination } from '../../platform/http/pagination.ts'
import type { Database } from '../../platform/storage/database.ts'
import { isId } from '../../platform/storage/id.ts'
import type { Param } from '../../platform/storage/prepared-query.ts'
import type { Tables } from '../../platform/storage/tables.ts'
import { createWorkspacePolicy, type Link, type LinkId, type LinkPolicy, toLink } from './link.ts'
import { createLinkAliasStore } from './link-alias-store.ts'

/** Links of the workspaces that the caller can access. */
export function createLinkStore(database: Database) {
  const preparedFind = database.prepare(
    (db, param: Param<{ id: LinkId; userId: UserId }>) =>
      db
        .selectFrom('links')
        .selectAll()
        .where('link_id', '=', param('id'))
        .where(isOwnedWorkspace(param('userId'), sql.ref('links.workspace_id'))),
    { id: 'text', userId: 'text' },
  )
  return {
    /** A link in any state: active, expired or revoked. */
    async find(access: WorkspaceAccess, linkId: LinkId): Promise<Link | undefined> {
      const row = await preparedFind.first({ id: linkId, userId: access.userId })
      return row !== undefined && coversWorkspace(access, row.workspace_id)
        ? toLink(row)
        : undefined
    },

    /** The same within a transaction. */
    async findIn(
      db: Kysely<Tables>,
      access: WorkspaceAccess,
      linkId: LinkId,
    ): Promise<Link | undefined> {
      const row = await db
        .selectFrom('links')
        .selectAll()
        .where('link_id', '=', linkId)
        .where(isInAccessibleWorkspace(access, 'links'))
        .executeTakeFirst()
      return row && toLink(row)
    },

    /** Links that are not revoked, oldest first. Returns up to `limit + 1` of them. */
    async list(
      access: WorkspaceAccess,
      workspaceId: WorkspaceId,
      page: Pagination,
    ): Promise<Link[]> {
      let query = database.read
        .selectFrom('links')
        .selectAll()
        .where('workspace_id', '=', workspaceId)
        .where(isAccessibleWorkspace(access, workspaceId))
        .where('revoked_at', 'is', null)
        .orderBy('created_at')
        .orderBy('link_id')
      if (page.after !== undefined) {
        const { createdAt, id } = page.after
        query = query.where((eb) =>
          eb(eb.refTuple('created_at', 'link_id'), '>', eb.tuple(createdAt, id as LinkId)),
        )
      }
      const rows = await (page.limit === undefined ? query : query.limit(page.limit + 1)).execute()
      return rows.map(toLink)
    },
  }
}

export type LinkStore = ReturnType<typeof createLinkStore>

/** The link with this id, in any state. @throws ApiError `link_not_found` */
export async function requireLink(
  { links }: { readonly links: LinkStore },
  caller: WorkspaceAccess,
  linkId: LinkId,
): Promise<Link> {
  const link = isId('lnk', linkId) ? await links.find(caller, linkId) : undefined
  if (link === undefined) throw notFound('link')
  return link
}

/** A workspace, and what a page of it may connect. */
export interface SharedPolicy {
  readonly link: LinkPolicy
  readonly workspace: Workspace
}

/** A link and its workspace. */
export interface SharedLink extends SharedPolicy {
  readonly link: Link
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
  const findWorkspace = async (workspaceId: WorkspaceId): Promise<Workspace | undefined> => {
    const row = await workspace.first({ id: workspaceId })
    return row && toWorkspace(row)
  }
  /** Finds an open, expired or revoked link. */
  const find = async (linkId: LinkId): Promise<SharedLink | undefined> => {
    const linkRow = await link.first({ id: linkId })
    if (linkRow === undefined) return undefined
    const shared = toLink(linkRow)
    const found = await findWorkspace(shared.workspaceId)
    return found && { link: shared, workspace: found }
  }
  return {
    ...createLinkAliasStore(database),
    find,

    /** What a connect session may connect; undefined if its link or its workspace was deleted. */
    async findOfSession({
      linkId,
      workspaceId,
    }: Pick<LinkPolicy, 'linkId' | 'workspaceId'>): Promise<SharedPolicy | undefined> {
      if (linkId !== null) return find(linkId)
      const found = await findWorkspace(workspaceId)
      return found && { link: createWorkspacePolicy(workspaceId), workspace: found }
    },
  }
}

export type SharedLinkStore = ReturnType<typeof createSharedLinkStore>
