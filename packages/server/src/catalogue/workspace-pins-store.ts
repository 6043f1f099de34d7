import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { DefinitionId } from '../definitions/definition.ts'
import type { Tables } from '../storage/tables.ts'
import type { WorkspaceId } from '../workspaces/workspace.ts'

/** Pins all workspaces that use the definition, by live accounts or an OAuth app, to the version that they run. */
export async function pinActiveWorkspaces(
  trx: Kysely<Tables>,
  definitionId: DefinitionId,
): Promise<void> {
  await pinWorkspaces(trx, definitionId, workspacesWithAccounts(definitionId))
  // Every OAuth session that can still succeed has an app.
  await pinWorkspaces(trx, definitionId, workspacesWithApp(definitionId))
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
      ...(['bundle_sha256', 'spec', 'updated_at'] as const),
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
