import type { DefinitionRow } from '../../storage/tables.ts'
import type { LinkPageDeps } from '../link-page-deps.ts'
import type { Page } from '../view/page.ts'

/**
 * A name for an account that nobody was asked to name: the tool's, numbered within the visit. Other visits do not count:
 * the number would tell of other people's accounts.
 */
export async function accountName(
  deps: Pick<LinkPageDeps, 'visitAttempts'>,
  { visit, link }: Page,
  { name, definition_id }: Pick<DefinitionRow, 'name' | 'definition_id'>,
): Promise<string> {
  const accounts = await deps.visitAttempts.accounts({
    visitHash: visit.hash,
    linkId: link.link_id,
  })
  const same = accounts.filter((account) => account.definition_id === definition_id).length
  return same === 0 ? name : `${name} ${same + 1}`
}
