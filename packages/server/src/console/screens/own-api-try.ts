import type { CheckedDefinition } from '@linchpin/sdk'
import { parseJson } from '../../platform/json.ts'
import { type Html, html } from '../../platform/ui/html.ts'
import { banner, facts, panel, submitButton } from '../parts/content.ts'
import { textField } from '../parts/fields.ts'
import { icon } from '../parts/icons.ts'
import { whyNot } from '../parts/why-not.ts'
import type { View } from '../screen.ts'
import { renderMessage } from './exchange.ts'
import {
  type Data,
  type EntryValues,
  findMethod,
  KINDS,
  type Kind,
  toData,
  writeEntry,
} from './own-api-values.ts'

/** The test of an entry. */
export interface Tried {
  /** What was typed, by the names of the fields. */
  readonly credentials: Readonly<Record<string, string>>
  readonly result?: CheckedDefinition | undefined
}

/** What the test shows of the form. */
interface TryState {
  readonly entry: Data
  readonly values: EntryValues
  readonly json?: string | undefined
  readonly errors: Readonly<Record<string, string>>
  readonly tried: Tried
}

/** A value that the check needs. */
interface Credential {
  readonly name: string
  readonly title: string
  readonly isSecret: boolean
}

/** Sends the check with credentials of one's own, and shows what came back. */
export function renderTry(view: View, state: TryState, isLocked: boolean): Html {
  const { ownApi } = view.words
  const { values, entry, json, tried } = state
  const own = listCredentials(json === undefined ? writeEntry(entry, values) : entry)
  const kinds = json === undefined ? KINDS : [findMethod(entry).kind]
  const inputs = kinds.map((kind) => {
    const all =
      kind === values.kind || json !== undefined
        ? own
        : listCredentials(writeEntry({}, { ...values, kind, rows: [] }))
    const fields = all.map(({ name, title, isSecret }) => {
      const id = getCredentialName(kind, name)
      return textField({
        name: id,
        label: title,
        type: isSecret ? 'password' : 'text',
        value: tried.credentials[id],
        error: state.errors[id],
        maxLength: 8_000,
      })
    })
    const note = kind === 'oauth2' ? html`<p class="quiet">${ownApi.tryOAuth}</p>` : ''
    return html`<div data-kinds="${kind}" class="stack">${note}${fields}</div>`
  })
  return panel(
    ownApi.try,
    html`<fieldset class="plain stack"${isLocked ? html` disabled` : ''}><legend class="unseen">${ownApi.try}</legend><p>${ownApi.tryText}</p>${inputs}
<div class="buttons">${submitButton({ text: ownApi.send, icon: 'send', value: ['do', 'try'], disabledBecause: whyNot(view, 'definitions:write') })}</div></fieldset>${tried.result === undefined ? '' : renderResult(view, tried.result)}`,
  )
}

export function getCredentialName(kind: Kind, name: string): string {
  return `try-${kind}-${name}`
}

/** The fields of an entry; what a sign-in would bring, a person brings themselves. */
function listCredentials(entry: Data): Credential[] {
  const { kind, auth } = findMethod(entry)
  const fields = { ...OF_KIND[kind], ...toData(entry.fields), ...toData(auth.fields) }
  const values = Array.isArray(auth.tokenResponse) ? auth.tokenResponse.map(String) : []
  return [
    ...Object.entries(fields).map(([name, field]) => {
      const { title, secret } = toData(field)
      return { name, title: typeof title === 'string' ? title : name, isSecret: secret === true }
    }),
    ...values.map((name) => ({ name, title: name, isSecret: false })),
  ]
}

const OF_KIND: Readonly<Partial<Record<Kind, Data>>> = {
  oauth2: { access_token: { title: 'Access token', secret: true } },
  client_credentials: {
    client_id: { title: 'Client ID' },
    client_secret: { title: 'Client secret', secret: true },
  },
}

/** The configuration that was typed for this kind. */
export function readConfig(form: URLSearchParams, kind: Kind): Record<string, string> {
  const start = getCredentialName(kind, '')
  return Object.fromEntries(
    [...form]
      .filter(([name, value]) => name.startsWith(start) && value !== '')
      .map(([name, value]) => [name.slice(start.length), value]),
  )
}

function renderResult(view: View, { result, identity, exchanges }: CheckedDefinition): Html {
  const { words } = view
  const { ownApi } = words
  if (result === undefined) return html``
  const none = html`<span class="quiet">${ownApi.notFound}</span>`
  const found = facts([
    [ownApi.identityId, identity?.id ?? none],
    [ownApi.identityLabel, identity?.label ?? none],
  ])
  return html`<div class="stack tried" tabindex="-1" autofocus>
${result.status ? banner('good', { title: ownApi.works }) : banner('bad', { title: ownApi.rejected, text: html`${result.error} ${result.hint}` })}
${result.status ? found : ''}
${exchanges.filter(isAnother).map(
  ({
    method,
    url,
    status,
    request,
    response,
  }) => html`<section class="stack"><h3 class="line"><code>${method} ${url}</code>${statusMark(status, ownApi.noResponse)}</h3>
${response === null ? '' : renderMessage(response, words)}
<details class="help"><summary>${ownApi.sent}</summary>${renderMessage(request, words)}</details></section>`,
)}</div>
<datalist id="found-paths">${listPaths(exchanges).map((path) => html`<option value="${path}"></option>`)}</datalist>`
}

/** The identity may send the request of the check again, whose response is shown. */
function isAnother(
  { method, url, status }: Exchange,
  index: number,
  all: readonly Exchange[],
): boolean {
  const before = all[index - 1]
  return before?.method !== method || before.url !== url || before.status !== status
}

type Exchange = CheckedDefinition['exchanges'][number]

function statusMark(status: number | null, noResponse: string): Html {
  const isGood = status !== null && status < 400
  return html`<span class="status ${isGood ? 'good' : 'bad'}">${icon(isGood ? 'good' : 'error', 16)}<span>${status ?? noResponse}</span></span>`
}

/** The paths to the values of the last JSON response, which the identity can have. */
function listPaths(exchanges: CheckedDefinition['exchanges']): string[] {
  const text = exchanges.findLast(({ status }) => status === 200)?.response?.body.text
  const paths: string[] = []
  const visit = (value: unknown, path: string) => {
    if (paths.length >= MAX_PATHS) return
    if (typeof value === 'object' && value !== null)
      for (const [name, inner] of Object.entries(value))
        visit(inner, path === '' ? name : `${path}.${name}`)
    else if (path !== '' && value !== null && typeof value !== 'boolean') paths.push(path)
  }
  visit(parseJson(text ?? ''), '')
  return paths
}

const MAX_PATHS = 100
