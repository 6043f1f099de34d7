import { EgressError, scrub, type Tenant } from '@linchpin/runner'
import { fillUrlTemplate } from '../template/url-template.ts'
import { type OAuthClient, sendClientRequest } from '../token/client-request.ts'
import { toUnavailableResult } from '../token/to-unavailable-result.ts'
import type { OAuthRequestDeps } from '../token/token-endpoint.ts'
import {
  type HttpResponse,
  type ParseContext,
  parseOAuthResponse,
  toUnavailable,
} from '../token-response/parse-oauth-response.ts'
import type { TokenErrorResult, TokenUnavailableResult } from '../token-response/token-result.ts'
import {
  type AuthorizationRequest,
  buildAuthorizationParams,
  buildPushedAuthorizationUrl,
  resolveAuthorizationEndpoint,
} from './authorization-url.ts'

/** The outcome of a pushed authorization request: the URL for the browser, or the failures of a token request. */
export type PushedAuthorizationResult =
  | { readonly kind: 'pushed'; readonly url: string }
  | TokenErrorResult
  | TokenUnavailableResult

/**
 * Sends an authorization request directly to the provider with client authentication, so that no browser can read or
 * change it (RFC 9126). Sends one request. There is no fallback to an unpushed request.
 *
 * @throws TemplateError if the config cannot fill a `${name}`, before anything is sent
 * @throws ApiError if the client secret may not be sent to the endpoint, before anything is sent
 * @throws TypeError if the type has no such endpoint, or uses PKCE and `codeChallenge` is missing
 */
export async function pushAuthorizationRequest(
  { egressGateway, now }: OAuthRequestDeps,
  request: Omit<AuthorizationRequest, 'clientId'> & {
    readonly client: OAuthClient
    readonly tenant?: Tenant | undefined
  },
): Promise<PushedAuthorizationResult> {
  const { type, client, values } = request
  if (type.pushedRequestUrl === undefined) throw new TypeError('pushedRequestUrl is required.')
  const authorizationRequest = { ...request, clientId: client.clientId }
  const params = buildAuthorizationParams(authorizationRequest)
  const names = new Set(params.map(([name]) => name))
  // The query of the spec's URL is part of the request, and servers ignore it when the request is pushed.
  const urlParams = [...resolveAuthorizationEndpoint(authorizationRequest).searchParams].filter(
    ([name]) => !names.has(name),
  )
  const clientRequest = {
    url: fillUrlTemplate(type.pushedRequestUrl, values, type.templateFields),
    type,
    // RFC 9126 section 2.1: always a form, whatever format the token endpoint takes.
    bodyFormat: 'form',
    client,
    params: [...urlParams, ...params],
    tenant: request.tenant,
  } as const
  const context = { now: now(), secrets: [values, client.clientSecret] }
  try {
    const response = await sendClientRequest({ egressGateway }, clientRequest)
    const requestUri = parseRequestUri(response, context, client)
    return typeof requestUri === 'string'
      ? { kind: 'pushed', url: buildPushedAuthorizationUrl(authorizationRequest, requestUri) }
      : requestUri
  } catch (error) {
    if (error instanceof EgressError) return toUnavailableResult(error)
    throw error
  }
}

/** RFC 9126 section 2.2. `expires_in` is ignored because the browser is redirected immediately. */
function parseRequestUri(
  response: HttpResponse,
  context: ParseContext,
  { clientSecret }: OAuthClient,
): string | TokenErrorResult | TokenUnavailableResult {
  const parsed = parseOAuthResponse(response, context)
  if (parsed.kind !== 'success') return parsed
  const { request_uri: uri } = parsed.fields
  const isUsable =
    typeof uri === 'string' &&
    uri.length <= MAX_REQUEST_URI_LENGTH &&
    /^[a-z][a-z0-9+.-]*:[\x21-\x7e]+$/i.test(uri) &&
    // The URI appears in the address bar: an endpoint that echoes its input must not leak the secret there.
    scrub(uri, [clientSecret]) === uri
  return isUsable ? uri : toUnavailable('invalid_response', false, response, context)
}

const MAX_REQUEST_URI_LENGTH = 1_024
