import { expectNoArguments } from '../expect-no-arguments.ts'
import type { OperatorContext } from '../operator-command.ts'

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
