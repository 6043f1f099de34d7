import { assertBelowIdentifierLimit } from '../../links/policy/assert-link-accepts.ts'
import type { Transaction } from '../../storage/transaction.ts'
import type { OAuthFlowDeps } from '../oauth-flow-deps.ts'
import type { OAuthSessionContext } from '../session/session-context.ts'

/**
 * A reconnect adds nothing, but it may move an account of a link to another `accountIdentifier`: there must be room.
 *
 * @throws ApiError `link_identifier_full`
 */
export async function assertIdentifierLimit(
  deps: Pick<OAuthFlowDeps, 'links'>,
  { session, accessScope, account }: OAuthSessionContext,
  trx: Transaction,
): Promise<void> {
  const newIdentifier = session.account_identifier
  if (
    account?.link_id == null ||
    newIdentifier === null ||
    account.account_identifier === newIdentifier
  )
    return
  const link = await deps.links.find(trx, accessScope, account.link_id)
  if (link !== undefined) await assertBelowIdentifierLimit(deps, trx, link, newIdentifier)
}
