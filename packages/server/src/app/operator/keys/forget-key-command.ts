import { formatCommand } from '../format-command.ts'
import { type OperatorContext, OperatorUsageError } from '../operator-command.ts'
import { forgetKey, KeyAvailableError } from './forget-key.ts'
import { openKeys } from './open-keys.ts'

/** Gives up what a lost key protects. */
export async function forgetKeyCommand(
  args: readonly string[],
  context: OperatorContext,
): Promise<number> {
  const [keyId, ...options] = args
  if (keyId === undefined || keyId.startsWith('-'))
    throw new OperatorUsageError('it takes a key ID')
  if (options.join() !== '--accept-loss')
    throw new OperatorUsageError(
      `every secret that only ${keyId} opens is lost; add --accept-loss if you accept that`,
    )
  const { output, now } = context
  const { database, keys } = await openKeys(context, { exclusive: true })
  const counts = new Map<string, number>()
  try {
    const onLost = (column: string, rowId: string, workspaceId: string) => {
      counts.set(column, (counts.get(column) ?? 0) + 1)
      output.log(`lost: ${column} of ${rowId} in ${workspaceId}`)
    }
    const workspaces = await forgetKey({ database, keys, now, onLost }, keyId)
    const list = [...counts].map(([column, count]) => `${count} ${column}`).join(', ') || 'nothing'
    if (workspaces === 0 && counts.size === 0)
      output.log(
        `No data key needs ${keyId}: nothing was changed. \`${formatCommand(context.env, 'keys verify')}\` lists the keys that are missing.`,
      )
    else output.log(`Forgot ${keyId}: ${workspaces} workspaces have a new data key. Lost: ${list}.`)
    return 0
  } catch (error) {
    if (!(error instanceof KeyAvailableError)) throw error
    output.error(
      `${keyId} is in the key ring, so it is not lost. To replace it, run \`${formatCommand(context.env, 'keys rotate')}\`.`,
    )
    return 65
  } finally {
    await database.close()
  }
}
