import { type Html, html } from '../../page/html.ts'
import type { VisitAccount } from '../attempt/visit-attempt-store.ts'

/** What was connected, one after the other: the tool, and the account where that has a name of its own. */
export function accountNames(accounts: readonly VisitAccount[]): Html[] {
  return accounts.map(({ definition_name: tool, account_name: name }, index) => {
    const shown =
      name === tool ? html`<bdi>${tool}</bdi>` : html`<bdi>${tool}</bdi> (<bdi>${name}</bdi>)`
    return html`${index === 0 ? '' : ', '}${shown}`
  })
}
