import type { FastifyReply } from 'fastify'
import Type from 'typebox'
import type { Caller } from '../../access/auth/caller.ts'
import type { LargeBodies } from '../../access/auth/large-bodies.ts'
import { defineOperation, PROXY_ERRORS } from '../../access/operations/define-operation.ts'
import { createBodyTooLargeError, fieldError, validationFailed } from '../../platform/errors.ts'

import { decodeBase64, RawJson } from '../../platform/http/json-body.ts'
import type { AccountId } from '../accounts/account.ts'
import { type ProxyRequestDeps, proxyRequest } from './proxy-request.ts'
import { ProxyParams, SendProxyRequest } from './schemas.ts'
import type { OutgoingRequest } from './send-to-provider.ts'

export interface SendProxyRequestDeps extends ProxyRequestDeps {
  readonly largeBodies: LargeBodies
}

/** 25 MB in base64, and the other fields. */
const JSON_LIMIT = 34 * 1024 * 1024

/** Longer JSON would occupy the main thread: clients send it in base64, which is not parsed. */
const MAX_OTHER_BYTES = 2 * 1024 * 1024

export const sendProxyRequestOperation = defineOperation({
  id: 'sendProxyRequest',
  method: 'POST',
  path: '/v1/integration_account/:integrationAccountId/proxy',
  tag: 'Integration accounts',
  summary: 'Send the request in the body to the provider as the account',
  description:
    'Does the same as the other requests of the proxy, for clients that cannot send a path with slashes. Returns the response of the provider unchanged, with any status and content type. The header `linchpin-proxy` is `provider` on responses of the provider and `linchpin` on errors of Linchpin.',
  scope: 'proxy',
  params: ProxyParams,
  body: SendProxyRequest,
  response: Type.Unknown(),
  contentType: '*/*',
  returns: "The provider's response, with any status.",
  errors: PROXY_ERRORS,
  config: {
    takesAccountTokens: true,
    rate: 'proxy',
    ignoresIdempotencyKey: true,
    longMember: { name: 'bodyBase64', maxOtherBytes: MAX_OTHER_BYTES },
    rawMember: 'body',
  },
  route: ({ largeBodies }: SendProxyRequestDeps) => ({
    bodyLimit: JSON_LIMIT,
    preParsing: largeBodies.admitRequest,
  }),
  handle: (deps: SendProxyRequestDeps, caller, { params, body }, reply) =>
    sendProxyRequest(deps, caller, params.integrationAccountId, body, reply),
})

/**
 * Sends the request that a JSON body describes to the provider, for clients that are generated from the OpenAPI document:
 * they encode the slashes of a path parameter.
 *
 * @throws ApiError `validation_failed` if `bodyBase64` is not base64 or there are two bodies, and the errors of
 * `proxyRequest`
 * @throws RunnerError
 */
export async function sendProxyRequest(
  deps: ProxyRequestDeps,
  caller: Caller,
  accountId: AccountId,
  fields: SendProxyRequest,
  reply: FastifyReply,
): Promise<void> {
  return proxyRequest(deps, caller, accountId, await buildRequest(fields), reply)
}

/** The request to the provider that these fields describe. @throws ApiError `validation_failed` as `sendProxyRequest` */
export async function buildRequest(fields: SendProxyRequest): Promise<OutgoingRequest> {
  const { method, path, query, headers } = fields
  const body = await encodeBody(fields)
  const rawHeaders = Object.entries(headers ?? {}).flatMap(([name, values]) =>
    [values].flat().flatMap((value) => [name, value]),
  )
  if (isJson(fields) && !rawHeaders.some((text) => text.toLowerCase() === 'content-type'))
    rawHeaders.push('Content-Type', 'application/json')
  return {
    method: method ?? 'GET',
    path: appendQuery(escapeNonAscii(path.replace(/^\//, '')), query ?? {}),
    rawHeaders,
    assertSize: (maxBytes) => {
      if ((body?.length ?? 0) > maxBytes) throw createBodyTooLargeError(maxBytes)
    },
    readBody: async (_maxBytes, throttle) => {
      await throttle(body?.length ?? 0)
      return { body, contentLength: undefined, isAwaitingCaller: () => false }
    },
  }
}

const isJson = ({ body }: SendProxyRequest) => body instanceof RawJson

async function encodeBody({ body, bodyBase64 }: SendProxyRequest): Promise<Uint8Array | undefined> {
  if (bodyBase64 === undefined || bodyBase64 === null) {
    if (body === undefined) return undefined
    return Buffer.from(body instanceof RawJson ? body.text : String(body))
  }
  if (body !== undefined)
    throw validationFailed(
      fieldError('bodyBase64', 'conflict', 'Must not be present together with body.'),
    )
  const bytes = await decodeBase64(bodyBase64)
  if (bytes === undefined)
    throw validationFailed(
      fieldError('bodyBase64', 'invalid_base64', 'Must be base64 with padding.'),
    )
  return bytes
}

/** Characters that a request line cannot carry, as UTF-8 (RFC 3987 section 3.1). */
function escapeNonAscii(text: string): string {
  return text.replace(/[^ -~]+/g, (characters) => encodeURI(characters.toWellFormed()))
}

function appendQuery(path: string, query: NonNullable<SendProxyRequest['query']>): string {
  const pairs = Object.entries(query).flatMap(([name, values]) =>
    [values]
      .flat()
      .map((value) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`),
  )
  if (pairs.length === 0) return path
  return `${path}${path.includes('?') ? '&' : '?'}${pairs.join('&')}`
}
