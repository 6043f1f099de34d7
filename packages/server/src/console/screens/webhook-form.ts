import type { WebhookEndpoint } from '@linchpin/sdk'
import { type Html, html } from '../../platform/ui/html.ts'
import { choices } from '../parts/choices.ts'
import { areaField, selectField, textField } from '../parts/fields.ts'
import { type FormErrors, readLines } from '../parts/form-errors.ts'
import type { View } from '../screen.ts'

/** The fields of the API that the form has: errors are shown at them. */
export const ENDPOINT_FIELDS = [
  'url',
  'description',
  'types',
  'integrationDefinitionIds',
  'payload',
  'ordering',
  'signature',
  'maxInFlight',
  'headers',
] as const

/** What a person has entered, or what is stored. */
export type EndpointValues = Readonly<Record<(typeof ENDPOINT_FIELDS)[number], string>>

/** The groups of events that can be chosen at once. */
const GROUPS = [
  'account.*',
  'connect.*',
  'connect_session.*',
  'link.*',
  'definition.*',
  'oauth_app.*',
  'token.*',
  'webhook_endpoint.*',
  'audit.*',
] as const

export const NEW_ENDPOINT: EndpointValues = {
  url: '',
  description: '',
  types: 'account.*\nconnect.*',
  integrationDefinitionIds: '',
  payload: 'full',
  ordering: 'account',
  signature: 'v1',
  maxInFlight: '',
  headers: '',
}

/** What the form begins with. The values of headers are never returned, so they are unchanged unless new ones are entered. */
export function toEndpointValues(endpoint: WebhookEndpoint): EndpointValues {
  return {
    url: endpoint.url,
    description: endpoint.description,
    types: endpoint.types.join('\n'),
    integrationDefinitionIds: endpoint.integrationDefinitionIds.join('\n'),
    payload: endpoint.payload,
    ordering: endpoint.ordering,
    signature: endpoint.signature,
    maxInFlight: `${endpoint.maxInFlight}`,
    headers: '',
  }
}

/** What was submitted. Groups and single types are one list. */
export function readEndpointValues(form: URLSearchParams): EndpointValues {
  const read = (name: string) => form.get(name)?.trim() ?? ''
  return {
    url: read('url'),
    description: read('description'),
    types: [...form.getAll('group'), ...readLines(form.get('types'))].join('\n'),
    integrationDefinitionIds: read('integrationDefinitionIds'),
    payload: read('payload'),
    ordering: read('ordering'),
    signature: read('signature'),
    maxInFlight: read('maxInFlight'),
    headers: form.get('headers') ?? '',
  }
}

/** The settings as the API takes them. */
export function toEndpointSettings(values: EndpointValues) {
  const headers = readLines(values.headers).map((line): [string, string] => {
    const [name = '', ...rest] = line.split(':')
    return [name.trim(), rest.join(':').trim()]
  })
  return {
    url: values.url,
    description: values.description,
    types: readLines(values.types),
    integrationDefinitionIds: readLines(values.integrationDefinitionIds),
    payload: values.payload as 'full' | 'thin',
    ordering: values.ordering as 'account' | 'none',
    signature: values.signature as 'v1' | 'v1a' | 'both',
    ...(values.maxInFlight !== '' && { maxInFlight: Number(values.maxInFlight) }),
    ...(headers.length > 0 && { headers: Object.fromEntries(headers) }),
  }
}

/** The fields of a new or an existing endpoint. */
export function renderEndpointFields(
  { words }: Pick<View, 'words'>,
  values: EndpointValues,
  errors: FormErrors | undefined,
  headerNames: readonly string[] = [],
): Html {
  const { fields } = words.webhooks
  const error = errors?.fields ?? {}
  return html`${textField({ name: 'url', label: fields.url, hint: fields.urlHint, value: values.url, error: error.url, type: 'url', isRequired: true, maxLength: 2_048, placeholder: 'https://example.com/linchpin' })}
${textField({ name: 'description', label: fields.description, value: values.description, error: error.description, maxLength: 500 })}
${renderTypes({ words }, values, error.types)}
<details class="help"${hasMore(error) ? html` open` : ''}><summary>${fields.more}</summary><div class="stack">${renderMore({ words }, values, error, headerNames)}</div></details>`
}

function renderTypes(
  { words }: Pick<View, 'words'>,
  values: EndpointValues,
  error: string | undefined,
): Html {
  const { fields, groups } = words.webhooks
  const types = readLines(values.types)
  const single = types.filter((type) => !GROUPS.some((group) => group === type))
  return html`${choices({
    name: 'group',
    label: fields.types,
    hint: fields.typesHint,
    type: 'checkbox',
    choices: GROUPS.map((value) => ({
      value,
      label: groups[value],
      hint: value,
    })),
    chosen: types,
    error,
  })}${areaField({ name: 'types', label: fields.singleTypes, hint: fields.singleTypesHint, value: single.join('\n'), rows: 2, isCode: true })}`
}

const MORE = [
  'integrationDefinitionIds',
  'payload',
  'ordering',
  'signature',
  'maxInFlight',
  'headers',
]

function hasMore(errors: Readonly<Record<string, string>>): boolean {
  return MORE.some((name) => errors[name] !== undefined)
}

function renderMore(
  { words }: Pick<View, 'words'>,
  values: EndpointValues,
  error: Readonly<Record<string, string>>,
  headerNames: readonly string[],
): Html {
  const { fields, payloads, orderings, signatures } = words.webhooks
  const select = (
    name: 'payload' | 'ordering' | 'signature',
    texts: Readonly<Record<string, string>>,
  ) =>
    selectField(
      {
        name,
        label: fields[name],
        value: values[name],
        error: error[name],
      },
      Object.entries(texts).map(([value, label]) => ({ value, label })),
    )
  return html`${select('payload', payloads)}${select('ordering', orderings)}${select('signature', signatures)}
${textField({ name: 'maxInFlight', label: fields.maxInFlight, hint: fields.maxInFlightHint, value: values.maxInFlight, error: error.maxInFlight })}
${areaField({ name: 'integrationDefinitionIds', label: fields.integrations, hint: fields.integrationsHint, value: values.integrationDefinitionIds, error: error.integrationDefinitionIds, rows: 2, isCode: true })}
${areaField({ name: 'headers', label: fields.headers, hint: headerNames.length === 0 ? fields.headersHint : fields.headersStored(headerNames.join(', ')), value: values.headers, error: error.headers, rows: 2, isCode: true })}`
}
