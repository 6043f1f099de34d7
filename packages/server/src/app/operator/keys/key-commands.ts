import type { Database } from '../../../platform/storage/database.ts'
import { isId } from '../../../platform/storage/id.ts'
import { inspectDataKeys } from '../../../platform/vault/data-keys.ts'
import type { KeyRing } from '../../../platform/vault/key-ring.ts'
import { rekey } from '../../../platform/vault/rekey.ts'
import {
  assertDatabaseExists,
  assertHasSchema,
  loadKeys,
  openConfiguredDatabase,
} from '../../start/open-services.ts'
import { expectNoArguments, type OperatorContext, OperatorUsageError } from '../operator-command.ts'

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

/** Opens every data key and prints which keys of the key ring they need. The exit code is 1 if one cannot be opened. */
export async function verifyKeysCommand(
  args: readonly string[],
  context: OperatorContext,
): Promise<number> {
  expectNoArguments(args)
  const { output } = context
  const { database, keys } = await openKeys(context, { exclusive: false })
  try {
    const report = await inspectDataKeys(database, keys)
    for (const { keyId, isInRing, dataKeys, unreadable } of report.keys) {
      const state = isInRing ? (keyId === keys[0].id ? 'first' : 'in the ring') : 'MISSING'
      output.log(`${keyId}: ${state}, ${dataKeys} data keys, ${unreadable} cannot be opened`)
    }
    if (report.unfinished > 0)
      output.log(
        `${report.unfinished} workspaces are between two data keys: run keys rekey or keys forget again.`,
      )
    return report.keys.some(({ unreadable }) => unreadable > 0) ? 1 : 0
  } finally {
    await database.close()
  }
}

/** Re-encrypts the data key of every workspace with the first key of the ring. Safe to repeat. */
export async function rotateKeysCommand(
  args: readonly string[],
  { open, output }: OperatorContext,
): Promise<number> {
  expectNoArguments(args)
  const { database, vault } = await open()
  try {
    const rotatedCount = await vault.rotateKeys()
    output.log(
      `Re-encrypted ${rotatedCount} keys with the first key. You can now remove older keys.`,
    )
    return 0
  } finally {
    await database.close()
  }
}

/** Gives workspaces new data keys and seals their values again, while nodes run. */
export async function rekeyCommand(
  args: readonly string[],
  context: OperatorContext,
): Promise<number> {
  const [option, workspaceId, ...others] = args
  const isAll = args.length === 0
  if (!isAll && (option !== '--workspace' || !isId('wsp', workspaceId ?? '') || others.length > 0))
    throw new OperatorUsageError('it takes --workspace and the ID of one')
  const { output, now } = context
  const { database, keys } = await openKeys(context, { exclusive: false })
  try {
    const result = await rekey(
      { database, keys, now },
      {
        ...(isAll ? {} : { workspaceId: workspaceId as `wsp_${string}` }),
        onProgress: (text) => output.log(text),
      },
    )
    output.log(
      `Sealed ${result.values} values of ${result.workspaces} workspaces with new data keys.`,
    )
    return 0
  } finally {
    await database.close()
  }
}
