import { createSecretKey, randomBytes } from 'node:crypto'
import type { Database } from '../../storage/database.ts'
import type { Id } from '../../storage/id.ts'
import { createSampleRows } from '../../storage/test/sample-rows.ts'
import type { RingKey } from '../key-ring.ts'
import type { Vault, WorkspaceSealContext } from '../vault.ts'

/** A random key with this id, for tests. */
export function generateKey(id: string): RingKey {
  return { id, key: createSecretKey(randomBytes(32)) }
}

/** Creates a user with one workspace that has a data key. Returns the workspace id. */
export async function createTestWorkspace(database: Database, vault: Vault): Promise<Id<'wsp'>> {
  const { users, workspaces } = createSampleRows()
  await database.transaction(async (trx) => {
    await trx.insertInto('users').values(users).execute()
    await trx.insertInto('workspaces').values(workspaces).execute()
    await vault.createWorkspaceKey(trx, workspaces.workspace_id)
  })
  return workspaces.workspace_id
}

/** The seal context of an account's configuration. */
export function createSealContext(workspaceId: Id<'wsp'>, rowId = 'acc_1'): WorkspaceSealContext {
  return { table: 'accounts', column: 'sealed_config', workspaceId, rowId }
}
