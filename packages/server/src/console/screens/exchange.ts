import type { LoggedRequest, RequestDetails } from '@linchpin/sdk'
import { type Html, html } from '../../platform/ui/html.ts'
import { linkButton, panel } from '../parts/content.ts'
import { bodyView, headerList } from '../parts/json-tree.ts'
import { formatNumber } from '../parts/table.ts'
import { timeAgo } from '../parts/time.ts'
import { whyNot } from '../parts/why-not.ts'
import type { View } from '../screen.ts'
import type { Words } from '../words/en.ts'

type Exchange = NonNullable<RequestDetails['exchange']>
type Message = Exchange['request']

/** What a debug window has recorded of a request, for those with elevated rights; others see how to get them. Empty without a recording. */
export async function renderExchange(
  view: View,
  { hasExchange, requestLogId }: LoggedRequest,
): Promise<Html | string> {
  if (!hasExchange) return ''
  const { words, now } = view
  const texts = words.exchange
  const api = await view.openApi('elevated')
  const disabledBecause = whyNot(view, 'credentials:read', 'elevated')
  if (api === undefined || disabledBecause !== undefined)
    return panel(
      texts.title,
      html`<div class="stack"><p class="quiet">${disabledBecause ?? texts.needsElevation}</p><div class="buttons">${linkButton(
        { text: texts.confirm, icon: 'lock', kind: 'primary', disabledBecause },
        `/console/elevate?to=${encodeURIComponent(`/console/logs/requests/${requestLogId}`)}`,
      )}</div></div>`,
    )
  const { exchange } = await api.requests.get(requestLogId)
  if (exchange === null) return ''
  const { url, request, response, expiresAt } = exchange
  const note = html`<p class="quiet">${texts.deleted} ${timeAgo(expiresAt, now, words)}</p>`
  return html`${panel(texts.request, html`<div class="stack"><pre class="body" tabindex="0"><code>${url}</code></pre>${renderMessage(request, words)}</div>`, note)}${panel(texts.response, response === null ? html`<p class="quiet">${texts.noResponse}</p>` : renderMessage(response, words))}`
}

/** Headers and body of a request or a response. */
export function renderMessage({ headers, body }: Message, words: Words): Html {
  return html`<div class="stack">${renderBody(body, words)}
<details class="help"><summary>${words.testRequest.headers} (${formatNumber(headers.length)})</summary>${headerList(
    headers.map(({ name, value }) => [name, value]),
    words,
  )}</details></div>`
}

function renderBody({ text, isCut, omitted, bytes }: Message['body'], words: Words): Html {
  const texts = words.exchange
  if (omitted !== null)
    return html`<p class="quiet">${texts.omitted[omitted as keyof typeof texts.omitted] ?? omitted}</p>`
  if (text === null || text === '') return html`<p class="quiet">${texts.empty}</p>`
  const size = bytes === null ? texts.unknownSize : words.testRequest.size(bytes)
  return html`${bodyView(text, words)}${isCut ? html`<p class="quiet">${texts.cut(size)}</p>` : ''}`
}
