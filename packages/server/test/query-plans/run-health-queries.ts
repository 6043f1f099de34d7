import {
  type DefinitionScope,
  decideRejection,
  listSuspectDefinitions,
  listSuspectTimes,
  readDefinitionTrust,
  reviewSuspects,
  trustDefinition,
} from '../../src/accounts/accounts/health/definition-breaker-store.ts'
import { createHealthFill } from '../../src/accounts/accounts/health/health-fill-store.ts'
import {
  createCheckStore,
  findHealth,
  findIdentityLabel,
} from '../../src/accounts/accounts/token-refresh/checks/check-store.ts'
import type { Database } from '../../src/platform/storage/database.ts'
import type { FilledRows } from './fill-database.ts'

/** Late enough for all accounts to be due. */
const NOW = 1_900_000_000_000

/** The queries of the check loop and of the circuit breaker of a definition. */
export async function queryHealth(
  database: Database,
  { accountId, definitionId, workspaceId }: FilledRows,
): Promise<void> {
  const now = NOW
  const scope = { definitionId, workspaceId }
  const store = createCheckStore(database)
  await findHealth(database.read, accountId)
  await findIdentityLabel(database.read, accountId)
  await store.listUnscheduled(100)
  await store.listScopes(undefined, 500, now)
  await store.listScopes(scope, 500, now)
  await store.listDue(scope, 100, now)
  await store.setTimes([{ accountId, checkAt: null, nextAt: now }])
  await store.deleteHealth(['acc_none'])
  await store.takeTurn(definitionId, now, 1_000)
  await store.pause(scope, now)
  await store.noteFailure(accountId, now)
  const decide = () =>
    database.transaction((trx) => decideRejection(trx, { accountId, ...scope }, now))
  const rejected = await store.listDue(scope, 6, 2 * now)
  await database.transaction((trx) =>
    trx
      .updateTable('account_health')
      .set({ rejected_at: now })
      .where(
        'account_id',
        'in',
        rejected.map((each) => each.accountId),
      )
      .execute(),
  )
  await decide()
  await suspect(database, scope, now)
  await decide()
  await listSuspectTimes(database.read)
  await reviewSuspects(database, now)
  await reviewSuspects(database, 2 * now)
  await suspect(database, scope, now)
  await database.transaction((trx) => trustDefinition(trx, scope, now))
  await readDefinitionTrust(database.read, scope, now)
  await listSuspectDefinitions(database.read, workspaceId)
  await createHealthFill(database, () => now)()
}

/** Makes the definition suspect in the workspace, and in all. */
async function suspect(
  database: Database,
  { definitionId, workspaceId }: DefinitionScope,
  now: number,
): Promise<void> {
  const columns = { suspect_since: now, next_probe_at: now, suspects: '[]' }
  await database.transaction((trx) =>
    trx
      .insertInto('definition_health')
      .values(
        (['', workspaceId] as const).map((workspace_id) => ({
          definition_id: definitionId,
          workspace_id,
          ...columns,
        })),
      )
      .onConflict((conflict) =>
        conflict.columns(['definition_id', 'workspace_id']).doUpdateSet(columns),
      )
      .execute(),
  )
}
