import { SDK_METHODS } from '../../packages/server/src/app/operations.ts'
import { formatTypes } from './format-types.ts'
import { renderComment, renderSchema, type Schema } from './render-schema.ts'

interface Content {
  readonly 'application/json'?: { readonly schema: Schema }
}

interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly tags: readonly string[]
  readonly parameters?: readonly {
    readonly in: string
    readonly name: string
    readonly required?: boolean
  }[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
  readonly tags: readonly { readonly name: string; readonly description: string }[]
}

/** An operation with its place in the API and in the SDK. */
interface Method {
  readonly group: string
  readonly name: string
  readonly http: string
  /** Below `/api/v1`, such as `/link/{linkId}`. */
  readonly path: string
  readonly operation: Operation
}

/** A group that shares its tag with another one. */
const GROUP_TEXTS: Readonly<Record<string, string>> = {
  oauth: 'Connecting an account by signing in at the provider.',
}

/**
 * The contents of `packages/sdk/src/api-groups.ts`: a class for each group of the SDK, with a method for each operation, from an
 * OpenAPI document. @throws Error for an operation that no method of `Group` sends
 */
export function renderGroups(document: object): string {
  const methods = listMethods(document as Document)
  const classes = [...Map.groupBy(methods, ({ group }) => group)]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([group, members]) => renderGroup(document as Document, group, members))
  const source = classes.join('\n\n')
  const names = [...new Set(methods.flatMap((method) => listTypes(document as Document, method)))]
  return formatTypes(`// Generated from the operations of the API by \`npm run generate\`. Do not edit.
import type { ${names.toSorted(compareNames).join(', ')} } from './api-types.ts'
import { Group } from './group.ts'
import type { List } from './list.ts'
import { path } from './path.ts'
import type { RequestOptions } from './send.ts'

${source}`)
}

/** As the linter sorts imports. */
function compareNames(one: string, other: string): number {
  const at = [...one].findIndex((letter, index) => letter !== other[index])
  const [first = '', second = ''] = [one[at], other[at]]
  if (first.toLowerCase() === second.toLowerCase()) return first < second ? -1 : 1
  return first.toLowerCase() < second.toLowerCase() ? -1 : 1
}

/** The operations with a method, in the order of their declaration. */
function listMethods({ paths }: Document): readonly Method[] {
  const documented = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([http, operation]) => ({ path, http, operation })),
  )
  return Object.entries(SDK_METHODS).map(([operationId, method]) => {
    const found = documented.find(({ operation }) => operation.operationId === operationId)
    if (found === undefined) throw new Error(`${operationId} is not in the document.`)
    const [group = '', name = ''] = method.split('.')
    return { ...found, group, name, path: found.path.replace('/api/v1', '') }
  })
}

function renderGroup({ tags, ...document }: Document, group: string, methods: readonly Method[]) {
  const [tag] = methods.flatMap(({ operation }) => operation.tags)
  const text = GROUP_TEXTS[group] ?? tags.find(({ name }) => name === tag)?.description
  const members = methods.map((method) => renderMethod({ tags, ...document }, method))
  return `${renderComment(text)}export class ${nameClass(group)} extends Group {\n${members.join('\n\n')}\n}`
}

/** `oauthApps` → `OAuthApps` */
function nameClass(group: string): string {
  return group.startsWith('oauth')
    ? `OAuth${group.slice('oauth'.length)}`
    : group.charAt(0).toUpperCase() + group.slice(1)
}

function renderMethod(document: Document, method: Method): string {
  const { name, path, operation } = method
  const ids = listParameters(operation, 'path')
  const input = findInput(document, method)
  const { type, send } = findResult(method)
  const parameters = [
    ...ids.map((id) => `${id}: string`),
    ...(input === undefined ? [] : [`${input.name}${input.isRequired ? '' : '?'}: ${input.type}`]),
    'options?: RequestOptions',
  ]
  const url = `${ids.length === 0 ? "'" : 'path`'}${path.replaceAll('{', '${')}${ids.length === 0 ? "'" : '`'}`
  return `${renderDoc(operation, type)}${name}(${parameters.join(', ')}): ${type} {
return this.${send}(${url}, ${input?.name ?? 'undefined'}, options)
}`
}

/** What a method takes besides IDs: the body of the request, or else its query. */
function findInput({ components }: Document, { http, operation }: Method) {
  const body = operation.requestBody?.content['application/json']?.schema
  const query = listParameters(operation, 'query')
  if (body !== undefined && !isEmpty(body)) {
    if (http !== 'post' || query.length > 0 || body.$ref === undefined)
      throw new Error(`${operation.operationId} has a body that no method sends.`)
    const type = renderSchema(body)
    const { required = [] } = components.schemas[type] ?? {}
    return { name: 'body', type, isRequired: required.length > 0 }
  }
  if (query.length === 0) return undefined
  const { operationId: id, parameters = [] } = operation
  return {
    name: 'query',
    type: `${id.charAt(0).toUpperCase()}${id.slice(1)}Query`,
    isRequired: parameters.some((parameter) => parameter.in === 'query' && parameter.required),
  }
}

function isEmpty({ type, properties = {} }: Schema): boolean {
  return type === 'object' && Object.keys(properties).length === 0
}

/** What a method returns, and the method of `Group` that sends its request. */
function findResult({ http, operation }: Method): { readonly type: string; readonly send: string } {
  const { responses, operationId } = operation
  const success = Object.keys(responses).find((status) => status.startsWith('2')) ?? ''
  const schema = responses[success]?.content?.['application/json']?.schema
  if (http === 'get' && schema === undefined)
    return { type: 'Promise<Response>', send: 'openStream' }
  if (schema === undefined) throw new Error(`${operationId} has no response in JSON.`)
  if (http === 'get' && schema.type === 'array') {
    const isPaginated = listParameters(operation, 'query').includes('limit')
    const type = `List<${nameResult(schema.items ?? {})}>`
    return { type, send: isPaginated ? 'listPages' : 'listAll' }
  }
  const send = SENDERS[http]
  if (send === undefined) throw new Error(`No method sends ${http}.`)
  return { type: `Promise<${nameResult(schema)}>`, send }
}

const SENDERS: Readonly<Record<string, string>> = {
  get: 'sendGet',
  post: 'sendPost',
  delete: 'sendDelete',
}

function nameResult(schema: Schema): string {
  const name = renderSchema(schema)
  return RESULT_TYPES[name] ?? name
}

/** Events have a type for each of their types, and a spec has whatever its bundle returns. */
const RESULT_TYPES: Readonly<Record<string, string>> = {
  Event: 'LinchpinEvent',
  IntegrationSpec: 'Record<string, unknown>',
}

/** The named types of a method. */
function listTypes(document: Document, method: Method): string[] {
  const [, result = ''] = /<(.+)>/.exec(findResult(method).type) ?? []
  return [findInput(document, method)?.type ?? '', result].filter(
    (name) => /^\w+$/.test(name) && name !== 'Response',
  )
}

/** The summary and the description. A list reads the next page by itself, so that the sentence about its header is left out. */
function renderDoc({ summary, description }: Operation, type: string): string {
  const sentences = description.split(/(?<=\.) (?=\S)/)
  const text = sentences
    .filter((sentence) => !(type.startsWith('List<') && /`Link` header/.test(sentence)))
    .concat(type === 'Promise<Response>' ? ['Returns the response with its body unread.'] : [])
    .join(' ')
  return `/**\n * ${summary}.\n *\n${wrap(text)}\n */\n`
}

const WIDTH = 110

function wrap(text: string): string {
  const lines: string[] = ['']
  for (const word of text.replaceAll('*/', '*\\/').split(' ')) {
    const line = lines.at(-1) ?? ''
    if (line.length + word.length > WIDTH) lines.push(word)
    else lines[lines.length - 1] = `${line} ${word}`.trim()
  }
  return lines.map((line) => ` * ${line}`).join('\n')
}

function listParameters({ parameters = [] }: Operation, place: string): string[] {
  return parameters.filter((parameter) => parameter.in === place).map(({ name }) => name)
}
