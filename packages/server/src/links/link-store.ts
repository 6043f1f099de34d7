import { crc32 } from 'node:zlib'
import { type Kysely, sql } from 'kysely'
import { coversWorkspace, type WorkspaceAccess } from '../auth/caller.ts'
import {
  isAccessibleWorkspace,
  isInAccessibleWorkspace,
  isOwnedWorkspace,
} from '../auth/workspace-access-store.ts'
import type { Category } from '../definitions/category.ts'
import type { DefinitionId } from '../definitions/definition.ts'
import { notFound } from '../errors.ts'
import type { Pagination } from '../http/pagination.ts'
import type { Database } from '../storage/database.ts'
import { isId } from '../storage/id.ts'
import type { Param } from '../storage/prepared-query.ts'
import { StorageError } from '../storage/storage-error.ts'
import type { LinkRow, Tables } from '../storage/tables.ts'
import type { UserId } from '../users/user.ts'
import type { Workspace, WorkspaceId } from '../workspaces/workspace.ts'
import { toWorkspace } from '../workspaces/workspace-store.ts'
import { createWorkspacePolicy, type Link, type LinkId, type LinkPolicy } from './link.ts'
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
        ? readLink(row, linkId)
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
      return row && readLink(row, linkId)
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
      return rows.map((row) => readLink(row))
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
  /** Finds an open, expired or revoked link. */
  const find = async (linkId: LinkId): Promise<SharedLink | undefined> => {
    const linkRow = await link.first({ id: linkId })
    if (linkRow === undefined) return undefined
    const workspaceRow = await workspace.first({ id: linkRow.workspace_id })
    return workspaceRow && { link: readLink(linkRow, linkId), workspace: toWorkspace(workspaceRow) }
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
      const row = await workspace.first({ id: workspaceId })
      return row && { link: createWorkspacePolicy(workspaceId), workspace: toWorkspace(row) }
    },
  }
}

export type SharedLinkStore = ReturnType<typeof createSharedLinkStore>

/**
 * The link of a row that was found by this id. The id is verified as well, because an index can lead to another row.
 *
 * @throws {StorageError} `corrupt`
 */
export function readLink(row: LinkRow, linkId: LinkId = row.link_id): Link {
  if (isLinkDamaged({ ...row, link_id: linkId }))
    throw new StorageError('corrupt', `The row links/${linkId} is damaged`)
  return toLink(row)
}

/** Whether a link that has a checksum has changed on the disk. */
export function isLinkDamaged(row: LinkRow): boolean {
  return row.row_checksum !== null && row.row_checksum !== computeLinkChecksum(row)
}

/** The CRC-32 of what describes a link: all but its state and the time of its last change. It finds accidents, not forgery. */
export function computeLinkChecksum(row: Omit<LinkRow, 'row_checksum'>): number {
  return crc32(
    JSON.stringify([
      ...[row.link_id, row.workspace_id, row.name, row.can_expire, row.expires_in, row.expires_at],
      ...[row.prefer_oauth, row.category, row.definition_id, row.definition_ids],
      ...[row.max_accounts, row.max_accounts_per_identifier, row.allowed_origins],
      ...[row.redirect_urls, row.created_at, row.sessions_only],
    ]),
  )
}

/** The link of a row, without verifying it. */
export function toLink(row: LinkRow): Link {
  return {
    linkId: row.link_id,
    workspaceId: row.workspace_id,
    name: row.name,
    canExpire: row.can_expire === 1,
    expiresIn: row.expires_in,
    expiresAt: row.expires_at,
    preferOAuth: row.prefer_oauth === 1,
    categories: JSON.parse(row.category) as Category[],
    definitionIds: parseDefinitionIds(row),
    maxAccounts: row.max_accounts,
    maxAccountsPerIdentifier: row.max_accounts_per_identifier,
    allowedOrigins: JSON.parse(row.allowed_origins) as string[],
    redirectUrls: JSON.parse(row.redirect_urls) as string[],
    sessionsOnly: row.sessions_only === 1,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    revokedAt: row.revoked_at,
  }
}

function parseDefinitionIds({ definition_id: id, definition_ids: ids }: LinkRow): DefinitionId[] {
  const parsed = JSON.parse(ids) as DefinitionId[]
  return parsed.length > 0 || id === null ? parsed : [id]
}
