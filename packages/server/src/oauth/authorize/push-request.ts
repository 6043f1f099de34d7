import { GateError, scrub, type Tenant } from '@linchpin/runner'
import { field } from '../answer/answer-body.ts'
import { type Answer, type JudgeContext, judgeAnswer, unavailable } from '../answer/judge-answer.ts'
import type { Refused, Unavailable } from '../answer/token-result.ts'
import { fillTemplate } from '../template/url-template.ts'
import { type OAuthClient, sendAsClient } from '../token/client-request.ts'
import { lostRequest } from '../token/lost-request.ts'
import type { ProtocolDeps } from '../token/token-endpoint.ts'
import {
  type AuthorizationRequest,
  authorizationEndpoint,
  authorizationParams,
  buildPushedUrl,
} from './authorization-url.ts'

/** How pushing an authorization request ends: with the URL for the person, or as a token request fails. */
export type PushResult = { readonly kind: 'pushed'; readonly url: string } | Refused | Unavailable

/**
 * Sends an authorization request from here to the provider, with the client's authentication, so that no browser can
 * read or change it (RFC 9126). It asks once, and there is no way on without it.
 *
 * @throws TemplateError when the config cannot fill a `${name}`, before anything is sent
 * @throws ApiError when the client's secret may not go there, before anything is sent
 * @throws TypeError when the type names no endpoint for it, or uses PKCE and there is no challenge
 */
export async function pushRequest(
  { gate, now }: ProtocolDeps,
  request: Omit<AuthorizationRequest, 'clientId'> & {
    readonly client: OAuthClient
    readonly tenant?: Tenant | undefined
  },
): Promise<PushResult> {
  const { type, client, values } = request
  if (type.pushedRequestUrl === undefined) throw new TypeError('This type takes no pushed request.')
  const asked = { ...request, clientId: client.clientId }
  const params = authorizationParams(asked)
  const names = new Set(params.map(([name]) => name))
  // What the spec wrote into its URL is part of the request; a server that has a pushed one reads nothing else.
  const inUrl = [...authorizationEndpoint(asked).searchParams].filter(([name]) => !names.has(name))
  const sent = {
    url: fillTemplate(type.pushedRequestUrl, values, type.templateFields),
    type,
    // RFC 9126 section 2.1: always a form, whatever the token endpoint takes.
    bodyFormat: 'form',
    client,
    params: [...inUrl, ...params],
    tenant: request.tenant,
  } as const
  const context = { now: now(), secrets: [values, client.clientSecret] }
  try {
    const answer = await sendAsClient({ gate }, sent)
    const requestUri = readRequestUri(answer, context, client)
    return typeof requestUri === 'string'
      ? { kind: 'pushed', url: buildPushedUrl(asked, requestUri) }
      : requestUri
  } catch (error) {
    if (error instanceof GateError) return lostRequest(error)
    throw error
  }
}

/** RFC 9126 section 2.2. Its life needs no look: the person is sent on at once. */
function readRequestUri(
  answer: Answer,
  context: JudgeContext,
  { clientSecret }: OAuthClient,
): string | Refused | Unavailable {
  const judged = judgeAnswer(answer, context)
  if (judged.kind !== 'granted') return judged
  const uri = field(judged.fields, 'request_uri')
  const isUsable =
    typeof uri === 'string' &&
    uri.length <= LONGEST &&
    /^[a-z][a-z0-9+.-]*:[\x21-\x7e]+$/i.test(uri) &&
    // It goes into an address bar: an endpoint that echoes what it got must not bring the secret there.
    scrub(uri, [clientSecret]) === uri
  return isUsable ? uri : unavailable('bad_answer', false, answer, context)
}

const LONGEST = 1_024
