import { isLinchpinError, type WebhookDeliveryDetails, type WebhookEndpoint } from '@linchpin/sdk'
import { type Html, html } from '../../platform/ui/html.ts'
import { copyable, facts, linkButton, panel, snippet } from '../parts/content.ts'
import { customerLink } from '../parts/customer-link.ts'
import { jsonTree } from '../parts/json-tree.ts'
import { statusBadge } from '../parts/status.ts'
import { requestLink, subjectLink } from '../parts/subject-link.ts'
import { table } from '../parts/table.ts'
import { exactTime, timeAgo } from '../parts/time.ts'
import { whyNot } from '../parts/why-not.ts'
import type { Screen, View } from '../screen.ts'
import { describeDelivery } from './webhook-state.ts'

const PATH = '/console/logs'

/** What exactly happened? */
export const eventScreen: Screen = {
  path: '/logs/:eventId',
  async show(view) {
    const { api, params, words, publicUrl } = view
    const { logs } = words
    const eventId = params.eventId ?? ''
    const [event, deliveries] = await Promise.all([
      api.events.get(eventId),
      readDeliveries(view, eventId),
    ])
    const { cause } = event
    const causes = words.connection.causes as Readonly<Record<string, string>>
    return {
      title: event.type,
      section: 'logs',
      parent: { href: `${PATH}?view=events`, label: words.sections.logs },
      note: exactTime(event.timestamp),
      actions: [
        linkButton(
          { text: logs.sameSubject, icon: 'filter' },
          `${PATH}?view=events&subject=${encodeURIComponent(event.subject)}`,
        ),
      ],
      main: html`<div class="columns"><div>${panel(logs.data, jsonTree(event.data, words))}${renderDeliveries(view, deliveries)}</div>
<aside>${panel(
        logs.facts,
        facts([
          [logs.subject, subjectLink(event.subject)],
          [
            logs.customerLabel,
            event.accountIdentifier === null ? undefined : customerLink(event.accountIdentifier),
          ],
          [logs.cause, causes[cause.via] ?? cause.via],
          [
            words.app.requestId,
            cause.requestId === null ? undefined : requestLink(cause.requestId, words),
          ],
          [logs.sequence, `${event.sequence}`],
          ['ID', copyable(event.id, words)],
        ]),
      )}${panel(
        logs.use,
        html`${snippet(`const event = await linchpin.events.get('${event.id}')`, words, 'TypeScript')}${snippet(`curl '${publicUrl}/api/v1/event/${event.id}' \\\n  -H "Authorization: Bearer $LINCHPIN_TOKEN"`, words, 'curl')}`,
      )}</aside></div>`,
    }
  },
}

/** Of so many endpoints: one request each. */
const ENDPOINTS = 10

interface Delivery {
  readonly endpoint: WebhookEndpoint
  readonly delivery: WebhookDeliveryDetails
}

/** To which endpoints it was sent; undefined if the person may not see that. */
async function readDeliveries(
  view: View,
  eventId: string,
): Promise<readonly Delivery[] | undefined> {
  if (whyNot(view, 'webhooks') !== undefined) return undefined
  const { webhookEndpoints } = view.api
  const endpoints = await webhookEndpoints.list().first(ENDPOINTS)
  const deliveries = endpoints.map(async (endpoint): Promise<Delivery | undefined> => {
    try {
      const { webhookEndpointId } = endpoint
      const delivery = await webhookEndpoints.getDelivery(webhookEndpointId, eventId)
      return { endpoint, delivery }
    } catch (error) {
      if (isLinchpinError(error) && error.status === 404) return undefined
      throw error
    }
  })
  return (await Promise.all(deliveries)).filter((each) => each !== undefined)
}

function renderDeliveries(
  { words, now }: View,
  deliveries: readonly Delivery[] | undefined,
): Html | undefined {
  if (deliveries === undefined) return undefined
  const { webhooks, logs } = words
  if (deliveries.length === 0)
    return panel(webhooks.deliveries, html`<p class="quiet">${logs.notDelivered}</p>`)
  return panel(
    webhooks.deliveries,
    table<Delivery>({
      label: webhooks.deliveries,
      rows: deliveries,
      key: ({ endpoint }) => endpoint.webhookEndpointId,
      href: ({ endpoint, delivery }) =>
        `/console/webhooks/${endpoint.webhookEndpointId}/deliveries/${delivery.eventId}`,
      columns: [
        {
          name: logs.endpoint,
          width: 'wide',
          cell: ({ endpoint }) => new URL(endpoint.url).host,
        },
        {
          name: webhooks.state,
          width: 'medium',
          cell: ({ delivery }) =>
            html`<span class="two">${statusBadge(describeDelivery(delivery, words))}${delivery.lastStatus === null ? '' : html`<small>HTTP ${delivery.lastStatus}</small>`}</span>`,
        },
        {
          name: webhooks.lastAttempt,
          width: 'medium',
          align: 'end',
          cell: ({ delivery }) =>
            delivery.lastAt === null ? '' : timeAgo(delivery.lastAt, now, words),
        },
      ],
    }),
  )
}
