import { compareVersions } from '@linchpin/catalogue'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import { SYSTEM_ACTOR } from '../../platform/record/change.ts'
import { record } from '../../platform/record/record-store.ts'
import { inBatches } from '../../platform/rounds.ts'
import type { Database, Transaction } from '../../platform/storage/database.ts'
import type { Tables } from '../../platform/storage/tables.ts'
import type { DefinitionId, DefinitionSummary } from '../definitions/definition.ts'
import { serializeDefinition } from '../definitions/schemas.ts'
import {
  selectVisibleDefinitions,
  toDefinitionSummary,
} from '../definitions/visible-definitions-store.ts'

/** Pins all workspaces that use the definition, by live accounts or an OAuth app, to the version that they run. */
export async function pinActiveWorkspaces(
  trx: Kysely<Tables>,
  definitionId: DefinitionId,
): Promise<void> {
  await pinWorkspaces(trx, definitionId, workspacesWithAccounts(definitionId))
  // Every OAuth session that can still succeed has an app.
  await pinWorkspaces(trx, definitionId, workspacesWithApp(definitionId))
}

/** Marks the workspaces that have pinned a definition, to report that a newer version is available. */
export async function markUpdateDue(
  trx: Kysely<Tables>,
  definitionId: DefinitionId,
  latestVersion: string,
): Promise<void> {
  await trx
    .updateTable('definition_pins')
    .set({ update_due: 1 })
    .where('definition_id', '=', definitionId)
    .where('version', '<>', latestVersion)
    .execute()
}

/** Pins whose workspaces have to be notified of a newer version. */
export function listDueUpdates(db: Kysely<Tables>, limit: number): Promise<Pin[]> {
  return db
    .selectFrom('definition_pins')
    .select(['definition_id as definitionId', 'workspace_id as workspaceId'])
    .where('update_due', '=', sql.lit(1))
    .orderBy('definition_id')
    .orderBy('workspace_id')
    .limit(limit)
    .execute()
}

export interface Pin {
  readonly definitionId: DefinitionId
  readonly workspaceId: WorkspaceId
}

/** Clears the mark of a pin, and returns the definition as the workspace sees it; undefined if another node did so. */
export async function clearUpdateDue(
  trx: Kysely<Tables>,
  { definitionId, workspaceId }: Pin,
): Promise<DefinitionSummary | undefined> {
  const cleared = await trx
    .updateTable('definition_pins')
    .set({ update_due: 0 })
    .where('definition_id', '=', definitionId)
    .where('workspace_id', '=', workspaceId)
    .where('update_due', '=', sql.lit(1))
    .returning('definition_id')
    .executeTakeFirst()
  if (cleared === undefined) return undefined
  const row = await selectVisibleDefinitions(trx, workspaceId)
    .where('definitions.definition_id', '=', definitionId)
    .executeTakeFirst()
  return row && toDefinitionSummary(row)
}

async function pinWorkspaces(
  trx: Kysely<Tables>,
  definitionId: DefinitionId,
  workspaces: RawBuilder<{ workspace_id: WorkspaceId }>,
): Promise<void> {
  await trx
    .insertInto('definition_pins')
    .columns([
      ...(['definition_id', 'workspace_id', 'version', 'source_url'] as const),
      ...(['bundle_sha256', 'spec', 'updated_at', 'update_due'] as const),
    ])
    .expression((eb) =>
      eb
        .selectFrom('definitions')
        .innerJoin(workspaces.as('users'), (join) => join.onTrue())
        .select([
          ...(['definitions.definition_id', 'users.workspace_id'] as const),
          ...(['definitions.version', 'definitions.source_url'] as const),
          ...(['definitions.bundle_sha256', 'definitions.spec'] as const),
          'definitions.updated_at',
          sql.lit(1 as const).as('update_due'),
        ])
        .where('definitions.definition_id', '=', definitionId),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

function workspacesWithApp(definitionId: DefinitionId): RawBuilder<{ workspace_id: WorkspaceId }> {
  return sql`(select workspace_id from oauth_apps where definition_id = ${definitionId})`
}

/** Searches the index once for each workspace, however many accounts it has. */
function workspacesWithAccounts(
  definitionId: DefinitionId,
): RawBuilder<{ workspace_id: WorkspaceId }> {
  const next = (condition: RawBuilder<unknown>) => sql`(
    select accounts.workspace_id from accounts
    where accounts.definition_id = ${definitionId} and accounts.deleted_at is null ${condition}
    order by accounts.workspace_id limit 1
  )`
  return sql`(
    with recursive active(workspace_id) as (
      select ${next(sql``)}
      union all
      select ${next(sql`and accounts.workspace_id > active.workspace_id`)} from active
      where active.workspace_id is not null
    )
    select workspace_id from active where workspace_id is not null
  )`
}

export interface RecordAvailableUpdatesDeps {
  readonly database: Database
  readonly baseUrl: () => string
  readonly now: () => number
}

/**
 * Background work: records for each workspace that a newer version of a definition is available than the one it runs, once
 * per version, however many nodes do so.
 */
export async function recordAvailableUpdates(deps: RecordAvailableUpdatesDeps): Promise<void> {
  await inBatches({ size: 100, max: 10 }, async (size) => {
    const due = await listDueUpdates(deps.database.read, size)
    if (due.length === 0) return 0
    await deps.database.transaction(async (trx) => {
      for (const pin of due) {
        const definition = await clearUpdateDue(trx, pin)
        if (definition !== undefined) await recordUpdate(deps, trx, definition)
      }
    })
    return due.length
  })
}

async function recordUpdate(
  { baseUrl, now }: RecordAvailableUpdatesDeps,
  trx: Transaction,
  definition: DefinitionSummary,
): Promise<void> {
  const { definitionId, workspaceId, version: from, latestVersion: to } = definition
  // The workspace may have upgraded meanwhile, or the newer version may have been withdrawn.
  if (to === null || compareVersions(to, from) <= 0) return
  const versions = { from, to }
  await record(trx, SYSTEM_ACTOR, now(), {
    action: 'definition.update_available',
    workspaceId,
    subject: definitionId,
    detail: versions,
    event: {
      type: 'definition.update_available',
      subject: definitionId,
      data: { definition: serializeDefinition(definition, baseUrl()), ...versions },
    },
  })
}
