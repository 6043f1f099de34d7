import { type Html, html } from '../../ui/html.ts'
import type { SessionAccount } from '../stores/submission-store.ts'

/** The connected accounts, comma-separated: the integration, and the account name where it differs. */
export function accountNames(accounts: readonly SessionAccount[]): Html[] {
  return accounts.map(({ definition_name: integrationName, account_name: name }, index) => {
    const label =
      name === integrationName
        ? html`<bdi>${integrationName}</bdi>`
        : html`<bdi>${integrationName}</bdi> (<bdi>${name}</bdi>)`
    return html`${index === 0 ? '' : ', '}${label}`
  })
}
