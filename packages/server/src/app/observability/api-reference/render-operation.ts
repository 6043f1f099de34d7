import { ERRORS, type ErrorCode } from '../../../platform/error-codes.ts'
import { ERROR_MEANINGS } from '../../../platform/error-meanings.ts'
import { type Html, html, renderCode } from '../../../platform/ui/html.ts'
import { SDK_METHODS } from '../../operations.ts'
import { getKnownValues } from '../complete-document.ts'
import { OPERATION_CODES } from '../operation-codes.ts'
import {
  getExample,
  getRefName,
  type OpenApiDocument,
  type OperationEntry,
  type Parameter,
  type Response,
  resolveRef,
  type Schema,
} from './openapi-document.ts'

/** Renders an operation: what it does, what it takes and returns on one side, samples on the other. */
export function renderOperation(document: OpenApiDocument, entry: OperationEntry): Html {
  const { method, path, operation } = entry
  const samples = createSamples(document, entry)
  return html`<section class="operation" id="${operation.operationId}">
<div>
<h2>${operation.summary} <a class="anchor" href="#${operation.operationId}" aria-label="Link to this operation">#</a></h2>
<p class="address"><code><b class="${method.toLowerCase()}">${method}</b> /api${path}</code></p>
<p>${renderProse(operation.description)}</p>
${renderParameters('Path', operation.parameters, 'path')}${renderParameters('Query', operation.parameters, 'query')}${renderBody(document, operation.requestBody?.content['application/json']?.schema)}${renderResponses(entry)}</div>
<div class="samples">
${renderCode('curl', samples.curl, 'curl')}${samples.typescript === undefined ? '' : renderCode('TypeScript', samples.typescript, 'ts')}${renderResponseExample(document, operation.responses)}</div>
</section>
`
}

function renderParameters(
  title: string,
  parameters: readonly Parameter[] = [],
  place: Parameter['in'],
): Html | string {
  const fields = parameters
    .filter((parameter) => parameter.in === place)
    .map(
      ({ name, schema, required, description }): Field => ({
        name,
        schema,
        isRequired: required === true,
        description,
      }),
    )
  return fields.length === 0 ? '' : html`<h3>${title}</h3>${renderFields(fields)}`
}

function renderBody(document: OpenApiDocument, schema: Schema | undefined): Html | string {
  if (schema === undefined) return ''
  return html`<h3>Body: ${renderType(schema)}</h3>${renderFields(listFields(resolveRef(document, schema)))}`
}

function renderResponses({ operation }: OperationEntry): Html {
  const rows = Object.entries(operation.responses)
    .filter(([status]) => status.startsWith('2'))
    .map(
      ([
        status,
        { description, content },
      ]) => html`<div><dt><code>${status}</code>${renderBodyType(content)}</dt><dd>${renderProse(description)}</dd></div>
`,
    )
  return html`<h3>Response</h3><dl class="fields">${rows}</dl>${renderErrors(operation.operationId)}`
}

function renderErrors(operationId: string): Html {
  const everyRequest = html`<a href="../../docs#errors">Those of every request</a>`
  const codes = OPERATION_CODES[operationId] ?? []
  return html`<h3>Errors</h3>${codes.length === 0 ? html`<p class="quiet">${everyRequest}.</p>` : html`${renderCodes([...new Set(codes)])}<p class="quiet">${everyRequest}, too.</p>`}`
}

function renderBodyType(content: Response['content']): Html | string {
  const schema = content?.['application/json']?.schema
  return schema === undefined ? '' : html` <span class="type">${renderType(schema)}</span>`
}

function renderResponseExample(
  document: OpenApiDocument,
  responses: Readonly<Record<string, Response>>,
): Html | string {
  const status = Object.keys(responses).find((name) => name.startsWith('2')) ?? ''
  const schema = responses[status]?.content?.['application/json']?.schema
  const example = schema === undefined ? undefined : getExample(document, schema)
  return example === undefined
    ? ''
    : renderCode(`Response ${status}`, JSON.stringify(example, undefined, 2), 'json')
}

/** A request as a command and as a call of the SDK. */
interface Samples {
  readonly curl: string
  /** Absent if the SDK has no method for the operation. */
  readonly typescript: string | undefined
}

/** Writes the samples of an operation, with the examples of the document as values. */
export function createSamples(document: OpenApiDocument, entry: OperationEntry): Samples {
  return { curl: createCurl(document, entry), typescript: createCall(document, entry) }
}

function createCurl(document: OpenApiDocument, entry: OperationEntry): string {
  const { method, path } = entry
  const body = getBody(document, entry)
  const query = requiredQuery(entry)
    .map((parameter) => `${parameter.name}=${encodeURIComponent(getParameterExample(parameter))}`)
    .join('&')
  const url = `${document.servers[0]?.url}/api${fillPath(entry, path)}${query === '' ? '' : `?${query}`}`
  return [
    `curl ${method === 'GET' || (method === 'POST' && body !== undefined) ? '' : `-X ${method} `}'${url}'`,
    `  -H "Authorization: Bearer $LINCHPIN_TOKEN"`,
    ...(body === undefined
      ? []
      : [`  -H 'Content-Type: application/json'`, `  -d '${quoteForShell(toJson(body))}'`]),
  ].join(' \\\n')
}

function createCall(document: OpenApiDocument, entry: OperationEntry): string | undefined {
  const method = SDK_METHODS[entry.operation.operationId]
  if (method === undefined) return undefined
  const body = getBody(document, entry)
  const query = requiredQuery(entry).map((parameter) => {
    const example = getParameterExample(parameter)
    return [parameter.name, parameter.schema.type === 'array' ? [example] : example]
  })
  const args = [
    ...listParameters(entry, 'path').map((parameter) => `'${getParameterExample(parameter)}'`),
    ...(body === undefined ? [] : [toObjectLiteral(body)]),
    ...(query.length === 0 ? [] : [toObjectLiteral(Object.fromEntries(query))]),
  ].join(', ')
  const call = `linchpin.${method}(${args})`
  const [, name = ''] = method.split('.')
  return name.startsWith('list')
    ? `for await (const item of ${call}) console.log(item)`
    : `const ${name === 'export' ? 'response' : 'result'} = await ${call}`
}

function getBody(document: OpenApiDocument, { operation }: OperationEntry): unknown {
  const schema = operation.requestBody?.content['application/json']?.schema
  return schema === undefined ? undefined : getExample(document, schema)
}

function listParameters({ operation }: OperationEntry, place: Parameter['in']): Parameter[] {
  return (operation.parameters ?? []).filter((parameter) => parameter.in === place)
}

function requiredQuery(entry: OperationEntry): Parameter[] {
  return listParameters(entry, 'query').filter(({ required }) => required === true)
}

function fillPath(entry: OperationEntry, path: string): string {
  return listParameters(entry, 'path').reduce(
    (filled, parameter) => filled.replace(`{${parameter.name}}`, getParameterExample(parameter)),
    path,
  )
}

/** IDs look like those of the examples: a prefix, and 26 characters. */
function getParameterExample({ name }: Parameter): string {
  return PARAMETER_EXAMPLES[name] ?? name
}

const ID = '01kahn2s6kf5arr5d1x6z5cq3b'
const PARAMETER_EXAMPLES: Readonly<Record<string, string>> = {
  linkId: 'lnk_3q0v5m8e2x7c9r1t6y4u0i8o2p5a7s9d',
  integrationDefinitionId: `def_${ID}`,
  integrationAccountId: `acc_${ID}`,
  integrationOAuthAppId: `oap_${ID}`,
  connectSessionId: `cns_${ID}`,
  webhookEndpointId: `whe_${ID}`,
  previewId: `pre_${ID}`,
  eventId: `evt_${ID}`,
  tokenId: `tok_${ID}`,
  workspaceId: `wsp_${ID}`,
  accountIdentifier: 'customer-41',
  path: 'tickets',
  metrics: 'connects',
}

const toJson = (value: unknown): string => JSON.stringify(value, undefined, 2)

const quoteForShell = (text: string): string => text.replaceAll("'", `'\\''`)

/** JSON with the names of fields bare where TypeScript allows it. */
function toObjectLiteral(value: unknown): string {
  return toJson(value)
    .replaceAll(/^(\s*)"([A-Za-z_$][\w$]*)":/gm, '$1$2:')
    .replaceAll(/"((?:[^"\\']|\\[^"'])*)"/g, "'$1'")
}

/** A row of a table of fields. */
interface Field {
  readonly name: string
  readonly schema: Schema
  readonly isRequired: boolean
  readonly description?: string | undefined
}

/** Renders fields with their types, limits and descriptions. Fields of inline objects follow their object. */
export function renderFields(fields: readonly Field[]): Html | string {
  if (fields.length === 0) return ''
  return html`<dl class="fields">${fields.map((field) => renderField(field))}</dl>`
}

/** The fields of an object schema, or of the objects that a schema allows. */
export function listFields({ properties = {}, required = [], anyOf = [] }: Schema): Field[] {
  if (anyOf.length > 0) return mergeFields(anyOf.map(listFields))
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    schema,
    isRequired: required.includes(name),
  }))
}

/** The fields of several objects, each name once; required are those that all of them require. */
function mergeFields(objects: readonly Field[][]): Field[] {
  const fields = Map.groupBy(objects.flat(), ({ name }) => name)
  return [...fields].map(([name, variants]) => ({
    name,
    schema: variants[0]?.schema ?? {},
    description: variants.map(({ schema }) => schema.description).join(' Or: '),
    isRequired: variants.length === objects.length && variants.every((field) => field.isRequired),
  }))
}

/** Renders prose in which backticks mark code. */
export function renderProse(text: string): Html {
  const parts = text.split('`')
  return html`${parts.map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`
}

function renderField({ name, schema, isRequired, description }: Field): Html {
  const text = description ?? schema.description ?? ''
  const details = html`${renderProse(text)}${renderLimits(schema)}${renderNested(schema)}`
  return html`<div><dt><code>${name}</code> <span class="type">${renderType(schema)}</span>${isRequired ? html` <span class="required">Required</span>` : ''}${renderDefault(schema)}</dt>${details.text === '' ? '' : html`<dd>${details}</dd>`}</div>
`
}

function renderDefault({ default: value }: Schema): Html | string {
  if (value === undefined) return ''
  return html` <span class="default">Default <code>${JSON.stringify(value)}</code></span>`
}

function renderNested(schema: Schema): Html | string {
  const inner = schema.items?.properties === undefined ? schema : schema.items
  return inner.properties === undefined ? '' : renderFields(listFields(inner))
}

function renderLimits(schema: Schema): Html | string {
  const { enum: values } = schema
  const knownValues = getKnownValues(schema)
  const sentences = [
    ...(values === undefined || schema.type === 'boolean' ? [] : [`One of ${listValues(values)}.`]),
    ...(knownValues === undefined
      ? []
      : [`${listValues(knownValues)}, or a value of a later version.`]),
    ...(schema.minimum === undefined ? [] : [`At least ${schema.minimum}.`]),
    ...(schema.maximum === undefined ? [] : [`At most ${schema.maximum}.`]),
    ...(schema.maxLength === undefined ? [] : [`At most ${schema.maxLength} characters.`]),
    ...(schema.maxItems === undefined ? [] : [`At most ${schema.maxItems} items.`]),
  ]
  return sentences.length === 0
    ? ''
    : html` <span class="limits">${renderProse(sentences.join(' '))}</span>`
}

function listValues(values: readonly unknown[]): string {
  return values.map((value) => `\`${value}\``).join(', ')
}

/** The type in words; a named schema is a link to its section. */
export function renderType(schema: Schema): Html {
  const name = getRefName(schema)
  if (name !== undefined) return html`<a href="#schema-${name}">${name}</a>`
  const branches = schema.anyOf ?? schema.oneOf
  if (branches !== undefined)
    return joinTypes(branches.slice(getKnownValues(schema) === undefined ? 0 : 1).map(renderType))
  if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`
  const types = [schema.type ?? 'any value'].flat()
  return joinTypes(types.map((type) => renderSimpleType(type, schema)))
}

function renderSimpleType(type: string, schema: Schema): Html {
  if (type === 'array') return html`list of ${renderType(schema.items ?? {})}`
  return html`${schema.format === undefined || type !== 'string' ? type : (FORMATS[schema.format] ?? type)}`
}

function joinTypes(types: readonly Html[]): Html {
  return html`${types.map((type, index) => (index === 0 ? type : html` or ${type}`))}`
}

const FORMATS: Readonly<Record<string, string>> = { 'date-time': 'time', uri: 'URL' }

/** Renders error codes with their status and meaning. */
export function renderCodes(codes: readonly ErrorCode[]): Html {
  const rows = codes.map(
    (
      code,
    ) => html`<div><dt><code>${code}</code> <span class="type">${ERRORS[code][0]}</span></dt><dd>${renderProse(ERROR_MEANINGS[code])}</dd></div>
`,
  )
  return html`<dl class="fields">${rows}</dl>`
}
