import {
  CHECK_ERRORS,
  defineOperation,
  LINK_ERRORS,
} from '../../access/operations/define-operation.ts'
import { IntegrationAccount, type NewAccount } from '../../accounts/accounts/account.ts'
import {
  type AccountCreator,
  type CreateAccountDeps,
  createAccountRecord,
  insertAccount,
  verifyAccount,
} from '../../accounts/accounts/create-account.ts'
import { CreateAccountThroughLink } from '../../accounts/accounts/schemas.ts'
import type { CheckedConfig } from '../../accounts/accounts/verification/check-config.ts'
import { notFound } from '../../platform/errors.ts'
import type { Transaction } from '../../platform/storage/database.ts'
import { isConflict } from '../../platform/storage/storage-error.ts'
import type { LinkId, LinkPolicy } from '../links/link.ts'
import { assertLinkAccepts, requireLinkTarget } from '../links/link-policy.ts'
import { type LinkStore, requireLink } from '../links/link-store.ts'
import { recordIfFull } from '../links/record-link-change.ts'
import { LinkParams } from '../links/schemas.ts'
import { type Attempt, type AttemptDeps, createAttempt } from './attempt.ts'

export interface CreateAccountThroughLinkDeps extends CreateAccountDeps, AttemptDeps {
  readonly links: LinkStore
  readonly withLimitLock: RunExclusive
  readonly baseUrl: () => string
}

export const createAccountThroughLinkOperation = defineOperation({
  id: 'createAccountThroughLink',
  sdk: 'accounts.createThroughLink',
  method: 'POST',
  path: '/v1/integration_account/link/:linkId',
  tag: 'Links',
  summary: 'Create an integration account through a link',
  description: 'Like Create integration account, subject to the restrictions of the link.',
  scope: 'accounts:write',
  params: LinkParams,
  body: CreateAccountThroughLink,
  status: 201,
  response: IntegrationAccount,
  returns: 'The account.',
  errors: [
    'link_not_found',
    ...LINK_ERRORS,
    ...CHECK_ERRORS,
    'choice_required',
    'credentials_rejected',
    'unknown_reference',
  ],
  audit: 'account.created',
  config: { rate: 'bundle' },
  handle: (deps: CreateAccountThroughLinkDeps, caller, { params: { linkId }, body }) =>
    createAccountThroughLink(deps, caller, linkId, body),
})

/**
 * Creates an account through a link (interface: Create integration account through link), and returns it as JSON. The link
 * is checked before the credentials are verified and again when the account is inserted: it may have expired, been revoked
 * or filled up meanwhile.
 *
 * @throws ApiError `link_not_found`; as `requireLinkTarget`, `verifyAccount` and `storeThroughLink`
 */
export async function createAccountThroughLink(
  deps: CreateAccountThroughLinkDeps,
  caller: AccountCreator,
  linkId: LinkId,
  input: CreateAccountThroughLink,
): Promise<string> {
  const link = await requireLink(deps, caller, linkId)
  const { workspaceId } = link
  const { authType, accountIdentifier = null } = input
  const origin = {
    workspaceId,
    linkId,
    authType,
    accountIdentifier,
    method: 'credentials',
  } as const
  const attempt = createAttempt(deps, { ...origin, actor: caller })
  attempt.begin()
  try {
    const target = await requireLinkTarget(deps, caller, link, input)
    attempt.tool = target.definition
    await using verified = await verifyAccount(deps, caller, target, input)
    const account = await createAccountRecord(deps, verified, input)
    return await storeThroughLink(deps, caller, link, { account, verified, attempt })
  } catch (error) {
    await attempt.fail(error)
    throw error
  }
}

/** An account whose credentials are verified, and the attempt to connect it. */
export interface VerifiedAccount {
  readonly account: NewAccount
  readonly verified: CheckedConfig
  readonly attempt: Attempt
  /** What must hold besides in the transaction that stores the account. Default: nothing. */
  readonly assertStorable?: ((trx: Transaction) => Promise<void>) | undefined
}

/**
 * Stores an account if the link still accepts it, and ends its attempt. Without a link, nothing limits it. Returns the account as
 * JSON.
 *
 * @throws ApiError `link_not_found`; as `assertLinkAccepts`, `insertAccount` and `Attempt.succeed`
 */
export async function storeThroughLink(
  deps: CreateAccountThroughLinkDeps,
  caller: AccountCreator,
  link: LinkPolicy,
  { account, verified, attempt, assertStorable }: VerifiedAccount,
): Promise<string> {
  const insert = async (trx: Transaction) => {
    await assertStorable?.(trx)
    const response = await insertAccountThroughLink(deps, trx, caller, account, verified)
    await attempt.succeed(trx, account, verified)
    return response
  }
  const created = await deps.withLimitLock(link, () =>
    deps.database.transaction(insert, { serializable: true }),
  )
  attempt.succeeded()
  return created
}

async function insertAccountThroughLink(
  deps: CreateAccountThroughLinkDeps,
  trx: Transaction,
  caller: AccountCreator,
  account: NewAccount,
  verified: CheckedConfig,
): Promise<string> {
  const { linkId, accountIdentifier } = account
  if (linkId === null) return insertAccount(deps, trx, caller, account, verified)
  const link = await deps.links.findIn(trx, caller, linkId)
  if (link === undefined) throw notFound('link')
  await assertLinkAccepts(deps, trx, link, accountIdentifier)
  const response = await insertAccount(deps, trx, caller, account, verified)
  if (link.maxAccounts !== null) await recordIfFull(deps, trx, caller, link, account.createdAt)
  return response
}

/** Runs `work`, a transaction that stores an account through a link; one at a time if the link limits its accounts. */
export type RunExclusive = <T>(link: LinkPolicy, work: () => Promise<T>) => Promise<T>

/**
 * Creates a lock of this node for transactions that store accounts through limited links. The database alone enforces
 * the limits, across nodes. But serializable transactions that count accounts conflict with each other, on PostgreSQL
 * even those of other links, because it tracks reads by page: of fifty concurrent ones, some would exhaust their
 * retries although the link has room.
 */
export function createLimitLock(): RunExclusive {
  let previous: Promise<unknown> = Promise.resolve()
  return (link, work) => {
    if (!isLimited(link)) return work()
    const current = previous.then(() => retryOnConflict(work))
    previous = current.catch(() => undefined)
    return current
  }
}

/** Transactions of other nodes can still conflict, so retry a few times. */
async function retryOnConflict<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work()
    } catch (error) {
      if (!isConflict(error) || attempt === MAX_ATTEMPTS) throw error
    }
  }
}

const MAX_ATTEMPTS = 4

function isLimited({ maxAccounts, maxAccountsPerIdentifier }: LinkPolicy): boolean {
  return maxAccounts !== null || maxAccountsPerIdentifier !== null
}
