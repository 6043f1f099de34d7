import { type Html, html } from '../../ui/html.ts'
import type { SessionAccount } from '../stores/submission-store.ts'

/** What was connected, one after the other: the tool, and the account where that has a name of its own. */
export function accountNames(accounts: readonly SessionAccount[]): Html[] {
  return accounts.map(({ definition_name: integrationName, account_name: name }, index) => {
    const label =
      name === integrationName
        ? html`<bdi>${integrationName}</bdi>`
        : html`<bdi>${integrationName}</bdi> (<bdi>${name}</bdi>)`
    return html`${index === 0 ? '' : ', '}${label}`
  })
}
