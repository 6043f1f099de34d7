import { ensureDataKey } from '../../../../integrations/catalogue/instance-key-store.ts'
import type { Database } from '../../../../platform/storage/database.ts'
import type { Id } from '../../../../platform/storage/id.ts'
import type { Tables } from '../../../../platform/storage/tables.ts'
import { createSampleRows, type SampleRows } from '../../../../platform/storage/test/sample-rows.ts'
import {
  createSealedValueStore,
  SEALED_COLUMNS,
  type SealedRow,
} from '../../../../platform/vault/sealed-value-store.ts'
import type { Vault } from '../../../../platform/vault/vault.ts'

/** Adds a workspace with a sealed value in each sealed column, for tests. */
export async function addSealedRows(database: Database, vault: Vault): Promise<SampleRows> {
  const rows = createSampleRows()
  const workspaceId = rows.workspaces.workspace_id
  await ensureDataKey({ database, vault, now: Date.now })
  await database.transaction(async (trx) => {
    await trx.insertInto('users').values(rows.users).execute()
    await trx.insertInto('workspaces').values(rows.workspaces).execute()
    await vault.createWorkspaceKey(trx, workspaceId)
  })
  rows.instance_keys.name = `test-${workspaceId}`
  for (const column of SEALED_COLUMNS) {
    const row = rows[column.table as keyof SampleRows] as Record<string, unknown>
    const context = column.getContext(row)
    row[column.column] = await vault.seal(context, `secret of ${context.rowId}`)
  }
  const { users: _, workspaces: __, workspace_keys: ___, events, ...others } = rows
  const { position: ____, ...event } = events
  await database.transaction(async (trx) => {
    for (const [table, row] of Object.entries({ ...others, events: event }))
      await trx
        .insertInto(table as keyof Tables)
        .values(row)
        .onConflict((conflict) => conflict.doNothing())
        .execute()
  })
  return rows
}

/** Every sealed value, opened. A value that cannot be opened has its error. */
export async function openAll(database: Database, vault: Vault, workspaceId?: Id<'wsp'>) {
  const opened: Record<string, string> = {}
  for (const column of SEALED_COLUMNS) {
    const rows = await createSealedValueStore(database).list(column, {
      after: undefined,
      limit: 1_000,
      workspaceId,
    })
    for (const row of rows) {
      const context = column.getContext(row)
      opened[`${column.table}.${column.column} ${context.workspaceId} ${context.rowId}`] =
        await vault
          .openText(context, (row as SealedRow & { sealed: Uint8Array }).sealed)
          .catch((error) => `${error}`)
    }
  }
  return opened
}
