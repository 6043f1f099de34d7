import { createAccountRecord, verifyAccount } from '../../accounts/create-account.ts'
import { settleConnectSession } from '../../connect-sessions/settle-connect-session.ts'
import { insertAccountThroughLink } from '../../links/create-account-through-link.ts'
import { requireLinkTarget } from '../../links/link-policy.ts'
import type { Actor } from '../../record/change.ts'
import type { Transaction } from '../../storage/database.ts'
import type { ConnectPageDeps } from '../connect-page-deps.ts'
import type { PageContext } from '../page/page-context.ts'
import { type SubmittedForm, toAccountInput } from './load-form.ts'

/** The visitor cancelled during verification, so the account was not stored. */
export class Cancelled extends Error {}

/**
 * Creates the account of a form, named after the identity that the provider reports, and marks the submission as successful
 * in the same transaction.
 *
 * @throws Cancelled; as `requireLinkTarget`, `verifyAccount` and `insertAccountThroughLink`
 */
export async function storeAccount(
  deps: ConnectPageDeps,
  submitted: SubmittedForm,
  request: Pick<Actor, 'requestId' | 'ip'>,
): Promise<void> {
  const { access, link } = submitted.page
  const input = await toAccountInput(deps, submitted)
  const visitor = { ...access, tokenId: null, ...request }
  const target = await requireLinkTarget(deps, visitor, link, input)
  const options = { pageSessionId: getSessionBucketKey(submitted.page), withIdentity: true }
  await using verified = await verifyAccount(deps, visitor, { ...target, ...options }, input)
  const integrationAccountName = verified.identity?.label ?? input.integrationAccountName
  const account = await createAccountRecord(deps, verified, { ...input, integrationAccountName })
  const insert = async (trx: Transaction) => {
    await insertAccountThroughLink(deps, trx, visitor, account, verified)
    const { submissionId } = submitted
    const result = { accountId: account.accountId }
    const ended = await deps.submissions.end(trx, { submissionId }, result, deps.now())
    if (ended === undefined) throw new Cancelled()
    await settleConnectSession(deps, trx, visitor, ended, result, deps.now())
  }
  await deps.withLimitLock(link, () => deps.database.transaction(insert, { serializable: true }))
}

/** Identifies the page session in limits and in the bindings of rotated tokens. */
export function getSessionBucketKey({ session }: Pick<PageContext, 'session'>): string {
  return Buffer.from(session.hash).toString('base64')
}
