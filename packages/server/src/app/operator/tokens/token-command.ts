import { generateAccessToken } from '../../../access/auth/access-token.ts'
import type { TokenId } from '../../../access/tokens/token.ts'
import {
  createTokenStore,
  findStoredToken,
  listCreatedUsers,
  revokeWithDescendants,
} from '../../../access/tokens/token-store.ts'
import { createOwnerToken } from '../../../access/users/ensure-owner.ts'
import { createUserStore, type UserStore } from '../../../access/users/user-store.ts'
import { parseTokenSeconds } from '../../../platform/config/setting.ts'
import { record } from '../../../platform/record/record-store.ts'
import type { Database } from '../../../platform/storage/database.ts'
import { findDatabaseFile, hasFile, openConfiguredDatabase } from '../../start/open-services.ts'
import { type OperatorContext, OperatorError, OperatorUsageError } from '../operator-command.ts'

/**
 * `token --new` prints a token without storing it; `token --owner [--seconds N]` creates one of the owner;
 * `token --revoke ID [--users]` revokes one, and all that were created with it; with `--users`, those of the
 * users that were created with them, too.
 *
 * @returns the exit code: 1 before the first start, 66 if there is no token to revoke
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
  if (args[0] === '--revoke') return revokeTokenById(args.slice(1), context)
  const owner = /^--owner(?: --seconds[ =](.*))?$/.exec(text)
  if (owner === null) throw new OperatorUsageError('expected --owner, --new or --revoke')
  const tokenSeconds =
    owner[1] === undefined ? context.loadConfig().ownerTokenSeconds : parseLifetime(owner[1])
  return printOwnerToken(tokenSeconds, context)
}

async function revokeTokenById(
  [tokenId, ...extraArgs]: readonly string[],
  context: OperatorContext,
): Promise<number> {
  const includeUsers = extraArgs[0] === '--users'
  if (tokenId === undefined || !/^[^-]/.test(tokenId) || extraArgs.length > (includeUsers ? 1 : 0))
    throw new OperatorUsageError('--revoke takes the ID of a token')
  const config = context.loadConfig()
  const file = findDatabaseFile(config)
  // Opening it would create it.
  if (config.databaseUrl === undefined && !hasFile(file))
    throw new OperatorError(66, `there is no database at ${file}.`)
  const { onFatal } = context.openOptions
  const database = await openConfiguredDatabase(config, { exclusive: false, onFatal })
  try {
    await database.migrate()
    const deps = { database, users: createUserStore(database), now: context.now }
    const count = await revokeToken(deps, tokenId as TokenId, { includeUsers })
    if (count === undefined) throw new OperatorError(66, 'there is no token with this ID.')
    context.output.log(
      count === 0
        ? 'The token was revoked before.'
        : `Revoked ${count} token${count === 1 ? '' : 's'}.`,
    )
    const users = await listCreatedUsers(database.read, tokenId as TokenId)
    if (users.length > 0)
      context.output.log(
        `These users were created with it and still have tokens, which --users revokes, too: ${users.join(', ')}`,
      )
    return 0
  } finally {
    await database.close()
  }
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
      output.error('There is no owner yet: start the service once first.')
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

interface RevokeTokenDeps {
  readonly database: Database
  readonly users: UserStore
  readonly now: () => number
}

/**
 * Revokes a token of any user and all tokens created with it; with `includeUsers`, all tokens of
 * the users that were created with these, too.
 *
 * @returns how many were revoked: 0 if all were before; undefined if there is no such token
 */
export async function revokeToken(
  { database, users, now }: RevokeTokenDeps,
  tokenId: TokenId,
  { includeUsers = false }: { readonly includeUsers?: boolean } = {},
): Promise<number | undefined> {
  return database.transaction(
    async (trx) => {
      const token = await findStoredToken(trx, tokenId)
      if (token === undefined) return undefined
      const options = { includeUsers }
      const count = await revokeWithDescendants(trx, token.user_id, tokenId, now(), options)
      if (count === 0) return 0
      const owner = await users.findOwner(trx)
      const by = { tokenId: null, requestId: '', kind: 'system', via: 'cli' } as const
      await record(trx, { ...by, userId: owner?.userId ?? token.user_id }, now(), {
        action: 'token.revoked',
        workspaceId: token.workspace_id,
        subject: tokenId,
        detail: includeUsers ? { includeUsers } : {},
      })
      return count
    },
    { serializable: true },
  )
}
