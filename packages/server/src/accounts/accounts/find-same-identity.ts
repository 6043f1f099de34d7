import type { WorkspaceAccess } from '../../access/auth/caller.ts'
import { ApiError } from '../../platform/errors.ts'
import type { Transaction } from '../../platform/storage/database.ts'
import type { Account, NewAccount } from './account.ts'
import type { AccountStore } from './account-store.ts'

/** Verified credentials: whose they are, and where they are valid. */
export type VerifiedIdentity = Pick<
  NewAccount,
  | 'workspaceId'
  | 'definitionId'
  | 'accountIdentifier'
  | 'authType'
  | 'identityId'
  | 'identityLabel'
  | 'publicConfig'
>

/**
 * The live account in which the customer has connected the same user of the same tool before; undefined if there is none, or
 * if the customer or the user is unknown. Of several, one that was connected in the same way, preferably one that has stopped
 * working.
 */
export async function findSameIdentity(
  { accounts }: { readonly accounts: Pick<AccountStore, 'listByIdentity'> },
  db: Transaction,
  access: WorkspaceAccess,
  identity: VerifiedIdentity,
): Promise<Account | undefined> {
  const { accountIdentifier, identityId, publicConfig, authType } = identity
  if (accountIdentifier === null || identityId === null) return undefined
  const owner = { ...identity, accountIdentifier, identityId }
  const found = await accounts.listByIdentity(db, access, owner)
  const rank = (one: Account) =>
    (one.authType === authType ? 0 : 2) + (one.status === 'active' ? 1 : 0)
  const [best] = found
    .filter((one) => isSamePlace(one.publicConfig, publicConfig))
    .sort((one, other) => rank(one) - rank(other))
  return best
}

/** The customer has connected the same user before, and has not said what to do. */
export class AlreadyConnectedError extends ApiError {
  /** The name of that user, else of the account. */
  readonly label: string

  constructor(label: string) {
    super('already_connected', 'This user of the tool is already connected.')
    this.label = label
  }
}

/** @throws AlreadyConnectedError if `findSameIdentity` finds an account. For the serializable transaction that inserts one. */
export async function assertNotConnected(
  deps: Parameters<typeof findSameIdentity>[0],
  db: Transaction,
  access: WorkspaceAccess,
  identity: VerifiedIdentity,
): Promise<void> {
  const existing = await findSameIdentity(deps, db, access, identity)
  if (existing !== undefined)
    throw new AlreadyConnectedError(identity.identityLabel ?? existing.name)
}

type PublicConfig = NewAccount['publicConfig']

/** Tools that customers run themselves have the same user ids everywhere: another host has other users. */
function isSamePlace(one: PublicConfig, other: PublicConfig): boolean {
  const names = Object.keys(one ?? {}).filter((name) => PLACE.test(name))
  return names.every((name) => {
    const value = other?.[name]
    return value === undefined || normalize(one?.[name]) === normalize(value)
  })
}

/** Names of fields that say where a user exists. */
const PLACE = /(?:^|_)(?:url|host|(?:sub)?domain|site|region|org|organi[sz]ation|workspace|tenant)$/

function normalize(value: unknown): string {
  return String(value).trim().toLowerCase().replace(/\/+$/, '')
}
