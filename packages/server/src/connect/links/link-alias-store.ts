import type { Kysely } from 'kysely'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import type { Database } from '../../platform/storage/database.ts'
import type { Param } from '../../platform/storage/prepared-query.ts'
import type { Tables } from '../../platform/storage/tables.ts'
import type { LinkId } from './link.ts'

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
