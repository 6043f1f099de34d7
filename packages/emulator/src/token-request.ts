import { createHash } from 'node:crypto'
import { readClient } from './credentials.ts'
import { type Answer, isJson, type ProviderRequest, readParams } from './exchange.ts'
import { withoutMembers } from './fill.ts'
import type { Grant } from './grants.ts'
import type { Reply } from './provider.ts'
import {
  answer,
  fail,
  findClientProblem,
  hasRefreshTokenIn,
  issueTokens,
  type Params,
  type SignInContext,
  type SignInMethod,
  toStandardNames,
} from './sign-in.ts'
import { toUrlPattern, withoutQuery } from './url-pattern.ts'

/** A token request, read with the names of the provider that it is for. */
interface TokenRequest {
  readonly method: SignInMethod
  readonly params: Params
  readonly isRefresh: boolean
  /** The code or the refresh token. */
  readonly token: string
}

/** RFC 6749, sections 4.1.3 and 6. */
export function respondToTokenRequest(
  context: SignInContext,
  request: ProviderRequest,
  methods: readonly SignInMethod[],
): Answer {
  const asked = chooseMethod(context, request, methods)
  const { method, params, isRefresh, token } = asked
  const problem = findRequestProblem(asked, request) ?? findClientProblem(method, request, params)
  if (problem !== undefined) return answer('token', method, problem)
  const grant = context.grants.use(isRefresh ? 'refresh' : 'code', token)
  const error =
    grant === undefined
      ? `The ${isRefresh ? 'refresh token' : 'code'} is unknown, used or expired.`
      : findGrantProblem(context, request, params, grant)
  if (grant === undefined || error !== undefined)
    return answer('token', method, fail('invalid_grant', error ?? ''))
  return answer('token', method, respondWithTokens(context, asked, grant))
}

/** The one that has issued the code or the token; otherwise any. */
function chooseMethod(
  { grants }: SignInContext,
  request: ProviderRequest,
  methods: readonly SignInMethod[],
): TokenRequest {
  const sent = readParams(request)
  const all = methods.map((method): TokenRequest => {
    const params = toStandardNames(method, sent)
    const isRefresh = params.grant_type === 'refresh_token'
    const token = String(isRefresh ? params.refresh_token : params.code)
    return { method, params, isRefresh, token }
  })
  const own = all.find(({ method, isRefresh, token }) => {
    const owner = grants.find(isRefresh ? 'refresh' : 'code', token)
    return owner?.key === method.provider.key && owner.authType === method.authType
  })
  return own ?? (all[0] as TokenRequest)
}

function findRequestProblem(
  { method, params, isRefresh }: TokenRequest,
  request: ProviderRequest,
): Reply | undefined {
  const { signIn } = method
  const expected = isRefresh ? signIn.refreshParams : signIn.tokenParams
  const missing = Object.entries(expected).find(
    ([name, value]) => !value.includes('${') && String(params[name]) !== value,
  )
  const endpoint = isRefresh ? signIn.refresh : signIn.token
  if (!toUrlPattern(endpoint).test(withoutQuery(request.url.href)))
    return fail('unsupported_grant_type', `This is not the endpoint for ${params.grant_type}.`)
  if (!isRefresh && params.grant_type !== 'authorization_code')
    return fail('unsupported_grant_type', 'The grant_type is not one of this provider.')
  if (signIn.body !== undefined && signIn.body !== (isJson(request.headers) ? 'json' : 'form'))
    return fail('invalid_request', `The body must be ${signIn.body}.`)
  if (missing !== undefined)
    return fail('invalid_request', `The parameter ${missing[0]} must be ${missing[1]}.`)
  return undefined
}

function findGrantProblem(
  { codes }: SignInContext,
  request: ProviderRequest,
  params: Params,
  { clientId }: Grant,
): string | undefined {
  const { header, body } = readClient(request, params)
  if ((header ?? body)?.id !== clientId) return 'It was issued to another client.'
  if (params.code === undefined) return undefined
  const { redirectUri, challenge } = codes.get(String(params.code)) ?? {}
  codes.delete(String(params.code))
  if (params.redirect_uri !== redirectUri) return 'The redirect_uri is another one.'
  const verifier = typeof params.code_verifier === 'string' ? params.code_verifier : ''
  if (challenge !== undefined && challenge !== hashVerifier(verifier))
    return 'The code_verifier does not match.'
  return undefined
}

/** RFC 7636, section 4.6. */
function hashVerifier(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url')
}

/** The documented token response. A response with a refresh token replaces the one that was used. */
function respondWithTokens(
  { grants }: SignInContext,
  { method, isRefresh, token }: TokenRequest,
  grant: Grant,
): Reply {
  const { good, refreshed, separator } = method.signIn
  const documented = isRefresh ? refreshed : good
  const template = grant.isOffline ? documented : withoutMembers(documented, '${refresh_token}')
  if (isRefresh && !hasRefreshTokenIn(template)) grants.restore(token)
  return issueTokens(grants, grant, template, separator)
}
