import type { WebhookDelivery, WebhookEndpoint, WebhookTestResult } from '@linchpin/sdk'
import { type Html, html } from '../../platform/ui/html.ts'
import { choices } from '../parts/choices.ts'
import {
  banner,
  copyable,
  facts,
  linkButton,
  panel,
  snippet,
  submitButton,
} from '../parts/content.ts'
import { dialog } from '../parts/dialog.ts'
import { selectField } from '../parts/fields.ts'
import { toFormErrors } from '../parts/form-errors.ts'
import { statusBadge } from '../parts/status.ts'
import { emptyState, formatNumber, pager, table, tabs, withQuery } from '../parts/table.ts'
import { exactTime, timeAgo } from '../parts/time.ts'
import type { Answer, Page, Screen, Submission, View } from '../screen.ts'
import { showForbidden } from './forbidden.ts'
import { RECEIVER, showSecret } from './webhook-new.ts'
import { describeDelivery, describeEndpoint, endpointBanner } from './webhook-state.ts'

const PATH = '/console/webhooks'
const PAGE = 50
const STATES = ['failed', 'pending', 'held', 'queued', 'delivered'] as const
/** A receiver has 15 seconds to answer. */
const TEST_MS = 30_000

/** What did this endpoint get, and what did it answer? */
export const webhookScreen: Screen = {
  path: '/webhooks/:webhookEndpointId',
  show: (view) => show(view),
  actions: {
    '/test': sendTest,
    '/pause': pause,
    '/resume': resume,
    '/rotate': rotate,
    '/replay': replay,
    '/delete': remove,
  },
}

async function show(view: View, extra: Pick<Page, 'banner' | 'status'> = {}): Promise<Answer> {
  const forbidden = showForbidden(view, 'webhooks', 'webhooks')
  if (forbidden !== undefined) return forbidden
  const { api, words, params, query, now } = view
  const id = params.webhookEndpointId ?? ''
  const state = STATES.find((each) => each === query.get('state'))
  const [endpoint, deliveries] = await Promise.all([
    api.webhookEndpoints.get(id),
    api.webhookEndpoints
      .listDeliveries(id, { state, cursor: query.get('cursor') ?? undefined })
      .page(PAGE),
  ])
  const path = `${PATH}/${id}`
  return {
    title: new URL(endpoint.url).host,
    section: 'webhooks',
    parent: { href: PATH, label: words.sections.webhooks },
    note: html`${endpoint.description || endpoint.url}`,
    actions: renderActions(view, endpoint),
    banner: html`${extra.banner}${endpointBanner(endpoint, now, words)}`,
    isLive: extra.banner === undefined,
    status: extra.status,
    main: html`<div class="columns"><div><section aria-labelledby="deliveries"><header class="heading"><h2 id="deliveries">${words.webhooks.deliveries}</h2>${renderReplays(view, path)}</header>
${stateTabs(view, path, state)}${renderDeliveries(view, deliveries.items, path, state !== undefined || query.has('cursor'))}${pager({ path, query }, deliveries.nextCursor, words)}</section></div>
<aside class="after">${panel(words.webhooks.facts, renderFacts(view, endpoint))}${panel(words.webhooks.receiver, snippet(RECEIVER, words, 'TypeScript'))}</aside></div>`,
  }
}

function renderActions(view: View, endpoint: WebhookEndpoint): Html[] {
  const { words } = view
  const { webhooks } = words
  const path = `${PATH}/${endpoint.webhookEndpointId}`
  return [
    dialog({
      id: 'delete',
      trigger: { text: webhooks.delete, icon: 'trash' },
      title: webhooks.deleteTitle,
      content: html`<p>${webhooks.deleteText(formatNumber(endpoint.pending))}</p><form method="post" action="${path}/delete">${view.formFields(`${path}/delete`)}<div class="buttons">${submitButton({ text: webhooks.delete, icon: 'trash', kind: 'danger' })}</div></form>`,
      words,
    }),
    dialog({
      id: 'rotate',
      trigger: { text: webhooks.rotate, icon: 'key' },
      title: webhooks.rotateTitle,
      content: html`<p>${webhooks.rotateText}</p><form method="post" action="${path}/rotate" class="stack" data-turbo="false">${view.formFields(`${path}/rotate`)}${selectField({ name: 'overlapSeconds', label: webhooks.overlap, value: '86400' }, webhooks.overlaps)}<div class="buttons">${submitButton({ text: webhooks.rotate, icon: 'key', kind: 'primary' })}</div></form>`,
      words,
    }),
    linkButton({ text: webhooks.edit }, `${path}/edit`),
    renderPauseOrResume(view, endpoint),
    dialog({
      id: 'test',
      trigger: { text: webhooks.test, icon: 'send', kind: 'primary' },
      title: webhooks.testTitle,
      content: html`<p>${webhooks.testText}</p><form method="post" action="${path}/test" class="stack" data-turbo="false">${view.formFields(`${path}/test`)}${selectField(
        { name: 'type', label: webhooks.event, value: 'webhook.test' },
        TEST_TYPES.map((value) => ({ value, label: value })),
      )}<div class="buttons">${submitButton({ text: webhooks.send, icon: 'send', kind: 'primary' })}</div></form>`,
      words,
    }),
  ]
}

/** Those that receivers handle most. */
const TEST_TYPES = [
  'webhook.test',
  'account.created',
  'account.needs_reauth',
  'account.recovered',
  'account.reconnected',
  'account.error',
  'account.deleted',
  'connect.failed',
  'connect_session.completed',
] as const

function renderPauseOrResume(view: View, endpoint: WebhookEndpoint): Html {
  const { words } = view
  const { webhooks } = words
  const path = `${PATH}/${endpoint.webhookEndpointId}`
  if (endpoint.state === 'active')
    return html`<form method="post" action="${path}/pause">${view.formFields(`${path}/pause`)}${submitButton({ text: webhooks.pause, icon: 'pause' })}</form>`
  return dialog({
    id: 'resume',
    trigger: { text: webhooks.resume, icon: 'play' },
    title: webhooks.resumeTitle,
    content: html`<form method="post" action="${path}/resume" class="stack">${view.formFields(`${path}/resume`)}${choices(
      {
        name: 'replay',
        label: webhooks.resumeWith,
        type: 'radio',
        choices: [
          { value: 'missed', label: webhooks.missed, hint: webhooks.missedHint },
          { value: 'none', label: webhooks.noneMissed, hint: webhooks.noneMissedHint },
        ],
        chosen: ['missed'],
      },
    )}<div class="buttons">${submitButton({ text: webhooks.resume, icon: 'play', kind: 'primary' })}</div></form>`,
    words,
  })
}

function renderReplays(view: View, path: string): Html {
  const { words, now } = view
  const { webhooks } = words
  const hour = (time: number) => new Date(time).toISOString().slice(0, 16)
  return html`<div class="buttons"><form method="post" action="${path}/replay">${view.formFields(`${path}/replay`)}<input type="hidden" name="which" value="failed">${submitButton({ text: webhooks.replayFailed, icon: 'refresh' })}</form>${dialog(
    {
      id: 'replay',
      trigger: { text: webhooks.replayPeriod, icon: 'calendar' },
      title: webhooks.replayTitle,
      content: html`<p>${webhooks.replayText}</p><form method="post" action="${path}/replay" class="stack">${view.formFields(`${path}/replay`)}<input type="hidden" name="which" value="period">
<label class="field"><span>${webhooks.since}</span><input type="datetime-local" name="since" required value="${hour(now - 3_600_000)}"></label>
<label class="field"><span>${webhooks.until}</span><input type="datetime-local" name="until" required value="${hour(now + 60_000)}"></label>
<div class="buttons">${submitButton({ text: webhooks.replay, icon: 'refresh', kind: 'primary' })}</div></form>`,
      words,
    },
  )}</div>`
}

function stateTabs({ words, query }: View, path: string, current: string | undefined): Html {
  const { deliveryStates, allDeliveries } = words.webhooks
  const href = (state: string | undefined) =>
    withQuery({ path, query }, { state, cursor: undefined })
  return tabs(words.webhooks.state, [
    { name: allDeliveries, href: href(undefined), isCurrent: current === undefined },
    ...STATES.map((state) => ({
      name: deliveryStates[state],
      href: href(state),
      isCurrent: state === current,
    })),
  ])
}

function renderDeliveries(
  { words, now }: View,
  rows: readonly WebhookDelivery[],
  path: string,
  isFiltered: boolean,
): Html {
  const { webhooks } = words
  if (rows.length === 0)
    return emptyState({
      icon: 'send',
      text: isFiltered ? webhooks.noDeliveriesFiltered : webhooks.noDeliveries,
      action: isFiltered ? linkButton({ text: webhooks.allDeliveries }, path) : undefined,
    })
  return table<WebhookDelivery>({
    label: webhooks.deliveries,
    rows,
    key: (row) => `${row.eventId}-${row.round}`,
    href: (row) => `${path}/deliveries/${row.eventId}`,
    columns: [
      {
        name: webhooks.event,
        width: 'wide',
        cell: (row) =>
          html`<span class="two"><b>${row.type}</b><small><code>${row.subject}</code></small></span>`,
      },
      {
        name: webhooks.state,
        width: 'medium',
        cell: (row) =>
          html`<span class="two">${statusBadge(describeDelivery(row, words))}${row.lastStatus === null ? '' : html`<small>HTTP ${row.lastStatus}</small>`}</span>`,
      },
      {
        name: webhooks.created,
        width: 'medium',
        align: 'end',
        cell: (row) => timeAgo(row.createdAt, now, words),
      },
    ],
  })
}

function renderFacts({ words, now }: View, endpoint: WebhookEndpoint): Html {
  const { webhooks } = words
  const { fields } = webhooks
  return facts([
    [webhooks.state, statusBadge(describeEndpoint(endpoint, now, words))],
    ['URL', copyable(endpoint.url, words)],
    [fields.types, endpoint.types.join(', ') || webhooks.allTypes],
    [webhooks.pending, formatNumber(endpoint.pending)],
    [
      webhooks.lastSuccess,
      endpoint.lastSuccessAt === null
        ? webhooks.never
        : timeAgo(endpoint.lastSuccessAt, now, words),
    ],
    [fields.integrations, endpoint.integrationDefinitionIds.join(', ') || webhooks.allIntegrations],
    [fields.payload, words.webhooks.payloads[endpoint.payload as 'full'] ?? endpoint.payload],
    [fields.ordering, words.webhooks.orderings[endpoint.ordering as 'none'] ?? endpoint.ordering],
    [fields.signature, words.webhooks.signatures[endpoint.signature as 'v1'] ?? endpoint.signature],
    [fields.maxInFlight, `${endpoint.maxInFlight}`],
    [fields.headers, endpoint.headerNames.join(', ') || undefined],
    [
      webhooks.publicKey,
      endpoint.publicKeys[0] === undefined ? undefined : copyable(endpoint.publicKeys[0], words),
    ],
    [webhooks.created, exactTime(endpoint.createdAt)],
    ['ID', copyable(endpoint.webhookEndpointId, words)],
  ])
}

async function sendTest(view: Submission): Promise<Answer> {
  const { api, params, form, formId, words } = view
  const type = TEST_TYPES.find((each) => each === form.get('type')) ?? 'webhook.test'
  const result = await api.webhookEndpoints.test(
    params.webhookEndpointId ?? '',
    { type },
    { idempotencyKey: formId, timeoutMs: TEST_MS },
  )
  return show(view, { banner: describeTest(result, words.webhooks) })
}

function describeTest(
  { delivered, status, code, ms, response }: WebhookTestResult,
  words: View['words']['webhooks'],
): Html {
  const answer = status === null ? words.noResponse : `HTTP ${status}`
  return banner(delivered ? 'good' : 'bad', {
    title: delivered ? words.testDelivered(answer, ms) : words.testFailed(answer, code ?? ''),
    text: response === '' ? undefined : html`<code>${response}</code>`,
  })
}

async function pause({ api, params, formId, words }: Submission): Promise<Answer> {
  const id = params.webhookEndpointId ?? ''
  await api.webhookEndpoints.update(id, { paused: true }, { idempotencyKey: formId })
  return { location: `${PATH}/${id}`, notice: words.webhooks.paused }
}

async function resume({ api, params, form, formId, words }: Submission): Promise<Answer> {
  const id = params.webhookEndpointId ?? ''
  const replay = form.get('replay') === 'none' ? 'none' : 'missed'
  await api.webhookEndpoints.update(id, { paused: false, replay }, { idempotencyKey: formId })
  return { location: `${PATH}/${id}`, notice: words.webhooks.resumed }
}

async function rotate(view: Submission): Promise<Answer> {
  const { api, params, form, formId } = view
  const overlapSeconds = Number(form.get('overlapSeconds') ?? 86_400)
  return showSecret(
    view,
    await api.webhookEndpoints.rotateSecret(
      params.webhookEndpointId ?? '',
      { overlapSeconds },
      { idempotencyKey: formId },
    ),
  )
}

async function replay(view: Submission): Promise<Answer> {
  const { api, params, form, formId, words } = view
  const id = params.webhookEndpointId ?? ''
  const eventId = form.get('eventId')
  const location = eventId === null ? `${PATH}/${id}` : `${PATH}/${id}/deliveries/${eventId}`
  try {
    const { queued } = await api.webhookEndpoints.replay(
      id,
      eventId === null ? readSelection(form) : { eventIds: [eventId] },
      { idempotencyKey: formId },
    )
    if (queued === 0 && eventId !== null)
      return { location, notice: words.webhooks.onItsWay, noticeTone: 'alert' }
    return { location, notice: words.webhooks.queued(queued) }
  } catch (error) {
    const { message, fields } = toFormErrors(error, ['since', 'until'])
    const title = message ?? fields.since ?? fields.until ?? ''
    return show(view, { status: 422, banner: banner('bad', { title }) })
  }
}

/** A time without zone is in UTC, as the page says. */
function readSelection(form: URLSearchParams) {
  if (form.get('which') !== 'period') return { failed: true }
  return { since: `${form.get('since')}:00Z`, until: `${form.get('until')}:00Z` }
}

async function remove({ api, params, words }: Submission): Promise<Answer> {
  await api.webhookEndpoints.delete(params.webhookEndpointId ?? '')
  return { location: PATH, notice: words.webhooks.deleted }
}
