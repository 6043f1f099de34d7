import { generateAccessToken } from '../../auth/access-token.ts'
import { parseTokenSeconds } from '../../config/setting-parsers.ts'
import { createTokenStore } from '../../tokens/token-store.ts'
import { createOwnerToken } from '../../users/ensure-owner.ts'
import { createUserStore } from '../../users/user-store.ts'
import { type OperatorContext, OperatorUsageError } from '../operator-command.ts'

/**
 * `token --new` prints a token without storing it; `token --owner [--seconds N]` creates one of the owner.
 *
 * @returns the exit code: 1 before the first start
 */
export async function tokenCommand(
  args: readonly string[],
  context: OperatorContext,
): Promise<number> {
  const text = args.join(' ')
  if (text === '--new') {
    context.output.log(generateAccessToken())
    return 0
  }
  const owner = /^--owner(?: --seconds[ =](.*))?$/.exec(text)
  if (owner === null) throw new OperatorUsageError('expected --owner or --new')
  const tokenSeconds =
    owner[1] === undefined ? context.loadConfig().ownerTokenSeconds : parseLifetime(owner[1])
  return printOwnerToken(tokenSeconds, context)
}

async function printOwnerToken(
  tokenSeconds: number | undefined,
  { open, output, now }: OperatorContext,
): Promise<number> {
  const { database } = await open()
  try {
    const stores = { users: createUserStore(database), tokens: createTokenStore(database) }
    const token = await createOwnerToken({ database, ...stores, tokenSeconds, now })
    if (token === undefined) {
      output.error('There is no owner yet: run `npm start` once first.')
      return 1
    }
    output.log(token)
    return 0
  } finally {
    await database.close()
  }
}

/** @throws OperatorUsageError */
function parseLifetime(text: string): number {
  try {
    return parseTokenSeconds(text)
  } catch (error) {
    throw new OperatorUsageError(`--seconds: ${error instanceof Error ? error.message : ''}`)
  }
}
