import type { DefinitionRow } from '../../storage/tables.ts'
import type { ConnectPageDeps } from '../connect-page-deps.ts'
import type { PageContext } from '../page/page-context.ts'

/**
 * A name for an account that nobody was asked to name: the tool's, numbered within the visit. Other visits do not count:
 * the number would tell of other people's accounts.
 */
export async function defaultAccountName(
  deps: Pick<ConnectPageDeps, 'submissions'>,
  { session, link }: PageContext,
  { name, definition_id }: Pick<DefinitionRow, 'name' | 'definition_id'>,
): Promise<string> {
  const accounts = await deps.submissions.accounts({
    sessionHash: session.hash,
    linkId: link.link_id,
  })
  const sameIntegrationCount = accounts.filter(
    (account) => account.definition_id === definition_id,
  ).length
  return sameIntegrationCount === 0 ? name : `${name} ${sameIntegrationCount + 1}`
}
