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
import type { Database, Param } from '../../platform/storage/database.ts'
import { isId } from '../../platform/storage/id.ts'
import { isAfter } from '../../platform/storage/portable-sql.ts'
import type { Tables } from '../../platform/storage/tables.ts'
import {
  createWorkspacePolicy,
  LINK,
  type Link,
  type LinkId,
  type LinkPolicy,
  type LinkRow,
} from './link.ts'

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

    /** Links, oldest first unless the filter has another order. Returns up to `limit + 1` of them. */
    async list(
      access: WorkspaceAccess,
      workspaceId: WorkspaceId,
      page: Pagination,
      { state, order = 'createdAt', now = 0 }: LinkFilter = {},
    ): Promise<Link[]> {
      const direction = order === 'createdAt' ? 'asc' : 'desc'
      let query = database.read
        .selectFrom('links')
        .selectAll()
        .where('workspace_id', '=', workspaceId)
        .where(isAccessibleWorkspace(access, workspaceId))
        .where('revoked_at', state === 'revoked' ? 'is not' : 'is', null)
        .orderBy('created_at', direction)
        .orderBy('link_id', direction)
      if (state === 'open')
        query = query.where((eb) =>
          eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]),
        )
      if (state === 'expired') query = query.where('expires_at', '<=', now)
      if (page.after !== undefined)
        query = query.where(isAfter(['created_at', 'link_id'], page.after, direction))
      const rows = await (page.limit === undefined ? query : query.limit(page.limit + 1)).execute()
      return rows.map(toLink)
    },
  }
}

/** A link is revoked, else expired, else open. */
export const LINK_STATES = ['open', 'expired', 'revoked'] as const

export const LINK_ORDERS = ['createdAt', '-createdAt'] as const

/** Which links to list. */
export interface LinkFilter {
  /** Absent: those that are not revoked. */
  readonly state?: (typeof LINK_STATES)[number] | undefined
  /** Default: oldest first. */
  readonly order?: (typeof LINK_ORDERS)[number] | undefined
  /** Epoch milliseconds, for `state`. */
  readonly now?: number | undefined
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

/** The link of a row. */
export function toLink(row: LinkRow): Link {
  const link = LINK.fromRow(row)
  return row.definition_id === null || link.definitionIds.length > 0
    ? link
    : { ...link, definitionIds: [row.definition_id] }
}

/** Stores a new link. */
export async function insertLink(trx: Kysely<Tables>, link: Link): Promise<void> {
  await trx.insertInto('links').values(LINK.toNewRow(link)).execute()
}

/** The fields that an update changes; an undefined one keeps its value. */
export type LinkUpdate = Pick<Link, 'updatedAt'> & {
  readonly [K in keyof Link]?: Link[K] | undefined
}

/** Changes a link that is not revoked. Returns undefined if there is none. */
export async function changeLink(
  trx: Kysely<Tables>,
  access: WorkspaceAccess,
  linkId: LinkId,
  change: LinkUpdate,
): Promise<Link | undefined> {
  const row = await trx
    .updateTable('links')
    .set(LINK.toColumns(change))
    .where('link_id', '=', linkId)
    .where(isInAccessibleWorkspace(access, 'links'))
    .where('revoked_at', 'is', null)
    .returningAll()
    .executeTakeFirst()
  return row && toLink(row)
}

/** Revokes a link. Returns false if it was already revoked. */
export async function revokeLink(
  trx: Kysely<Tables>,
  access: WorkspaceAccess,
  linkId: LinkId,
  now: number,
): Promise<boolean> {
  const row = await trx
    .updateTable('links')
    .set({ revoked_at: now, updated_at: now })
    .where('link_id', '=', linkId)
    .where(isInAccessibleWorkspace(access, 'links'))
    .where('revoked_at', 'is', null)
    .returning('link_id')
    .executeTakeFirst()
  return row !== undefined
}

/**
 * Marks at most `limit` links that expired before `now` as recorded, and returns them. Each link is
 * returned once, to one node. For background work, which has no caller.
 */
export async function markExpiredLinks(
  trx: Kysely<Tables>,
  now: number,
  limit: number,
): Promise<Link[]> {
  const rows = await trx
    .updateTable('links')
    .set({ expiry_recorded: 1 })
    .where('link_id', 'in', (eb) =>
      eb
        .selectFrom('links')
        .select('link_id')
        .where('expires_at', '<=', now)
        .where('expires_at', 'is not', null)
        .where('expiry_recorded', '=', sql.lit(0))
        .where('revoked_at', 'is', null)
        .orderBy('expires_at')
        .limit(limit),
    )
    // Again, because another node may have marked the row after the selection.
    .where('expiry_recorded', '=', sql.lit(0))
    .where('revoked_at', 'is', null)
    .returningAll()
    .execute()
  return rows.map(toLink)
}

/** The id that an imported link had elsewhere, and the link that its URL leads to. */
export interface LinkAlias {
  /** A capability, like the id of a link. */
  readonly alias: string
  readonly workspaceId: WorkspaceId
  readonly linkId: LinkId
}

/** Finds links by the ids that they had elsewhere. */
export function createLinkAliasStore(database: Database) {
  const find = database.prepare((db, param: Param<{ alias: string }>) =>
    db.selectFrom('link_aliases').select('link_id').where('alias', '=', param('alias')),
  )
  return {
    /** One query for a text that can be an alias, none for any other. */
    async findByAlias(text: string): Promise<LinkId | undefined> {
      if (!isLinkAlias(text)) return undefined
      return (await find.first({ alias: text.toLowerCase() }))?.link_id
    },
  }
}

/** Whether the text is a UUID: the only form of alias. */
export function isLinkAlias(text: string): boolean {
  return UUID.test(text)
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Stores an alias in lower case. It must satisfy `isLinkAlias` and be new. */
export async function insertLinkAlias(
  trx: Kysely<Tables>,
  { alias, workspaceId, linkId }: LinkAlias,
  now: number,
): Promise<void> {
  await trx
    .insertInto('link_aliases')
    .values({
      alias: alias.toLowerCase(),
      workspace_id: workspaceId,
      link_id: linkId,
      created_at: now,
    })
    .execute()
}
