import { getHeader } from '@linchpin/runner'
import Type from 'typebox'
import type { RequestRates } from '../../access/auth/request-rates.ts'
import { type ApiError, fieldError, validationFailed } from '../../platform/errors.ts'
import { RawJson } from '../../platform/http/json-body.ts'
import { OneOf, StrictObject } from '../../platform/http/schema.ts'
import { isDeeper, type JsonObject, parseJson } from '../../platform/json.ts'
import type { AccountId } from '../accounts/account.ts'
import type { AgentResponse } from '../agents/agent-response.ts'
import { MATCHING_APPROVAL } from '../agents/request-approval.ts'
import { callAccountTool } from '../mcp-client/call-account-tool.ts'
import type { AccountToolsDeps } from '../mcp-client/list-account-tools.ts'
import { MAX_NAME_LENGTH } from '../mcp-client/tool-definition.ts'
import { sendAgentRequest } from '../proxy/proxy-request.ts'
import type { SendProxyRequest } from '../proxy/schemas.ts'
import { buildRequest } from '../proxy/send-proxy-request.ts'
import { selectFields } from './select-fields.ts'
import { AccountArgument, defineTool, requireSessionAccount, type ToolCall } from './tool.ts'

export interface CallApiDeps extends AccountToolsDeps {
  readonly requestRates: Pick<RequestRates, 'admitToAccount'>
}

const PathArgument = Type.String({
  minLength: 1,
  maxLength: 4_096,
  description: 'Below the base URL, such as /v1/items, or a URL of an allowed host.',
})

const MAX_FIELDS = 50
/** Deeper than any response may be read, and still few steps. */
const FIELD = '^[^.]{1,100}(?:\\.[^.]{1,100}){0,9}$'

const scalar = { type: ['string', 'number', 'boolean'] }

export const readApiTool = defineTool({
  name: 'read_api',
  description:
    "Sends a GET request to the tool's API as the account and returns status, headers and body. A status of 400 or more is the tool's answer.",
  annotations: { readOnlyHint: true },
  input: StrictObject({
    account: AccountArgument,
    path: PathArgument,
    query: Type.Optional(
      Type.Unsafe<SendProxyRequest['query']>({
        type: 'object',
        maxProperties: 100,
        additionalProperties: { anyOf: [scalar, { type: 'array', maxItems: 100, items: scalar }] },
        description: 'Query parameters; an array repeats one.',
      }),
    ),
    fields: Type.Optional(
      Type.Array(Type.String({ pattern: FIELD }), {
        minItems: 1,
        maxItems: MAX_FIELDS,
        description:
          'Returns only these members of a JSON body, such as items.name. Use it: bodies are long.',
      }),
    ),
  }),
  async call(deps: CallApiDeps, call, { account, path, query, fields }) {
    const response = await send(deps, call, account, { path, query: query ?? null })
    return describeResponse(response, fields)
  },
})

export const writeApiTool = defineTool({
  name: 'write_api',
  description:
    "Sends a request that may change something to the tool's API as the account, with method and path, and returns the same as read_api. Or calls a tool of an MCP server, with tool and arguments, and returns its result. Your rules may deny it.",
  annotations: { readOnlyHint: false, destructiveHint: true },
  input: StrictObject({
    account: AccountArgument,
    method: Type.Optional(OneOf(['POST', 'PUT', 'PATCH', 'DELETE'] as const, 'Of HTTP.')),
    path: Type.Optional(PathArgument),
    body: Type.Optional(
      Type.Unsafe<unknown>({ description: 'A JSON value. A string is sent unchanged.' }),
    ),
    contentType: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        pattern: '^[\\x20-\\x7e]+$',
        description: 'Of a string. Default: application/json.',
      }),
    ),
    tool: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: MAX_NAME_LENGTH,
        description: 'A name from describe_account.',
      }),
    ),
    arguments: Type.Optional(
      Type.Unsafe<JsonObject>({ type: 'object', description: 'Of the tool.' }),
    ),
  }),
  async call(deps: CallApiDeps, call, input) {
    const { account, tool, arguments: args = {}, ...request } = input
    const { method, path, body, contentType } = request
    if (tool !== undefined) {
      const [other] = Object.keys(request)
      if (other !== undefined) throw refuseField(other, 'Must not be present together with tool.')
      admit(deps, call, account)
      const { caller, signal } = call
      const subject = { accountId: account, tool, args, signal, approval: MATCHING_APPROVAL }
      return { result: await callAccountTool(deps, caller, subject) }
    }
    if (input.arguments !== undefined) throw refuseField('arguments', 'Must be those of a tool.')
    if (method === undefined) throw refuseField('method', 'Must be present, unless tool is.')
    if (path === undefined) throw refuseField('path', 'Must be present, unless tool is.')
    const type = contentType ?? 'application/json'
    return describeResponse(
      await send(deps, call, account, {
        method,
        path,
        body: typeof body === 'string' || body === undefined ? body : toJson(body),
        ...(body !== undefined && { headers: { 'Content-Type': type } }),
      }),
    )
  },
})

function refuseField(field: string, message: string): ApiError {
  return validationFailed(fieldError(field, 'conflict', message), 'The arguments are')
}

const toJson = (body: unknown) => new RawJson(JSON.stringify(body))

/** Sends a request as the HTTP proxy does, within the same limits. */
async function send(
  deps: CallApiDeps,
  call: ToolCall,
  accountId: AccountId,
  fields: SendProxyRequest,
): Promise<AgentResponse> {
  const { caller, signal } = call
  admit(deps, call, accountId)
  const outgoing = await buildRequest(fields)
  const request = { outgoing, signal, approval: MATCHING_APPROVAL }
  return sendAgentRequest(deps, caller, accountId, request)
}

/** @throws ApiError `integration_account_not_found`, `rate_limited` */
function admit(
  { requestRates }: Pick<CallApiDeps, 'requestRates'>,
  { caller }: ToolCall,
  accountId: AccountId,
): void {
  requireSessionAccount(caller, accountId)
  if (caller.rates !== undefined) requestRates.admitToAccount(caller.rates, accountId)
}

/** A response for a model: JSON as such, any other text as text. */
function describeResponse(response: AgentResponse, fields?: readonly string[]) {
  const { status, rawHeaders } = response
  const text = Buffer.from(response.body).toString('utf8')
  const isTruncated = getHeader(rawHeaders, 'linchpin-truncated') !== undefined
  const json = isTruncated ? undefined : readJson(getHeader(rawHeaders, 'content-type'), text)
  const head = { status, headers: describeHeaders(rawHeaders) }
  if (json !== undefined)
    return { ...head, body: fields === undefined ? json.value : selectFields(json.value, fields) }
  return {
    ...head,
    body: text,
    ...(isTruncated && { truncated: true }),
    ...(fields !== undefined && { note: 'fields is for whole JSON bodies only.' }),
  }
}

/**
 * The value of a JSON text; undefined for any other text, and for one that is nested more than any API does. Whole numbers that JavaScript
 * would round become strings: an agent would change another record by such an ID.
 */
function readJson(contentType = '', text: string): { readonly value: unknown } | undefined {
  if (!/^[^;]*[/+]json\b/i.test(contentType)) return undefined
  const value = parseJson(text)
  if (value === undefined || isDeeper(value, MAX_DEPTH)) return undefined
  return { value: /\d{16}/.test(text) ? JSON.parse(text, keepDigits) : value }
}

const MAX_DEPTH = 200

function keepDigits(_name: string, value: unknown, { source }: { readonly source?: string } = {}) {
  const isRounded = Number.isInteger(value) && !Number.isSafeInteger(value)
  return isRounded && source !== undefined && /^-?\d+$/.test(source) ? source : value
}

/** Without Linchpin's own. */
function describeHeaders(rawHeaders: readonly string[]): Record<string, string> {
  const headers = new Headers()
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ''
    if (!/^linchpin-/i.test(name)) headers.append(name, rawHeaders[index + 1] ?? '')
  }
  return Object.fromEntries(headers)
}
