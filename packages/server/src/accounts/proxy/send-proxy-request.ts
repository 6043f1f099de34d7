import type { FastifyReply } from 'fastify'
import type { Caller } from '../../access/auth/caller.ts'
import { fieldError, validationFailed } from '../../platform/errors.ts'
import { createBodyTooLargeError } from '../../platform/http/create-body-too-large-error.ts'
import { decodeBase64 } from '../../platform/http/decode-base64.ts'
import { RawJson } from '../../platform/http/json-body.ts'
import type { AccountId } from '../accounts/account.ts'
import type { OutgoingRequest } from './outgoing-request.ts'
import { type ProxyRequestDeps, proxyRequest } from './proxy-request.ts'
import type { SendProxyRequest } from './schemas.ts'

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

async function buildRequest(fields: SendProxyRequest): Promise<OutgoingRequest> {
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
