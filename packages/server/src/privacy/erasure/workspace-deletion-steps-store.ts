import { sql } from 'kysely'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import { deleteOfEndpoint } from '../../activity/webhooks/delivery-clean-up-store.ts'
import type { Transaction } from '../../platform/storage/database.ts'

/** Deletes up to a hundred rows of a workspace and returns how many. */
export type DeleteStep = (trx: Transaction, workspaceId: WorkspaceId) => Promise<number>

function deleteRows(table: string, key: string): DeleteStep {
  return async (trx, workspaceId) => {
    const { numAffectedRows } = await sql`
      delete from ${sql.table(table)} where workspace_id = ${workspaceId} and ${sql.ref(key)} in (
        select ${sql.ref(key)} from ${sql.table(table)}
        where workspace_id = ${workspaceId} limit ${sql.lit(BATCH)}
      )`.execute(trx)
    return Number(numAffectedRows ?? 0)
  }
}

const BATCH = 100

/** What could create accounts, or tells of the people who tried. */
export const DELETE_SESSIONS: readonly DeleteStep[] = [
  deleteRows('oauth_sessions', 'attempt_id'),
  deleteRows('submissions', 'attempt_id'),
  deleteRows('connect_sessions', 'connect_session_id'),
]

/** Everything else of a workspace, once its accounts are deleted. Definitions stay as tombstones, without their pins. */
export const DELETE_REMAINDER: readonly DeleteStep[] = [
  deleteRows('accounts', 'account_id'),
  deleteRows('account_tokens', 'account_id'),
  deleteRows('account_changes', 'change_id'),
  deleteRows('connect_attempts', 'attempt_id'),
  deleteLinks,
  deleteRows('oauth_apps', 'oauth_app_id'),
  deleteRows('previews', 'preview_id'),
  deleteRows('definition_pins', 'definition_id'),
  deleteRows('definition_icons', 'definition_id'),
  deleteRows('previous_versions', 'definition_id'),
  deleteDefinitions,
  deleteRows('events', 'position'),
  deleteRows('event_sequences', 'workspace_id'),
  deleteWebhooks,
  deleteRows('erasures', 'erasure_id'),
]

/** Deletes endpoints with their deliveries, whose logged responses may repeat events. */
async function deleteWebhooks(trx: Transaction, workspaceId: WorkspaceId): Promise<number> {
  const endpoint = await trx
    .selectFrom('webhook_endpoints')
    .select('endpoint_id')
    .where('workspace_id', '=', workspaceId)
    .limit(1)
    .executeTakeFirst()
  return endpoint === undefined ? 0 : deleteOfEndpoint(trx, endpoint.endpoint_id, BATCH)
}

async function deleteLinks(trx: Transaction, workspaceId: WorkspaceId): Promise<number> {
  const rows = await trx
    .selectFrom('links')
    .select('link_id')
    .where('workspace_id', '=', workspaceId)
    .limit(BATCH)
    .execute()
  if (rows.length === 0) return 0
  const ids = rows.map((row) => row.link_id)
  await trx.deleteFrom('link_aliases').where('link_id', 'in', ids).execute()
  await trx.deleteFrom('link_counters').where('link_id', 'in', ids).execute()
  await trx.deleteFrom('links').where('link_id', 'in', ids).execute()
  return ids.length
}

async function deleteDefinitions(trx: Transaction, workspaceId: WorkspaceId): Promise<number> {
  const { numUpdatedRows } = await trx
    .updateTable('definitions')
    .set((eb) => ({ deleted_at: eb.ref('updated_at') }))
    .where('definition_id', 'in', (eb) =>
      eb
        .selectFrom('definitions')
        .select('definition_id')
        .where('workspace_id', '=', workspaceId)
        .where('deleted_at', 'is', null)
        .limit(BATCH),
    )
    .executeTakeFirst()
  return Number(numUpdatedRows)
}
