import {
  type IntegrationAccount,
  type IntegrationDefinition,
  isLinchpinError,
  type Linchpin,
} from '@linchpin/sdk'
import { type Html, html } from '../../platform/ui/html.ts'
import { banner, linkButton, panel, submitButton, tile } from '../parts/content.ts'
import { areaField, selectField, textField } from '../parts/fields.ts'
import { icon } from '../parts/icons.ts'
import { bodyView, headerList } from '../parts/json-tree.ts'
import { formatNumber } from '../parts/table.ts'
import { whyNot } from '../parts/why-not.ts'
import type { Answer, Screen, Submission, View } from '../screen.ts'

const CONNECTIONS = '/console/connections'
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
type Method = (typeof METHODS)[number]
const MAX_BODY = 64 * 1024
const DEADLINE_MS = 30_000

/** Does the provider respond, and with what? */
export const testRequestScreen: Screen = {
  path: '/connections/:integrationAccountId/request',
  show: (view) => show(view),
  actions: {
    '': send,
  },
}

/** What was sent, and what came back. */
interface Outcome {
  readonly typed: URLSearchParams
  readonly errors?: Readonly<Record<string, string>>
  readonly banner?: Html
  readonly response?: ProviderResponse
}

interface ProviderResponse {
  readonly status: number
  readonly statusText: string
  readonly ms: number
  readonly headers: readonly (readonly [string, string])[]
  readonly body: Uint8Array
}

interface Target {
  readonly account: IntegrationAccount
  readonly definition: Pick<IntegrationDefinition, 'name' | 'icon'>
  readonly path: string
}

async function show(view: View, outcome?: Outcome): Promise<Answer> {
  const { words } = view
  const target = await load(view)
  const { definition, account, path } = target
  const api = await view.openApi('elevated')
  return {
    title: words.testRequest.title,
    section: 'connections',
    parent: {
      href: `${CONNECTIONS}/${account.integrationAccountId}`,
      label: words.testRequest.parent(definition.name),
    },
    mark: tile(definition.icon, 'large'),
    note: html`${definition.name} · ${account.integrationAccountName}`,
    banner: outcome?.banner ?? (api === undefined ? renderElevation(view, path) : undefined),
    main: html`<div class="stack"><p>${words.testRequest.lead(definition.name)}</p>
${renderForm(view, target, { isElevated: api !== undefined, outcome })}${outcome?.response === undefined ? '' : renderResponse(view, outcome.response)}</div>`,
    ...(outcome !== undefined && outcome.response === undefined && { status: 422 }),
  }
}

async function load({ api, params }: View): Promise<Target> {
  const account = await api.accounts.get(params.integrationAccountId ?? '')
  const id = account.integrationDefinitionId
  const definition = await api.definitions.get(id).catch((error: unknown) => {
    if (isLinchpinError(error) && error.status === 404) return { name: id, icon: '' }
    throw error
  })
  return { account, definition, path: `${CONNECTIONS}/${params.integrationAccountId}/request` }
}

function renderElevation(view: View, path: string): Html {
  const { testRequest } = view.words
  const reason = whyNot(view, 'proxy', 'elevated')
  // A confirmation would change nothing.
  if (reason !== undefined) return banner('info', { title: reason })
  return banner('info', {
    title: testRequest.needsElevation,
    text: testRequest.needsElevationText,
    action: linkButton(
      { text: testRequest.confirm, kind: 'primary' },
      `/console/elevate?to=${encodeURIComponent(path)}`,
    ),
  })
}

function renderForm(
  view: View,
  { definition, path }: Target,
  { isElevated, outcome }: { readonly isElevated: boolean; readonly outcome: Outcome | undefined },
): Html {
  const { testRequest } = view.words
  // A link prepares a request, but only the person themselves confirms it.
  const value = (name: string) =>
    outcome?.typed.get(name) ?? (name === 'confirmed' ? null : view.query.get(name))
  const error = (name: string) => outcome?.errors?.[name]
  const hasMore = ['headers', 'body', 'query', 'confirmed'].some(
    (name) => value(name) || error(name),
  )
  const options = METHODS.map((method) => ({ value: method, label: method }))
  return panel(
    testRequest.title,
    html`<form method="post" action="${path}" class="stack">${view.formFields(path)}
<div class="request">${selectField({ name: 'method', label: testRequest.method, value: value('method') }, options)}${textField({ name: 'path', label: testRequest.path, value: value('path'), hint: testRequest.pathHint, error: error('path'), isCode: true, isRequired: true, maxLength: 4_096, placeholder: '/me' })}</div>
<label class="check"><input type="checkbox" name="confirmed" value="1"${value('confirmed') ? html` checked` : ''}><span>${testRequest.changes(definition.name)} <small>${testRequest.changesHint}</small></span></label>
${error('confirmed') === undefined ? '' : html`<p class="error">${icon('error', 16)}${error('confirmed')}</p>`}
<details class="help"${hasMore ? html` open` : ''}><summary>${testRequest.more}</summary><div class="stack">
${areaField({ name: 'query', label: testRequest.query, value: value('query'), hint: testRequest.queryHint, isCode: true, rows: 2 })}
${areaField({ name: 'headers', label: testRequest.headers, value: value('headers'), hint: testRequest.headersHint, error: error('headers'), isCode: true, rows: 2 })}
${areaField({ name: 'body', label: testRequest.body, value: value('body'), hint: testRequest.bodyHint, error: error('body'), isCode: true, rows: 6 })}</div></details>
<div class="buttons">${submitButton({ text: testRequest.send, icon: 'send', kind: 'primary', disabledBecause: whyNot(view, 'proxy', 'elevated') ?? (isElevated ? undefined : testRequest.needsElevation) })}</div></form>`,
  )
}

function renderResponse(
  { words }: View,
  { status, statusText, ms, headers, body }: ProviderResponse,
): Html {
  const { testRequest } = words
  const tone = status < 300 ? 'good' : status < 400 ? 'quiet' : 'bad'
  return panel(
    testRequest.response,
    html`<div class="stack">${renderBody(body, words)}
<details class="help"><summary>${testRequest.headers} (${formatNumber(headers.length)})</summary>${headerList(headers, words)}</details></div>`,
    html`<p class="line"><span class="status ${tone}">${icon(tone === 'good' ? 'good' : tone === 'bad' ? 'error' : 'info', 16)}<span>${status} ${statusText}</span></span><span class="quiet">${testRequest.time(formatNumber(ms))} · ${testRequest.size(body.byteLength)}</span></p>`,
  )
}

function renderBody(body: Uint8Array, words: View['words']): Html {
  if (body.byteLength === 0) return html`<p class="quiet">${words.testRequest.empty}</p>`
  const text = decode(body)
  if (text === undefined) return html`<p class="quiet">${words.testRequest.notText}</p>`
  return bodyView(text, words)
}

/** The text of a body; undefined if it is none. */
function decode(body: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body)
    return text.includes('\0') ? undefined : text
  } catch {
    return undefined
  }
}

async function send(view: Submission): Promise<Answer> {
  const { form, words, params } = view
  const errors = words.testRequest.errors
  const request = readRequest(view)
  if ('errors' in request) return show(view, { typed: form, errors: request.errors })
  const api = await view.openApi('elevated')
  if (api === undefined) return show(view, { typed: form })
  try {
    const response = await sendRequest(api, params.integrationAccountId ?? '', request)
    return await show(view, { typed: form, response })
  } catch (error) {
    if (error instanceof DOMException && error.name === 'TimeoutError')
      return fail(view, errors.timeout)
    // The SDK refuses a path such as `../..`.
    if (error instanceof TypeError)
      return show(view, { typed: form, errors: { path: errors.leaves } })
    if (!isLinchpinError(error) || error.status === 404) throw error
    const known: Readonly<Record<string, string>> = words.testRequest.codes
    return fail(
      view,
      html`${error.message} ${known[error.code]} <a href="/docs/errors#${error.code}">${error.code}</a>`,
    )
  }
}

function fail(view: Submission, text: Html | string): Promise<Answer> {
  const { failedTitle: title } = view.words.testRequest
  return show(view, { typed: view.form, banner: banner('bad', { title, text }) })
}

interface ProviderRequest {
  readonly method: Method
  readonly path: string
  readonly headers: Headers
  readonly body: string
}

/** The request of the form, or what is wrong with it. */
function readRequest({
  form,
  words,
}: Submission): ProviderRequest | { readonly errors: Readonly<Record<string, string>> } {
  const { errors } = words.testRequest
  const method = METHODS.find((each) => each === form.get('method')) ?? 'GET'
  const path = form.get('path')?.trim() ?? ''
  const body = form.get('body') ?? ''
  const headers = readHeaders(form.get('headers') ?? '')
  const problems = {
    ...(path === '' && { path: errors.path }),
    ...(method !== 'GET' && form.get('confirmed') === null && { confirmed: errors.unconfirmed }),
    ...(typeof headers === 'string' && { headers: errors.header(headers) }),
    ...(Buffer.byteLength(body) > MAX_BODY && { body: errors.tooLong }),
  }
  if (typeof headers === 'string' || Object.keys(problems).length > 0) return { errors: problems }
  if (method !== 'GET' && body !== '' && !headers.has('content-type') && isJson(body))
    headers.set('content-type', 'application/json')
  // A compressed body would have to be decompressed here.
  headers.set('accept-encoding', 'identity')
  return { method, path: addQuery(path, form.get('query') ?? ''), headers, body }
}

/** The headers of a text, or its first invalid line. */
function readHeaders(text: string): Headers | string {
  const headers = new Headers()
  for (const line of text.split('\n').map((each) => each.trim())) {
    if (line === '') continue
    const [, name, value] = /^([^:\s]+):\s*(.*)$/.exec(line) ?? []
    try {
      if (name === undefined) return line
      headers.append(name, value ?? '')
    } catch {
      return line
    }
  }
  return headers
}

function addQuery(path: string, text: string): string {
  const query = new URLSearchParams()
  for (const line of text.split('\n').map((each) => each.trim())) {
    if (line === '') continue
    const [name = '', ...value] = line.split('=')
    query.append(name, value.join('='))
  }
  if (query.size === 0) return path
  return `${path}${path.includes('?') ? '&' : '?'}${query}`
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** @throws LinchpinError, DOMException `TimeoutError`, TypeError for a path that leaves the API */
async function sendRequest(
  api: Linchpin,
  integrationAccountId: string,
  { method, path, headers, body }: ProviderRequest,
): Promise<ProviderResponse> {
  const start = performance.now()
  const response = await api.account(integrationAccountId).fetch(path, {
    method,
    headers,
    redirect: 'manual',
    signal: AbortSignal.timeout(DEADLINE_MS),
    ...(method !== 'GET' && body !== '' && { body }),
  })
  const bytes = new Uint8Array(await response.arrayBuffer())
  return {
    status: response.status,
    statusText: response.statusText,
    ms: Math.round(performance.now() - start),
    headers: [...response.headers],
    body: bytes,
  }
}
