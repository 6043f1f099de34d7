import { newAccount } from '../../accounts/insert-account.ts'
import { fetchIdentity } from '../../accounts/verification/fetch-identity.ts'
import {
  insertAccountThroughLink,
  verifyAccountThroughLink,
} from '../../links/create-account-through-link.ts'
import { requireLink } from '../../links/require-link.ts'
import type { DefinitionRow } from '../../storage/tables.ts'
import type { Transaction } from '../../storage/transaction.ts'
import type { ConnectPageDeps } from '../connect-page-deps.ts'
import type { ParsedForm } from '../form/parse-form.ts'
import type { FormStep } from '../integrations.ts'
import type { PageContext } from '../page/page-context.ts'
import { endSubmission } from '../submission/end-submission.ts'

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

/**
 * The name of an account when the form has no field for it: the integration's name, numbered within the session. Other
 * sessions don't count, because the number would reveal their accounts.
 */
export async function defaultAccountName(
  deps: Pick<ConnectPageDeps, 'submissions'>,
  { session, link }: PageContext,
  { name, definition_id }: Pick<DefinitionRow, 'name' | 'definition_id'>,
): Promise<string> {
  const accounts = await deps.submissions.accounts({
    sessionHash: session.hash,
    linkId: link.linkId,
  })
  const sameIntegrationCount = accounts.filter(
    (account) => account.definition_id === definition_id,
  ).length
  return sameIntegrationCount === 0 ? name : `${name} ${sameIntegrationCount + 1}`
}
