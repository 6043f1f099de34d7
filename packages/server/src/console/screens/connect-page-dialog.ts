import { type Html, html } from '../../platform/ui/html.ts'
import { linkButton, snippet } from '../parts/content.ts'
import { icon } from '../parts/icons.ts'
import { timeAgo } from '../parts/time.ts'
import type { Submission } from '../screen.ts'

export interface ConnectPageDialog {
  readonly integrationDefinitionId: string
  /** Default: the one that the customer would use. */
  readonly integrationOAuthAppId?: string
  /** The customer whose connection it becomes. */
  readonly accountIdentifier: string
  readonly title: string
  /** Ends before the time when the page expires. */
  readonly text: string
  /** Where the dialog leads when it is closed. */
  readonly back: string
}

/** Creates a connect session for one integration and shows its URL once. */
export async function openConnectPage(
  { api, words, now, formId }: Submission,
  { title, text, back, integrationDefinitionId, ...session }: ConnectPageDialog,
): Promise<Html> {
  const { url, expiresAt } = await api.connectSessions.create(
    { ...session, integrationDefinitionIds: [integrationDefinitionId] },
    { idempotencyKey: formId },
  )
  return html`<dialog open class="dialog" aria-labelledby="page-title"><h2 id="page-title">${title}</h2>
<p>${text} ${timeAgo(expiresAt, now, words)}.</p>
${snippet(url, words)}
<div class="buttons">${linkButton({ text: words.app.close }, back)}<a class="button primary" href="${url}" target="_blank" rel="noopener">${icon('external', 16)}<span>${words.integration.openPage}</span></a></div></dialog>`
}
