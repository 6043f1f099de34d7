import { newAccount } from '../../accounts/insert-account.ts'
import { fetchIdentity } from '../../accounts/verification/fetch-identity.ts'
import {
  insertAccountThroughLink,
  verifyAccountThroughLink,
} from '../../links/create-account-through-link.ts'
import { requireLink } from '../../links/require-link.ts'
import type { Transaction } from '../../storage/transaction.ts'
import type { ConnectPageDeps } from '../connect-page-deps.ts'
import type { ParsedForm } from '../form/parse-form.ts'
import type { FormStep } from '../integrations/step.ts'
import type { PageContext } from '../page/page-context.ts'
import { endSubmission } from '../submission/end-submission.ts'
import { defaultAccountName } from './default-account-name.ts'

/** A submitted form and its page. */
export interface SubmittedForm {
  readonly page: PageContext
  readonly step: FormStep
  readonly submissionId: string
  readonly parsedForm: ParsedForm
}

/** The visitor cancelled during verification, so the account was not stored. */
export class Cancelled extends Error {}

/**
 * Creates the account of a form, named after the identity that the provider reports, and marks the submission as successful
 * in the same transaction.
 *
 * @throws Cancelled; as `verifyAccountThroughLink` and `insertAccountThroughLink`
 */
export async function storeAccount(
  deps: ConnectPageDeps,
  { page, step, submissionId, parsedForm }: SubmittedForm,
  requestId: string,
): Promise<void> {
  const { accessScope, query } = page
  const { definition } = step.integration
  const input = {
    integrationDefinitionId: definition.definition_id,
    integrationAccountName: await defaultAccountName(deps, page, definition),
    authType: step.authMethod.authType,
    config: parsedForm.config,
    accountIdentifier: query.accountIdentifier ?? null,
  }
  const visitor = { ...accessScope, tokenId: null, requestId }
  const link = await requireLink(deps, visitor, page.link.linkId)
  const origin = { link, pageSessionId: sessionBucketKey(page) }
  await verifyAccountThroughLink(deps, visitor, origin, input, async (verified) => {
    const { label } = await fetchIdentity(deps, verified.identitySubject())
    const integrationAccountName = label ?? input.integrationAccountName
    const row = await newAccount(deps, verified, { ...input, integrationAccountName })
    const insert = async (trx: Transaction) => {
      await insertAccountThroughLink(deps, trx, visitor, row, verified)
      const submission = { attemptId: submissionId }
      const result = { accountId: row.accountId }
      const isRunning = await endSubmission(deps.submissions, trx, submission, result, deps.now())
      if (!isRunning) throw new Cancelled()
    }
    await deps.withLimitLock(link, () => deps.database.transaction(insert, { serializable: true }))
  })
}

/** Identifies the page session in limits and in the bindings of rotated tokens. */
export function sessionBucketKey({ session }: Pick<PageContext, 'session'>): string {
  return Buffer.from(session.hash).toString('base64')
}
