import { isId } from '../../../platform/storage/id.ts'
import { rekey } from '../../../platform/vault/rekey.ts'
import { type OperatorContext, OperatorUsageError } from '../operator-command.ts'
import { openKeys } from './open-keys.ts'

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
