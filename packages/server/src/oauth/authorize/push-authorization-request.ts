import { EgressError, scrub, type Tenant } from '@linchpin/runner'
import { fillUrlTemplate } from '../template/url-template.ts'
import { type OAuthClient, sendClientRequest } from '../token/client-request.ts'
import type { OAuthRequestDeps } from '../token/token-endpoint.ts'
import { unansweredRequest } from '../token/unanswered-request.ts'
import {
  type HttpResponse,
  type ParseContext,
  parseOAuthResponse,
  toUnavailable,
} from '../token-response/parse-oauth-response.ts'
import { getField } from '../token-response/parse-response-body.ts'
import type { Refused, Unavailable } from '../token-response/token-result.ts'
import {
  type AuthorizationRequest,
  buildAuthorizationParams,
  buildPushedAuthorizationUrl,
  resolveAuthorizationEndpoint,
} from './authorization-url.ts'

/** How pushing an authorization request ends: with the URL for the person, or as a token request fails. */
export type PushedAuthorizationResult =
  | { readonly kind: 'pushed'; readonly url: string }
  | Refused
  | Unavailable

/**
 * Sends an authorization request from here to the provider, with the client's authentication, so that no browser can
 * read or change it (RFC 9126). It asks once, and there is no way on without it.
 *
 * @throws TemplateError when the config cannot fill a `${name}`, before anything is sent
 * @throws ApiError when the client's secret may not go there, before anything is sent
 * @throws TypeError when the type names no endpoint for it, or uses PKCE and there is no challenge
 */
export async function pushAuthorizationRequest(
  { egressGateway, now }: OAuthRequestDeps,
  request: Omit<AuthorizationRequest, 'clientId'> & {
    readonly client: OAuthClient
    readonly tenant?: Tenant | undefined
  },
): Promise<PushedAuthorizationResult> {
  const { type, client, values } = request
  if (type.pushedRequestUrl === undefined) throw new TypeError('This type takes no pushed request.')
  const authorizationRequest = { ...request, clientId: client.clientId }
  const params = buildAuthorizationParams(authorizationRequest)
  const names = new Set(params.map(([name]) => name))
  // What the spec wrote into its URL is part of the request; a server that has a pushed one reads nothing else.
  const urlParams = [...resolveAuthorizationEndpoint(authorizationRequest).searchParams].filter(
    ([name]) => !names.has(name),
  )
  const clientRequest = {
    url: fillUrlTemplate(type.pushedRequestUrl, values, type.templateFields),
    type,
    // RFC 9126 section 2.1: always a form, whatever the token endpoint takes.
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
    if (error instanceof EgressError) return unansweredRequest(error)
    throw error
  }
}

/** RFC 9126 section 2.2. Its life needs no look: the person is sent on at once. */
function parseRequestUri(
  response: HttpResponse,
  context: ParseContext,
  { clientSecret }: OAuthClient,
): string | Refused | Unavailable {
  const parsed = parseOAuthResponse(response, context)
  if (parsed.kind !== 'granted') return parsed
  const uri = getField(parsed.fields, 'request_uri')
  const isUsable =
    typeof uri === 'string' &&
    uri.length <= MAX_REQUEST_URI_LENGTH &&
    /^[a-z][a-z0-9+.-]*:[\x21-\x7e]+$/i.test(uri) &&
    // It goes into an address bar: an endpoint that echoes what it got must not bring the secret there.
    scrub(uri, [clientSecret]) === uri
  return isUsable ? uri : toUnavailable('bad_answer', false, response, context)
}

const MAX_REQUEST_URI_LENGTH = 1_024
