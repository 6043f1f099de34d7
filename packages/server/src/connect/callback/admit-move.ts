import { refuseFullGroup } from '../../link/policy/admit-through-link.ts'
import type { Transaction } from '../../storage/transaction.ts'
import type { AttemptContext } from '../attempt/attempt-context.ts'
import type { ConnectDeps } from '../connect-deps.ts'

/**
 * A reconnect adds nothing, but it may move an account of a link to another `accountIdentifier`: there must be room.
 *
 * @throws ApiError `link_identifier_full`
 */
export async function admitMove(
  deps: Pick<ConnectDeps, 'links'>,
  { attempt, reach, account }: AttemptContext,
  trx: Transaction,
): Promise<void> {
  const to = attempt.account_identifier
  if (account?.link_id == null || to === null || account.account_identifier === to) return
  const link = await deps.links.find(trx, reach, account.link_id)
  if (link !== undefined) await refuseFullGroup(deps, trx, link, to)
}
