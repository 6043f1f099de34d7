import type { CreateLink, LinchpinError, Link } from '@linchpin/sdk'
import { type Html, html } from '../../platform/ui/html.ts'
import { type Choice, choices, switchField } from '../parts/choices.ts'
import { areaField, selectField, textField } from '../parts/fields.ts'
import { readLines } from '../parts/form-errors.ts'
import type { Words } from '../words/en.ts'

/** What a link allows, as it is typed. */
export interface LinkValues {
  readonly linkName: string
  readonly offer: 'all' | 'categories' | 'integrations'
  readonly categories: readonly string[]
  readonly integrations: readonly string[]
  /** Seconds. */
  readonly expiresIn: string
  readonly preferOAuth: boolean
  /** A line for each integration: its key, a colon, and scopes. */
  readonly scopes: string
  readonly sessionsOnly: boolean
  readonly maxAccounts: string
  readonly maxAccountsPerIdentifier: string
  /** One per line. */
  readonly allowedOrigins: string
  readonly redirectURLs: string
}

/** What is wrong, by the name of the field. */
export type FormErrors = Readonly<Record<string, string>>

/** Reads a submitted or previewed form. */
export function readLinkValues(form: URLSearchParams): LinkValues {
  const text = (name: string) => form.get(name)?.trim() ?? ''
  const offer = text('offer')
  return {
    linkName: text('linkName'),
    offer: offer === 'categories' || offer === 'integrations' ? offer : 'all',
    categories: form.getAll('categories'),
    integrations: form.getAll('integrations'),
    expiresIn: text('expiresIn') || '0',
    preferOAuth: form.has('preferOAuth'),
    scopes: text('scopes'),
    sessionsOnly: form.has('sessionsOnly'),
    maxAccounts: text('maxAccounts'),
    maxAccountsPerIdentifier: text('maxAccountsPerIdentifier'),
    allowedOrigins: text('allowedOrigins'),
    redirectURLs: text('redirectURLs'),
  }
}

/** The same of a link that exists. */
export function toLinkValues(link: Link): LinkValues {
  return {
    linkName: link.linkName,
    offer: 'all',
    categories: [],
    integrations: [],
    expiresIn: String(link.expiresIn),
    preferOAuth: link.preferOAuth,
    scopes: '',
    sessionsOnly: link.sessionsOnly,
    maxAccounts: link.maxAccounts === null ? '' : String(link.maxAccounts),
    maxAccountsPerIdentifier:
      link.maxAccountsPerIdentifier === null ? '' : String(link.maxAccountsPerIdentifier),
    allowedOrigins: link.allowedOrigins.join('\n'),
    redirectURLs: link.redirectURLs.join('\n'),
  }
}

/** What the API needs to change a link. */
export function toLinkChange(values: LinkValues) {
  return {
    linkName: values.linkName,
    maxAccounts: toLimit(values.maxAccounts),
    maxAccountsPerIdentifier: toLimit(values.maxAccountsPerIdentifier),
    allowedOrigins: toLines(values.allowedOrigins),
    redirectURLs: toLines(values.redirectURLs),
  }
}

/** What the API needs to create a link. */
export function toNewLink(values: LinkValues): CreateLink {
  const { offer, categories, integrations } = values
  const scopes = readScopes(values.scopes)
  return {
    ...toLinkChange(values),
    ...(values.scopes !== '' && { scopes }),
    ...(offer === 'categories' && { category: [...categories] }),
    ...(offer === 'integrations' && { integrationDefinitionIds: [...integrations] }),
    expiresIn: Number(values.expiresIn),
    preferOAuth: values.preferOAuth,
    sessionsOnly: values.sessionsOnly,
  }
}

/** The scopes of each integration, by its key; undefined if a line has none. */
function readScopes(text: string): Record<string, string[]> | undefined {
  const scopes = new Map<string, string[]>()
  for (const line of readLines(text)) {
    const [, key = '', names = ''] = /^([^\s:]+)\s*:(.*)$/.exec(line) ?? []
    const more = names.split(/[\s,]+/).filter(Boolean)
    if (more.length === 0) return undefined
    scopes.set(key, [...(scopes.get(key) ?? []), ...more])
  }
  return Object.fromEntries(scopes)
}

function toLimit(text: string): number | null {
  return text === '' ? null : Number(text)
}

function toLines(text: string): string[] {
  return [...new Set(text.split(/\s+/).filter(Boolean))]
}

/** A text that is no number would be sent as null, which means no limit. */
const LIMIT = /^\d{0,7}$/

/** What is missing, before anything is sent to the API. */
export function findLinkErrors(values: LinkValues, { linkForm }: Words): FormErrors {
  const { linkName, offer, categories, integrations } = values
  return {
    ...(linkName === '' && { linkName: linkForm.required }),
    ...(readScopes(values.scopes) === undefined && { scopes: linkForm.scopesLine }),
    ...(!LIMIT.test(values.maxAccounts) && { maxAccounts: linkForm.wholeNumber }),
    ...(!LIMIT.test(values.maxAccountsPerIdentifier) && {
      maxAccountsPerIdentifier: linkForm.wholeNumber,
    }),
    ...(offer === 'categories' && categories.length === 0 && { categories: linkForm.chooseOne }),
    ...(offer === 'integrations' &&
      integrations.length === 0 && { integrations: linkForm.chooseOne }),
  }
}

/**
 * What the API answered, by the field of the form: `allowedOrigins.0` belongs to `allowedOrigins`.
 *
 * @param scopes what was typed
 */
export function toFormErrors(error: LinchpinError, scopes = ''): FormErrors {
  const errors: Record<string, string> = {}
  const ofScopes = describeScopeErrors(error, scopes)
  if (ofScopes !== '') errors.scopes = ofScopes
  for (const [path, [first]] of Object.entries(error.errors)) {
    const [name = ''] = path.split('.')
    errors[NAMES[name] ?? name] ??= first?.message ?? error.message
  }
  return Object.keys(errors).length === 0 ? { linkName: error.message } : errors
}

/** Each sentence once, with the scopes and integrations that it concerns: the API numbers scopes. */
function describeScopeErrors({ errors }: LinchpinError, text: string): string {
  const scopes = new Map(Object.entries(readScopes(text) ?? {}))
  const concerned = new Map<string, string[]>()
  for (const [path, problems] of Object.entries(errors)) {
    const [, key, index] = /^scopes\.(.+?)(?:\.(\d+))?$/.exec(path) ?? []
    if (key === undefined) continue
    const name = scopes.get(key)?.[Number(index)] ?? key
    for (const { message } of problems)
      concerned.set(message, [...(concerned.get(message) ?? []), name])
  }
  return [...concerned].map(([message, names]) => `${names.join(', ')}: ${message}`).join(' ')
}

const NAMES: Readonly<Record<string, string>> = {
  category: 'categories',
  integrationDefinitionIds: 'integrations',
}

export interface LinkChoices {
  readonly categories: readonly Choice[]
  readonly integrations: readonly Choice[]
}

/** The fields that only a new link has. */
export function renderOffer(
  values: LinkValues,
  { categories, integrations }: LinkChoices,
  { linkForm }: Words,
  errors: FormErrors,
): Html {
  return html`<div class="offer">${choices({
    name: 'offer',
    label: linkForm.offer,
    type: 'radio',
    choices: Object.entries(linkForm.offers).map(([value, label]) => ({ value, label })),
    chosen: [values.offer],
  })}
${choices({
  name: 'categories',
  type: 'checkbox',
  label: linkForm.categories,
  choices: categories,
  chosen: values.categories,
  error: errors.categories,
})}
${choices({
  name: 'integrations',
  type: 'checkbox',
  label: linkForm.integrations,
  choices: integrations,
  chosen: values.integrations,
  error: errors.integrations,
})}</div>
${selectField(
  { name: 'expiresIn', label: linkForm.expiry, value: values.expiresIn, error: errors.expiresIn },
  Object.entries(linkForm.expiries).map(([value, label]) => ({ value, label })),
)}
${switchField({ name: 'preferOAuth', label: linkForm.preferOAuth, hint: linkForm.preferOAuthHint, isOn: values.preferOAuth })}
${areaField({ name: 'scopes', label: linkForm.scopes, hint: linkForm.scopesHint, value: values.scopes, error: errors.scopes, isCode: true, rows: 2 })}
${switchField({ name: 'sessionsOnly', label: linkForm.sessionsOnly, hint: linkForm.sessionsOnlyHint, isOn: values.sessionsOnly })}`
}

/** The name of a link. */
export function renderName(
  { linkName }: LinkValues,
  { linkForm }: Words,
  errors: FormErrors,
): Html {
  return textField({
    name: 'linkName',
    label: linkForm.name,
    hint: linkForm.nameHint,
    value: linkName,
    error: errors.linkName,
    isRequired: true,
    maxLength: 200,
  })
}

/** The fields that can be changed later. */
export function renderLimits(values: LinkValues, { linkForm }: Words, errors: FormErrors): Html {
  return html`<div class="pair">${textField({
    name: 'maxAccounts',
    label: linkForm.maxAccounts,
    hint: linkForm.maxAccountsHint,
    value: values.maxAccounts,
    error: errors.maxAccounts,
    maxLength: 7,
  })}${textField({
    name: 'maxAccountsPerIdentifier',
    label: linkForm.maxPerCustomer,
    hint: linkForm.maxPerCustomerHint,
    value: values.maxAccountsPerIdentifier,
    error: errors.maxAccountsPerIdentifier,
    maxLength: 7,
  })}</div>
${areaField({
  name: 'allowedOrigins',
  label: linkForm.origins,
  hint: linkForm.originsHint,
  value: values.allowedOrigins,
  error: errors.allowedOrigins,
  isCode: true,
  rows: 2,
})}${areaField({
  name: 'redirectURLs',
  label: linkForm.redirects,
  hint: linkForm.redirectsHint,
  value: values.redirectURLs,
  error: errors.redirectURLs,
  isCode: true,
  rows: 2,
})}`
}
