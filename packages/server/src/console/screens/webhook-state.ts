import type { WebhookDelivery, WebhookEndpoint } from '@linchpin/sdk'
import { type Html, html } from '../../platform/ui/html.ts'
import { banner } from '../parts/content.ts'
import type { ConnectionStatus } from '../parts/status.ts'
import { exactTime, timeAgo } from '../parts/time.ts'
import type { Words } from '../words/en.ts'

/** How an endpoint is, for people. An active endpoint that has not accepted an event yet says so. */
export function describeEndpoint(
  { state, failingSince, lastSuccessAt }: WebhookEndpoint,
  _now: number,
  { webhooks }: Words,
): ConnectionStatus {
  const { states } = webhooks
  if (state === 'disabled') return { label: states.disabled, tone: 'bad', icon: 'error' }
  if (state === 'paused') return { label: states.paused, tone: 'quiet', icon: 'pause' }
  if (state === 'failing' || failingSince !== null)
    return { label: states.failing, tone: 'bad', icon: 'alert' }
  if (lastSuccessAt === null) return { label: states.never, tone: 'warn', icon: 'clock' }
  if (state === 'active') return { label: states.active, tone: 'good', icon: 'good' }
  return { label: state, tone: 'quiet', icon: 'info' }
}

/** What is wrong with an endpoint, and what happens until someone acts. */
export function endpointBanner(
  endpoint: WebhookEndpoint,
  now: number,
  words: Words,
): Html | undefined {
  const { banners } = words.webhooks
  const { state, stateReason, failingSince, lastSuccessAt } = endpoint
  const reason = stateReason === null ? '' : html` <code>${stateReason}</code>`
  if (state === 'disabled')
    return banner('bad', {
      title: banners.disabled,
      text: html`${banners.disabledText}${reason}`,
    })
  if (state === 'paused') return banner('info', { title: banners.paused, text: banners.pausedText })
  if (failingSince !== null)
    return banner('bad', {
      title: html`${banners.failing} ${exactTime(failingSince)} (${timeAgo(failingSince, now, words)})`,
      text: html`${state === 'failing' ? banners.failingText : banners.retryingText}${reason}`,
    })
  if (lastSuccessAt === null)
    return banner('warn', { title: banners.never, text: banners.neverText })
  return undefined
}

/** How a delivery is, for people. */
export function describeDelivery(
  { state }: Pick<WebhookDelivery, 'state'>,
  { webhooks }: Words,
): ConnectionStatus {
  const { deliveryStates } = webhooks
  switch (state) {
    case 'delivered':
      return { label: deliveryStates.delivered, tone: 'good', icon: 'good' }
    case 'failed':
      return { label: deliveryStates.failed, tone: 'bad', icon: 'error' }
    case 'held':
      return { label: deliveryStates.held, tone: 'quiet', icon: 'pause' }
    case 'queued':
      return { label: deliveryStates.queued, tone: 'quiet', icon: 'clock' }
    case 'pending':
      return { label: deliveryStates.pending, tone: 'warn', icon: 'clock' }
    default:
      return { label: state, tone: 'quiet', icon: 'info' }
  }
}
