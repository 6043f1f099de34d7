import { inspectDataKeys } from '../../../platform/vault/inspect-data-keys.ts'
import { expectNoArguments } from '../expect-no-arguments.ts'
import type { OperatorContext } from '../operator-command.ts'
import { openKeys } from './open-keys.ts'

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
