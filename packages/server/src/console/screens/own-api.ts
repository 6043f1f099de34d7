import {
  type CheckedDefinition,
  type DefinitionPreview,
  type ExtendedIntegrationDefinition,
  isLinchpinError,
  type Linchpin,
  type LinchpinError,
} from '@linchpin/sdk'
import { renderPreview } from '../../connect/connect-page/render-preview.ts'
import { parseJson } from '../../platform/json.ts'
import { type Html, html } from '../../platform/ui/html.ts'
import { banner, linkButton, panel, submitButton, tile } from '../parts/content.ts'
import type { Answer, Screen, Submission, View } from '../screen.ts'
import { elevationBanner, type FormState, renderOwnApi } from './own-api-form.ts'
import { getCredentialName, readConfig } from './own-api-try.ts'
import {
  type Data,
  type EntryValues,
  findControl,
  findMethod,
  findQuoted,
  needsHosts,
  readEntry,
  readValues,
  toData,
  toFieldName,
  writeEntry,
} from './own-api-values.ts'
import { renderChanges, renderCounts } from './upgrade.ts'

const INTEGRATIONS = '/console/integrations'
const NEW_PATH = `${INTEGRATIONS}/new/api`
/** The check of an entry sends several requests. */
const CHECK_MS = 40_000

/** How do I connect an API that the catalogue does not have, without writing code? */
export const ownApiScreen: Screen = {
  path: '/integrations/new/api',
  show: (view) => show(view, { entry: {} }),
  actions: {
    '': (view) => submit(view, undefined),
  },
}

/** What does my own API consist of, and what would a change break? */
export const editOwnApiScreen: Screen = {
  path: '/integrations/:integrationDefinitionId/entry',
  show: edit,
  actions: {
    '': async (view) => submit(view, await findDefinition(view)),
  },
}

function findDefinition({ api, params }: View): Promise<ExtendedIntegrationDefinition> {
  return api.definitions.get(params.integrationDefinitionId ?? '')
}

async function edit(view: View): Promise<Answer> {
  const definition = await findDefinition(view)
  const { integrationDefinitionId: id } = definition
  const { entry } = await view.api.definitions.getEntry(id)
  const isOwn = definition.releaseStage.key === 'CUSTOM' && definition.deleted === null
  // Code is changed by another bundle.
  if (entry === null || !isOwn) return { location: `${INTEGRATIONS}/${id}/upgrade` }
  return show(view, { entry: entry as Data, definition })
}

/** What the page is made of. Only the entry is needed. */
interface State {
  readonly entry: Data
  /** Default: those of the entry. */
  readonly values?: EntryValues
  readonly json?: string | undefined
  /** Absent: a new one. */
  readonly definition?: ExtendedIntegrationDefinition | undefined
  readonly errors?: Readonly<Record<string, string>>
  readonly banner?: Html | undefined
  readonly result?: CheckedDefinition
  readonly form?: URLSearchParams
  readonly isFieldsOpen?: boolean
  /** Of the change that was submitted. */
  readonly preview?: DefinitionPreview
}

async function show(view: View, state: State): Promise<Answer> {
  const { words } = view
  const { ownApi, sections } = words
  const { definition, errors = {}, form, preview } = state
  const hasErrors = Object.keys(errors).length > 0
  const formState: FormState = {
    path: getPath(definition),
    entry: state.entry,
    values: state.values ?? readEntry(state.entry),
    json: state.json,
    added: definition === undefined ? await describeNew(view, form) : undefined,
    errors,
    isFieldsOpen: state.isFieldsOpen,
    tried: { credentials: readCredentials(form), result: state.result },
  }
  return {
    title: definition === undefined ? ownApi.title : ownApi.editTitle(definition.name),
    section: 'integrations',
    parent:
      definition === undefined
        ? { href: INTEGRATIONS, label: sections.integrations }
        : {
            href: `${INTEGRATIONS}/${definition.integrationDefinitionId}`,
            label: definition.name,
          },
    ...(definition !== undefined && { mark: tile(definition.icon, 'large') }),
    ...((hasErrors || state.banner !== undefined) && { status: 422 }),
    banner:
      state.banner ??
      (hasErrors ? banner('bad', { title: ownApi.notSaved, text: ownApi.correct }) : undefined),
    main: html`<div class="stack"><p>${definition === undefined ? html`${ownApi.lead} <a href="${INTEGRATIONS}/new">${ownApi.bundleInstead}</a>` : ownApi.editLead}</p>
${definition === undefined || preview === undefined ? '' : renderReview(view, definition, preview, state.entry)}${renderOwnApi(view, formState)}</div>`,
  }
}

function getPath(definition: ExtendedIntegrationDefinition | undefined): string {
  return definition === undefined
    ? NEW_PATH
    : `${INTEGRATIONS}/${definition.integrationDefinitionId}/entry`
}

async function describeNew({ api }: View, form: URLSearchParams | undefined) {
  const definitions = await api.definitions.list().first(Number.POSITIVE_INFINITY)
  return {
    name: form?.get('name') ?? '',
    category: form?.get('integrationType') ?? 'Other',
    categories: [
      ...new Set(definitions.map(({ integrationType }) => integrationType.name)),
    ].toSorted(),
  }
}

/** The response repeats the keys of a test, so that one does not have to enter them for each change. They are stored nowhere. */
function readCredentials(form: URLSearchParams | undefined): Record<string, string> {
  return Object.fromEntries([...(form ?? [])].filter(([name]) => name.startsWith('try-')))
}

/** The form as it was submitted, and the entry that it means. */
interface Submitted extends Required<Pick<State, 'entry' | 'values' | 'form'>> {
  readonly json: string | undefined
  readonly definition: ExtendedIntegrationDefinition | undefined
}

/** What each button does. The hidden entry is that of the page; the API checks it like any other. */
function submit(
  view: Submission,
  definition: ExtendedIntegrationDefinition | undefined,
): Promise<Answer> {
  const { form, words } = view
  const button = form.get('do') ?? 'save'
  const before = toData(parseJson(form.get('entry') ?? ''))
  const json = form.get('json') ?? undefined
  if (json !== undefined) {
    const parsed = parseJson(json)
    const entry = toData(parsed)
    const submitted = { entry, values: readEntry(entry), form, json, definition }
    if (entry === parsed) return act(view, button, submitted)
    const errors = { json: words.ownApi.errors.json }
    return show(view, { ...submitted, entry: before, errors })
  }
  const typed = readValues(form)
  const entry = writeEntry(before, typed)
  const { rows } = readEntry(entry)
  const values = { ...typed, rows }
  return act(view, button, { entry, values, form, json, definition })
}

async function act(view: Submission, button: string, submitted: Submitted): Promise<Answer> {
  const { entry, values, json } = submitted
  const { rows } = values
  const [, removed] = /^remove-(\d+)$/.exec(button) ?? []
  if (removed !== undefined)
    return showRows(
      view,
      submitted,
      rows.filter((_, index) => index !== Number(removed)),
    )
  switch (button) {
    case 'fields':
      return showRows(view, submitted, rows.length === 0 ? [NEW_ROW] : rows)
    case 'add-field':
      return showRows(view, submitted, [...rows, NEW_ROW])
    case 'json':
      return show(view, { ...submitted, json: JSON.stringify(entry, null, 2) })
    case 'form':
      return show(view, { ...submitted, json: undefined })
    case 'preview':
      return preview(view, submitted)
  }
  const errors = json === undefined ? findMissing(view, submitted) : {}
  if (Object.keys(errors).length > 0) return show(view, { ...submitted, errors })
  try {
    if (button === 'try') return await tryEntry(view, submitted)
    if (button === 'apply') return await apply(view, submitted)
    return await save(view, submitted)
  } catch (error) {
    return explain(view, submitted, error)
  }
}

const NEW_ROW = { was: '', name: '', title: '', type: 'text', help: '' } as const

function showRows(view: View, submitted: Submitted, rows: EntryValues['rows']): Promise<Answer> {
  const values = { ...submitted.values, rows }
  return show(view, { ...submitted, values, isFieldsOpen: true })
}

/** What a person sees at once, before anything is sent: the API reports one problem at a time. */
function findMissing(
  { words, form }: Submission,
  { entry, values, definition }: Submitted,
): Record<string, string> {
  const { errors } = words.ownApi
  const { auth } = findMethod(entry)
  const { kind, texts } = values
  const isEmpty = (name: string) => (texts[name] ?? '').trim() === ''
  // Without a base URL, it is that of the first host.
  const hasHosts = Array.isArray(entry.hosts) && entry.hosts.length > 0
  const missing = [...REQUIRED[kind], 'path', ...(hasHosts ? [] : ['base'])].filter(isEmpty)
  const isWithoutKey = auth.headers === undefined && auth.query === undefined
  const { loginBody = '' } = texts
  const isNameMissing =
    definition === undefined && form.get('do') !== 'try' && (form.get('name') ?? '').trim() === ''
  return {
    ...(isNameMissing && { name: errors.required }),
    ...Object.fromEntries(missing.map((name) => [name, errors.required])),
    ...(kind === 'api_key' && isWithoutKey && { keyName: errors.required }),
    ...(needsHosts(entry) && isEmpty('hosts') && { hosts: errors.hosts }),
    ...(kind === 'login' &&
      loginBody.trim() !== '' &&
      parseJson(loginBody) === undefined && { loginBody: errors.json }),
  }
}

const REQUIRED: Readonly<Record<EntryValues['kind'], readonly string[]>> = {
  oauth2: ['authorize', 'token'],
  api_key: [],
  basic: [],
  client_credentials: ['token'],
  login: ['loginUrl'],
}

async function tryEntry(view: Submission, submitted: Submitted): Promise<Answer> {
  const { entry } = submitted
  const { name: authType = '', kind } = findMethod(entry)
  const result = await view.api.definitions.check(
    { entry, authType, config: readConfig(view.form, kind) },
    { timeoutMs: CHECK_MS },
  )
  return show(view, { ...submitted, result })
}

/** In the frame: the connect page as customers would see it. */
async function preview(view: Submission, { entry, form, definition }: Submitted): Promise<Answer> {
  const { api, session, query } = view
  const workspaces = await api.workspaces.list().first(1_000)
  const workspace = workspaces.find((each) => each.workspaceId === session.membership.workspaceId)
  const checked = await api.definitions
    .check({ entry }, { timeoutMs: CHECK_MS })
    .catch((error: unknown) => {
      if (isLinchpinError(error) && error.status === 400) return error
      throw error
    })
  if (isLinchpinError(checked)) return { render: (nonce) => renderProblem(view, checked, nonce) }
  const name = definition?.name ?? form.get('name')?.trim() ?? ''
  const { name: authType = '', kind } = findMethod(entry)
  const integration = {
    integrationDefinitionId: 'def_preview',
    key: toFieldName(name),
    name: name === '' ? view.words.ownApi.unnamed : name,
    icon: '/icons/integration.svg',
    version: '1.0.0',
    latestVersion: null,
    releaseStage: 'CUSTOM',
    category: { key: 'OTHER', name: 'Other' },
    hasApp: true,
    authTypes: [{ name: authType, kind: kind === 'oauth2' ? 'sign_in' : 'credentials' } as const],
    spec: checked.spec,
  }
  return {
    render: (nonce) =>
      renderPreview({
        workspaceName: workspace?.name ?? '',
        branding: (workspace?.theme ?? {}) as Parameters<typeof renderPreview>[0]['branding'],
        integrations: [integration],
        preferOAuth: false,
        query,
        acceptLanguage: undefined,
        url: { path: getPath(definition), settings: new URLSearchParams() },
        nonce,
      }),
  }
}

/** Why there is no preview, in its frame. */
function renderProblem({ words }: View, error: LinchpinError, nonce: string): string {
  const { ownApi } = words
  const [[path, [problem] = []] = ['', []]] = Object.entries(error.errors)
  return html`<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${ownApi.preview}</title><style nonce="${nonce}">:root{color-scheme:light dark}body{margin:24px;font:16px/1.5 system-ui,sans-serif}</style></head><body><main><h1>${ownApi.noPreview}</h1><p><code>${path}</code> ${problem?.message ?? error.message}</p></main></body></html>`
    .text
}

function save(view: Submission, submitted: Submitted): Promise<Answer> {
  return submitted.definition === undefined
    ? create(view, submitted)
    : review(view, submitted, submitted.definition)
}

async function create(
  { api, form, formId, words }: Submission,
  { entry }: Submitted,
): Promise<Answer> {
  const { integrationDefinitionId: id } = await api.definitions.create(
    {
      name: form.get('name')?.trim() ?? '',
      integrationType: form.get('integrationType')?.trim() || 'OTHER',
      entry,
    },
    { idempotencyKey: formId, timeoutMs: CHECK_MS },
  )
  const { added } = words.ownApi
  return findMethod(entry).kind === 'oauth2'
    ? { location: `${INTEGRATIONS}/${id}/oauth-app`, notice: added.oauth2 }
    : { location: `${INTEGRATIONS}/${id}`, notice: added.other }
}

/** The version of a change is the next one, unless the person has chosen one. */
function toChange(
  { entry }: Submitted,
  { version }: ExtendedIntegrationDefinition,
): { readonly entry: Data } {
  const { version: typed, ...rest } = entry
  return { entry: typed === version ? rest : entry }
}

async function review(
  view: Submission,
  submitted: Submitted,
  definition: ExtendedIntegrationDefinition,
): Promise<Answer> {
  const api = await openChanging(view)
  const change = toChange(submitted, definition)
  const result = await api.definitions.preview(definition.integrationDefinitionId, change, {
    idempotencyKey: view.formId,
    timeoutMs: CHECK_MS,
  })
  return show(view, { ...submitted, preview: result })
}

async function apply(view: Submission, submitted: Submitted): Promise<Answer> {
  const { definition } = submitted
  if (definition === undefined) return create(view, submitted)
  const api = await openChanging(view)
  const { integrationDefinitionId: id } = definition
  const { version } = await api.definitions.upgrade(id, toChange(submitted, definition), {
    idempotencyKey: view.formId,
    timeoutMs: CHECK_MS,
  })
  return { location: `${INTEGRATIONS}/${id}`, notice: view.words.upgrade.done(version) }
}

/** With the rights of the elevated level if the session has them: a change of an integration in use needs them. */
async function openChanging(view: Submission): Promise<Linchpin> {
  return (await view.openApi('elevated')) ?? view.api
}

/** What the change would do, and for how many connections, above the form. */
function renderReview(
  view: View,
  definition: ExtendedIntegrationDefinition,
  result: DefinitionPreview,
  entry: Data,
): Html {
  const { upgrade, ownApi } = view.words
  const path = getPath(definition)
  const changes = renderChanges(view, result)
  const isRunning = result.state === 'running'
  return html`<div class="columns" id="review">${panel(
    upgrade.changes(result.from.version, result.to.version),
    html`<div class="stack">${changes.length === 0 ? html`<p>${upgrade.nothing}</p>` : changes}
<form method="post" action="${path}" class="buttons"${isRunning ? html` data-again=""` : ''}>${view.formFields(path)}<input type="hidden" name="json" value="${JSON.stringify(entry)}">
${isRunning ? submitButton({ text: upgrade.again, icon: 'refresh', value: ['do', 'save'] }) : ''}${submitButton({ text: upgrade.applyTo(result.to.version), kind: 'primary', value: ['do', 'apply'] })}${linkButton({ text: ownApi.discard }, path)}</form></div>`,
  )}${panel(upgrade.connections, renderCounts(view, result))}</div>`
}

/** What the API found wrong, at the fields that it concerns. @throws the error, if the form cannot be corrected */
function explain(view: Submission, submitted: Submitted, error: unknown): Promise<Answer> {
  if (!isLinchpinError(error)) throw error
  const { words } = view
  if (error.code === 'insufficient_scope' && submitted.definition !== undefined)
    return show(view, {
      ...submitted,
      banner: elevationBanner(view, getPath(submitted.definition)),
    })
  if (![400, 409, 422].includes(error.status) || error.code === 'idempotency_in_progress')
    throw error
  const errors: Record<string, string> = {}
  const others: string[] = []
  for (const [path, problems] of Object.entries(error.errors)) {
    const text = problems.map(({ message }) => message).join(' ')
    const name = findField(submitted, path, text)
    if (name === undefined)
      others.push(path.startsWith('entry.') ? `${path.slice(6)}: ${text}` : text)
    else if (/\bpattern\b/.test(text) && name !== 'json') errors[name] = describeFormat(words, name)
    else errors[name] = name === 'json' ? `${path.replace(/^entry\.?/, '')}: ${text}` : text
  }
  if (Object.keys(errors).length > 0 && others.length === 0)
    return show(view, { ...submitted, errors })
  const text = others.length === 0 ? error.message : others.join(' ')
  const problem = banner('bad', { title: words.ownApi.notSaved, text })
  return show(view, { ...submitted, errors, banner: problem })
}

/** A regular expression says little to a person. */
function describeFormat({ ownApi: { errors } }: View['words'], name: string): string {
  if (name === 'path') return errors.path
  return URL_CONTROLS.includes(name) ? errors.url : errors.format
}

const URL_CONTROLS = ['base', 'authorize', 'token', 'revoke', 'loginUrl']

function findField(
  { entry, values, json }: Submitted,
  path: string,
  message: string,
): string | undefined {
  if (path === 'name' || path === 'integrationType') return path
  if (path.startsWith('config.')) return getCredentialName(findMethod(entry).kind, path.slice(7))
  if (path !== 'entry' && !path.startsWith('entry.')) return undefined
  if (json !== undefined) return 'json'
  return findControl(entry, path.replace(/^entry\.?/, '')) ?? findQuoted(values, message)
}
