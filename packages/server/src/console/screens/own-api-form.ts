import { type Html, html } from '../../platform/ui/html.ts'
import { choices } from '../parts/choices.ts'
import { banner, linkButton, panel, submitButton } from '../parts/content.ts'
import { areaField, type FieldOptions, selectField, textField } from '../parts/fields.ts'
import { whyNot } from '../parts/why-not.ts'
import type { View } from '../screen.ts'
import { renderTry, type Tried } from './own-api-try.ts'
import { type Data, type EntryValues, KINDS, type Kind, TYPES, template } from './own-api-values.ts'

/** What the page shows. */
export interface FormState {
  /** Where its form is sent. */
  readonly path: string
  /** What the typed values are applied to. */
  readonly entry: Data
  readonly values: EntryValues
  /** The text of the entry, if the person edits it as JSON. */
  readonly json?: string | undefined
  /** Absent: it changes an integration. */
  readonly added?: NewDefinition | undefined
  /** What is wrong, by the name of the field. */
  readonly errors: Readonly<Record<string, string>>
  readonly tried: Tried
  /** What other fields a person asked for. */
  readonly isFieldsOpen?: boolean | undefined
}

export interface NewDefinition {
  readonly name: string
  readonly category: string
  /** Those that integrations have already. */
  readonly categories: readonly string[]
}

/** The form of an entry, its test and its preview: everything that a press of a button sends. */
export function renderOwnApi(view: View, state: FormState): Html {
  const { ownApi, sections } = view.words
  const { path, entry, json, added } = state
  const disabledBecause = whyNot(view, 'definitions:write')
  const isLocked = disabledBecause !== undefined
  return html`<form method="post" action="${path}" class="own-api beside" id="own-api">${view.formFields(path)}
<input type="hidden" name="entry" value="${JSON.stringify(entry)}">
${isLocked ? '' : html`<button name="do" value="save" class="unseen" tabindex="-1" aria-hidden="true"></button>`}
<fieldset class="plain stack"${isLocked ? html` disabled` : ''}><legend class="unseen">${sections.integrations}</legend>
${added === undefined ? '' : panel(ownApi.tool, renderName(view, state, added))}
${json === undefined ? renderPanels(view, state) : renderJson(view, state, json)}
<div class="buttons">${submitButton({ text: added === undefined ? ownApi.review : ownApi.save, kind: 'primary', value: ['do', 'save'], disabledBecause })}
${submitButton({ text: json === undefined ? ownApi.asJson : ownApi.asForm, icon: 'code', value: ['do', json === undefined ? 'json' : 'form'], disabledBecause })}</div></fieldset>
<aside class="stack">${renderTry(view, state, isLocked)}${renderPreview(view, disabledBecause)}</aside></form>`
}

function renderName(view: View, state: FormState, { name, category, categories }: NewDefinition) {
  const { ownApi } = view.words
  return html`<div class="stack">${textField({ ...at(state, 'name'), label: ownApi.name, value: name, isRequired: false, maxLength: 100, placeholder: 'Acme Desk' })}
<details class="help"${state.errors.integrationType === undefined ? '' : html` open`}><summary>${ownApi.category}: ${category}</summary>
${textField({ ...at(state, 'integrationType'), label: ownApi.category, value: category, hint: view.words.ownIntegration.categoryHint, maxLength: 100, list: 'categories' })}
<datalist id="categories">${categories.map((each) => html`<option value="${each}"></option>`)}</datalist></details></div>`
}

function renderJson({ words: { ownApi } }: View, state: FormState, json: string): Html {
  return panel(
    ownApi.entry,
    areaField({
      ...at(state, 'json'),
      label: ownApi.entry,
      isLabelHidden: true,
      value: json,
      hint: html`${ownApi.jsonHint} <a href="/docs/own-api">${ownApi.format}</a>`,
      isCode: true,
      rows: 28,
    }),
  )
}

function renderPanels(view: View, state: FormState): Html {
  const { ownApi } = view.words
  return html`${panel(ownApi.signIn, renderMethod(view, state))}
${panel(ownApi.api, renderApi(view, state))}
${panel(ownApi.customer, renderCustomer(view, state))}`
}

/** The name, value and error of a field. */
function at({ values, errors }: FormState, name: string) {
  return { name, value: values.texts[name], error: errors[name] }
}

/** Shown for these kinds only, by the style sheet: a person can change the kind without a request. */
function forKinds(kinds: readonly Kind[], content: Html): Html {
  return html`<div data-kinds="${kinds.join(' ')}" class="stack">${content}</div>`
}

function renderMethod(view: View, state: FormState): Html {
  const { ownApi } = view.words
  const kinds = KINDS.map((kind) => ({ value: kind, label: ownApi.kinds[kind] }))
  return html`<div class="stack">
${choices({ name: 'kind', label: ownApi.kind, type: 'radio', choices: kinds, chosen: [state.values.kind] })}
${forKinds(['oauth2'], url(state, 'authorize', ownApi.authorize, 'https://acme.example/oauth/authorize'))}
${forKinds(
  ['oauth2', 'client_credentials'],
  html`${url(state, 'token', ownApi.token, 'https://acme.example/oauth/token')}
${textField({ ...at(state, 'scopes'), label: ownApi.scopes, hint: ownApi.scopesHint, isCode: true, maxLength: 4_000, placeholder: 'users:read' })}`,
)}
${forKinds(['api_key'], renderKey(view, state))}
${forKinds(['login'], url(state, 'loginUrl', ownApi.loginUrl, 'https://api.acme.example/login'))}
${renderMoreOfMethod(view, state)}</div>`
}

function url(state: FormState, name: string, label: string, placeholder: string): Html {
  return textField({ ...at(state, name), label, isCode: true, maxLength: 2_048, placeholder })
}

function renderKey({ words: { ownApi } }: View, state: FormState): Html {
  const places = (['header', 'query'] as const).map((value) => ({
    value,
    label: ownApi.placements[value],
  }))
  return html`<div class="pair">${selectField({ ...at(state, 'placement'), label: ownApi.placement }, places)}
${textField({ ...at(state, 'keyName'), label: ownApi.keyName, isCode: true, maxLength: 200, placeholder: 'X-Api-Key' })}
<div class="key-prefix">${textField({ ...at(state, 'prefix'), label: ownApi.prefix, hint: ownApi.prefixHint, isCode: true, maxLength: 200 })}</div></div>`
}

/** What few providers need. */
function renderMoreOfMethod(view: View, state: FormState): Html {
  const { ownApi } = view.words
  const more: readonly (readonly [readonly Kind[], readonly string[], Html])[] = [
    [
      ['oauth2'],
      ['tokenResponse', 'authorizeParams', 'revoke', 'withoutPkce'],
      html`${textField({ ...at(state, 'tokenResponse'), label: ownApi.tokenResponse, hint: ownApi.tokenResponseHint, isCode: true, maxLength: 500, placeholder: 'api_domain' })}
${areaField({ ...at(state, 'authorizeParams'), label: ownApi.authorizeParams, hint: ownApi.authorizeParamsHint, isCode: true, rows: 2 })}
${url(state, 'revoke', ownApi.revoke, 'https://acme.example/oauth/revoke')}
<label class="check"><input type="checkbox" name="withoutPkce" value="on"${state.values.texts.withoutPkce ? html` checked` : ''}><span>${ownApi.withoutPkce}</span></label>`,
    ],
    [['oauth2', 'client_credentials'], ['separator', 'client'], renderClient(view, state)],
    [
      ['basic'],
      ['basic'],
      textField({
        ...at(state, 'basic'),
        label: ownApi.basic,
        hint: ownApi.basicHint,
        isCode: true,
        maxLength: 500,
        placeholder: `${template('username')}:${template('password')}`,
      }),
    ],
    [
      ['login'],
      ['loginBody', 'loginToken'],
      html`${areaField({ ...at(state, 'loginBody'), label: ownApi.loginBody, hint: ownApi.loginBodyHint, isCode: true, rows: 4 })}
${textField({ ...at(state, 'loginToken'), label: ownApi.loginToken, isCode: true, maxLength: 200, placeholder: 'access_token' })}`,
    ],
  ]
  const shown = more.filter(([kinds]) => kinds.includes(state.values.kind))
  const isOpen = isUsed(
    state,
    shown.flatMap(([, names]) => names),
  )
  return html`<div data-kinds="oauth2 client_credentials basic login"><details class="help"${isOpen ? html` open` : ''}><summary>${ownApi.moreOfSignIn}</summary><div class="stack">${more.map(([kinds, , content]) => forKinds(kinds, content))}</div></details></div>`
}

function renderClient({ words: { ownApi } }: View, state: FormState): Html {
  const { separator = '' } = state.values.texts
  const separators = [...new Set(['', ',', separator])].map((value) => ({
    value,
    label: value === '' ? ownApi.space : value === ',' ? ownApi.comma : value,
  }))
  const clients = (['', 'body', 'header'] as const).map((value) => ({
    value,
    label: ownApi.clients[value || 'default'],
  }))
  return html`<div class="pair">${selectField({ ...at(state, 'separator'), label: ownApi.separator }, separators)}
${selectField({ ...at(state, 'client'), label: ownApi.client }, clients)}</div>`
}

/** Whether a folded part has something to see. */
function isUsed({ values, errors }: FormState, names: readonly string[]): boolean {
  return names.some((name) => (values.texts[name] ?? '') !== '' || errors[name] !== undefined)
}

function renderApi({ words: { ownApi } }: View, state: FormState): Html {
  const methods = ['get', 'post'].map((value) => ({ value, label: value.toUpperCase() }))
  const path = (name: string, options: Pick<FieldOptions, 'label' | 'placeholder'>) =>
    textField({ ...at(state, name), ...options, isCode: true, maxLength: 500, list: 'found-paths' })
  return html`<div class="stack">
${textField({ ...at(state, 'base'), label: ownApi.base, hint: ownApi.baseHint, isCode: true, maxLength: 2_048, placeholder: 'https://api.acme.example/v1' })}
<div class="request">${selectField({ ...at(state, 'method'), label: ownApi.method }, methods)}${textField({ ...at(state, 'path'), label: ownApi.path, hint: ownApi.pathHint, isCode: true, maxLength: 2_048, placeholder: '/me' })}</div>
<div class="pair">${path('identityId', { label: ownApi.identityId, placeholder: 'user.id' })}${path('identityLabel', { label: ownApi.identityLabel, placeholder: 'user.email, user.name' })}</div>
<p class="quiet">${ownApi.identityHint}</p>
<details class="help"${isUsed(state, ['query']) || state.errors.hosts !== undefined ? html` open` : ''}><summary>${ownApi.moreOfApi}</summary><div class="stack">
${areaField({ ...at(state, 'query'), label: ownApi.query, hint: ownApi.queryHint, isCode: true, rows: 2 })}
${areaField({ ...at(state, 'hosts'), label: ownApi.hosts, hint: ownApi.hostsHint, isCode: true, rows: 3 })}</div></details></div>`
}

/** The fields that customers enter. Until someone changes them, those of the kind. */
function renderCustomer(view: View, state: FormState): Html {
  const { ownApi } = view.words
  const { rows, kind } = state.values
  const others = KINDS.filter((each) => each !== kind || rows.length === 0)
  const hasErrors = Object.keys(state.errors).some((name) => name.startsWith('field-'))
  return html`<div class="stack">${others.map((each) => forKinds([each], html`<p>${ownApi.kindFields[each]}</p>`))}
${
  rows.length === 0
    ? ''
    : forKinds(
        [kind],
        html`<details class="help"${state.isFieldsOpen || hasErrors ? html` open` : ''}><summary>${rows.map(({ title }) => title).join(', ')}</summary><div class="rows-of-fields">${rows.map((_, index) => renderRow(view, state, index))}</div></details>`,
      )
}
<div class="buttons">${submitButton({ text: rows.length === 0 ? ownApi.changeFields : ownApi.addField, icon: 'plus', value: ['do', rows.length === 0 ? 'fields' : 'add-field'], disabledBecause: whyNot(view, 'definitions:write') })}</div></div>`
}

function renderRow(view: View, state: FormState, index: number): Html {
  const { ownApi } = view.words
  const row = state.values.rows[index]
  if (row === undefined) return html``
  const name = (part: string) => `field-${index}-${part}`
  const types = TYPES.map((value) => ({ value, label: ownApi.types[value] }))
  return html`<fieldset class="plain stack"><legend class="unseen">${row.title}</legend><input type="hidden" name="${name('was')}" value="${row.was}">
<div class="pair">${textField({ name: name('title'), label: ownApi.fieldTitle, value: row.title, error: state.errors[name('title')], maxLength: 100 })}
${selectField({ name: name('type'), label: ownApi.fieldType, value: row.type }, types)}
${textField({ name: name('name'), label: ownApi.fieldName, value: row.name, hint: ownApi.fieldNameHint, isCode: true, maxLength: 100 })}</div>
${textField({ name: name('help'), label: ownApi.fieldHelp, value: row.help, hint: ownApi.fieldHelpHint, maxLength: 500 })}
<div class="buttons">${submitButton({ text: ownApi.removeField(row.title), icon: 'trash', value: ['do', `remove-${index}`], disabledBecause: whyNot(view, 'definitions:write') })}</div></fieldset>`
}

/** The name of the frame with the preview. */
export const PREVIEW_FRAME = 'own-api-preview'

function renderPreview({ words: { ownApi } }: View, disabledBecause: string | undefined): Html {
  const button =
    disabledBecause === undefined
      ? html`<button class="button" name="do" value="preview" formtarget="${PREVIEW_FRAME}">${ownApi.showPreview}</button>`
      : submitButton({ text: ownApi.showPreview, disabledBecause })
  return panel(
    ownApi.preview,
    html`<div class="stack"><p class="quiet">${ownApi.previewHint}</p><div class="stage"><iframe name="${PREVIEW_FRAME}" title="${ownApi.preview}" sandbox="allow-same-origin" srcdoc="${EMPTY_FRAME}"></iframe></div></div>`,
    button,
  )
}

/** What a frame shows before its first document: the ground of its theme. */
const EMPTY_FRAME = html`<meta name="color-scheme" content="light dark">`.text

/** What a person whose session lacks the rights for code in use has to do, in another tab: what was typed stays here. */
export function elevationBanner(view: View, path: string): Html {
  const { upgrade, ownApi } = view.words
  const disabledBecause = whyNot(view, 'credentials:read', 'elevated')
  const href = `/console/elevate?to=${encodeURIComponent(path)}`
  return banner('warn', {
    title: ownApi.inUse,
    text: ownApi.inUseText,
    action:
      disabledBecause === undefined
        ? html`<a class="button" href="${href}" target="_blank">${upgrade.confirm}</a>`
        : linkButton({ text: upgrade.confirm, disabledBecause }, href),
  })
}
