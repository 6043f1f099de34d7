import {
  getExample,
  type OpenApiDocument,
  type OperationEntry,
  type Parameter,
} from './openapi-document.ts'
import { SDK_METHODS } from './sdk-methods.ts'

/** A request as a command and as a call of the SDK. */
export interface Samples {
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
  const query = requiredQuery(entry).map((parameter) => [
    parameter.name,
    getParameterExample(parameter),
  ])
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
}

const toJson = (value: unknown): string => JSON.stringify(value, undefined, 2)

const quoteForShell = (text: string): string => text.replaceAll("'", `'\\''`)

/** JSON with the names of fields bare where TypeScript allows it. */
function toObjectLiteral(value: unknown): string {
  return toJson(value)
    .replaceAll(/^(\s*)"([A-Za-z_$][\w$]*)":/gm, '$1$2:')
    .replaceAll(/"((?:[^"\\']|\\[^"'])*)"/g, "'$1'")
}
