import type { Database } from '../../../platform/storage/database.ts'
import type { KeyRing } from '../../../platform/vault/key-ring.ts'
import {
  assertDatabaseExists,
  assertHasSchema,
  loadKeys,
  openConfiguredDatabase,
} from '../../start/open-services.ts'
import type { OperatorContext } from '../operator-command.ts'

/** Opens the database and the key ring, without verifying that they belong together. The caller closes the database. */
export async function openKeys(
  { loadConfig, openOptions, output }: OperatorContext,
  { exclusive }: { readonly exclusive: boolean },
): Promise<{ readonly database: Database; readonly keys: KeyRing }> {
  const config = loadConfig()
  assertDatabaseExists(config)
  const keys = await loadKeys(config, (text) => output.error(text))
  const { onFatal } = openOptions
  const database = await openConfiguredDatabase(config, { exclusive, onFatal })
  try {
    await assertHasSchema(database)
    await database.migrate()
    return { database, keys }
  } catch (error) {
    await database.close()
    throw error
  }
}
