import type { LinchpinEvent, WebhookDeliveryDetails } from '@linchpin/sdk'
import { isLinchpinError } from '@linchpin/sdk'
import { type Html, html } from '../../platform/ui/html.ts'
import { banner, copyable, facts, panel, submitButton } from '../parts/content.ts'
import { jsonTree } from '../parts/json-tree.ts'
import { statusBadge } from '../parts/status.ts'
import { exactTime, timeAgo } from '../parts/time.ts'
import type { Screen, View } from '../screen.ts'
import { showForbidden } from './forbidden.ts'
import { describeDelivery } from './webhook-state.ts'

const PATH = '/console/webhooks'

/** Did it arrive, and what did the receiver answer? */
export const webhookDeliveryScreen: Screen = {
  path: '/webhooks/:webhookEndpointId/deliveries/:eventId',
  async show(view) {
    const forbidden = showForbidden(view, 'webhooks', 'webhooks')
    if (forbidden !== undefined) return forbidden
    const { api, params, words } = view
    const { webhookEndpointId = '', eventId = '' } = params
    const [endpoint, delivery, event] = await Promise.all([
      api.webhookEndpoints.get(webhookEndpointId),
      api.webhookEndpoints.getDelivery(webhookEndpointId, eventId),
      api.events.get(eventId).catch((error: unknown) => {
        // Deliveries are retained longer than their events.
        if (isLinchpinError(error, 'event_not_found')) return undefined
        throw error
      }),
    ])
    const path = `${PATH}/${webhookEndpointId}`
    return {
      title: delivery.type,
      section: 'webhooks',
      parent: { href: path, label: new URL(endpoint.url).host },
      note: html`${words.webhooks.deliveryOf} ${exactTime(delivery.createdAt)}`,
      isLive: true,
      actions: [
        html`<form method="post" action="${path}/replay">${view.formFields(`${path}/replay`)}<input type="hidden" name="eventId" value="${eventId}">${submitButton({ text: words.webhooks.replayOne, icon: 'refresh', kind: 'primary' })}</form>`,
      ],
      banner: renderBanner(view, delivery),
      main: html`<div class="columns"><div>${panel(words.webhooks.payload, renderPayload(view, event))}${panel(words.webhooks.failures, renderFailures(view, delivery))}</div>
<aside>${panel(words.webhooks.facts, renderFacts(view, delivery))}</aside></div>`,
    }
  },
}

function renderBanner({ words, now }: View, delivery: WebhookDeliveryDetails): Html | undefined {
  const { banners } = words.webhooks
  if (delivery.state === 'failed')
    return banner('bad', { title: banners.givenUp, text: banners.givenUpText })
  if (delivery.state === 'pending' && delivery.attempts > 0 && delivery.nextAttemptAt !== null)
    return banner('warn', {
      title: banners.retried,
      text: html`${banners.nextAttempt} ${timeAgo(delivery.nextAttemptAt, now, words)}.`,
    })
  if (delivery.state === 'held')
    return banner('info', { title: banners.held, text: banners.heldText })
  return undefined
}

function renderPayload({ words }: View, event: LinchpinEvent | undefined): Html {
  return event === undefined
    ? html`<p class="quiet">${words.webhooks.eventGone}</p>`
    : html`${jsonTree(event, words)}<p class="quiet"><a href="/console/logs/${event.id}">${words.webhooks.openEvent}</a></p>`
}

function renderFailures({ words, now }: View, { failures }: WebhookDeliveryDetails): Html {
  const { webhooks } = words
  if (failures.length === 0) return html`<p class="quiet">${webhooks.noFailures}</p>`
  return html`<ol class="failures">${failures.map(
    (failure) =>
      html`<li><p><b>${failure.status === null ? failure.code : `HTTP ${failure.status}`}</b> <span class="quiet">${webhooks.attempt(failure.attempt, failure.round)} · ${timeAgo(failure.at, now, words)} · ${failure.ms} ms</span></p>${failure.response === '' ? html`<p class="quiet">${webhooks.noBody}</p>` : html`<pre class="body" tabindex="0"><code>${failure.response}</code></pre>`}</li>`,
  )}</ol>`
}

function renderFacts({ words, now }: View, delivery: WebhookDeliveryDetails): Html {
  const { webhooks } = words
  return facts([
    [webhooks.state, statusBadge(describeDelivery(delivery, words))],
    [webhooks.attempts, `${delivery.attempts}`],
    [webhooks.replays, `${delivery.round}`],
    [webhooks.response, delivery.lastStatus === null ? undefined : `HTTP ${delivery.lastStatus}`],
    [webhooks.duration, delivery.lastMs === null ? undefined : `${delivery.lastMs} ms`],
    [
      webhooks.lastAttempt,
      delivery.lastAt === null ? undefined : timeAgo(delivery.lastAt, now, words),
    ],
    [
      webhooks.next,
      delivery.nextAttemptAt === null ? undefined : timeAgo(delivery.nextAttemptAt, now, words),
    ],
    [webhooks.subject, copyable(delivery.subject, words)],
    [webhooks.event, copyable(delivery.eventId, words)],
  ])
}
