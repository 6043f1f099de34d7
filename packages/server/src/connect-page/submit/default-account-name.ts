import type { DefinitionRow } from '../../storage/tables.ts'
import type { ConnectPageDeps } from '../connect-page-deps.ts'
import type { PageContext } from '../page/page-context.ts'

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
