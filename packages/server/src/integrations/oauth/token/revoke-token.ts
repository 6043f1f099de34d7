import { listRevocationNames } from '@linchpin/kit/entry'
import { EgressError, getHeader, type RevocationSpecification, type Tenant } from '@linchpin/runner'
import { ApiError } from '../../../platform/errors.ts'
import {
  compileResponseRule,
  matchesResponseRule,
  type OAuthType,
  type ParamList,
} from '../spec/parse-oauth-type.ts'
import {
  fillHeaderTemplate,
  fillPlaceholders,
  fillUrlTemplate,
  TemplateError,
  type TemplateValues,
  withDefaults,
} from '../template.ts'
import {
  type HttpResponse,
  parseResponseBody,
  reportsError,
} from '../token-response/parse-oauth-response.ts'
import { describeError } from '../token-response/response-error.ts'
import { type ClientRequest, type OAuthClient, sendClientRequest } from './client-request.ts'
import type { OAuthRequestDeps } from './token-endpoint.ts'

/** A grant whose tokens are revoked. */
export interface RevokedGrant {
  readonly type: OAuthType
  readonly client: OAuthClient
  readonly values: TemplateValues
  readonly tenant?: Tenant | undefined
  readonly signal?: AbortSignal | undefined
}

/**
 * `revoked`: the provider confirmed it. `unsupported`: the provider has no revocation, or not for this token type.
 * `failed`: any other response; the token may still be valid.
 */
export type RevocationOutcome = 'revoked' | 'failed' | 'unsupported'

/** An access token and the refresh token that was issued with it. */
interface TokenPair {
  readonly accessToken: string | undefined
  readonly refreshToken: string | undefined
}

/** The tokens of one grant. */
export interface GrantTokens extends TokenPair {
  /** Further tokens, such as that of the person beside that of the app. */
  readonly nested?: Readonly<Record<string, TokenPair>> | undefined
}

type Deps = Pick<OAuthRequestDeps, 'egressGateway'>

/**
 * Revokes all tokens of a grant, each refresh token before its access token, until `signal` aborts. Returns null if the grant has
 * no tokens, otherwise the outcome of the first, or `failed` if a further token may still be valid: many providers revoke only
 * refresh tokens, and access tokens with them (RFC 7009 section 2.1). Provider failures do not throw.
 */
export async function revokeTokens(
  deps: Deps,
  grant: RevokedGrant,
  { nested = {}, ...main }: GrantTokens,
): Promise<RevocationOutcome | null> {
  const outcomes: RevocationOutcome[] = []
  for (const pair of [main, ...Object.values(nested)])
    if (pair.refreshToken !== undefined || pair.accessToken !== undefined)
      outcomes.push(await revokePair(deps, grant, pair))
  return outcomes.find((outcome) => outcome === 'failed') ?? outcomes[0] ?? null
}

/**
 * Sends every request of the type, because where a provider's documents contradict each other, a wrong one may claim success:
 * one that succeeds is enough.
 */
async function revokePair(
  deps: Deps,
  grant: RevokedGrant,
  pair: TokenPair,
): Promise<RevocationOutcome> {
  const outcomes = new Set<RevocationOutcome>()
  for (const request of grant.type.revocation)
    outcomes.add(await revokeWith(deps, grant, request, pair))
  return (['revoked', 'failed'] as const).find((each) => outcomes.has(each)) ?? 'unsupported'
}

/** The outcome of the first token that the request takes. */
async function revokeWith(
  deps: Deps,
  grant: RevokedGrant,
  request: RevocationSpecification,
  pair: TokenPair,
): Promise<RevocationOutcome> {
  let first: RevocationOutcome | undefined
  for (const tokens of listTokenValues(request, pair)) {
    const outcome = grant.signal?.aborted
      ? 'failed'
      : await sendRevocation(deps, grant, request, tokens)
    first ??= outcome
  }
  return first ?? 'unsupported'
}

/** The values of one request for each token, or of one for both. Empty if it takes a token that the pair does not have. */
function listTokenValues(
  request: RevocationSpecification,
  { refreshToken, accessToken }: TokenPair,
): TemplateValues[] {
  const names = listRevocationNames(request)
  const pair = { refresh_token: refreshToken, access_token: accessToken }
  if (!names.has('token')) {
    const isComplete = Object.entries(pair).every(
      ([name, token]) => token !== undefined || !names.has(name),
    )
    return isComplete ? [pair] : []
  }
  return Object.entries(pair).flatMap(([hint, token]) =>
    token === undefined ? [] : [{ token, token_type_hint: hint }],
  )
}

async function sendRevocation(
  { egressGateway }: Deps,
  grant: RevokedGrant,
  request: RevocationSpecification,
  tokens: TemplateValues,
): Promise<RevocationOutcome> {
  try {
    const clientRequest = buildRequest(grant, request, tokens)
    return interpretResponse(request, await sendClientRequest({ egressGateway }, clientRequest))
  } catch (error) {
    if (isExpectedFailure(error)) return 'failed'
    throw error
  }
}

function buildRequest(
  { type, client, values, tenant, signal }: RevokedGrant,
  { method, url, query, headers, form, json, auth_method: authMethod }: RevocationSpecification,
  tokens: TemplateValues,
): ClientRequest {
  const { clientId: client_id, clientSecret: client_secret } = client
  const sent = withDefaults(
    { ...values, client_id, client_secret, ...tokens },
    type.templateFields.defaults,
  )
  const target = new URL(fillUrlTemplate(url, { ...values, client_id }, type.templateFields))
  const params = fillAll(query, sent, fillPlaceholders)
  for (const [name, value] of params) target.searchParams.append(name, value)
  return {
    ...(method !== undefined && { method }),
    url: target.href,
    type,
    headers: fillAll(headers, sent, fillHeaderTemplate),
    bodyFormat: json !== undefined ? 'json' : form !== undefined ? 'form' : 'none',
    client,
    authentication: authMethod ?? 'none',
    params: fillAll(json ?? form, sent, fillPlaceholders),
    secrets: { ...Object.fromEntries(params), ...tokens },
    tenant,
    signal,
  }
}

function fillAll(
  templates: Readonly<Record<string, string>> = {},
  values: TemplateValues,
  fill: (template: string, values: TemplateValues) => string,
): ParamList {
  return Object.entries(templates).map(([name, template]) => [name, fill(template, values)])
}

/**
 * RFC 7009 section 2.2: 200 means success, also for an invalid token, and the body is ignored unless the spec says what it has to
 * contain. Some providers report an error for invalid tokens nevertheless.
 */
function interpretResponse(
  request: RevocationSpecification,
  { status, rawHeaders, body }: HttpResponse,
): RevocationOutcome {
  const fields = parseResponseBody(body, getHeader(rawHeaders, 'content-type') ?? '') ?? {}
  const isSuccess = status >= 200 && status < 300
  const isDeclared = request.status !== undefined && [request.status].flat().includes(status)
  const isExpected = request.status === undefined ? isSuccess : isDeclared
  if (isExpected && hasExpectedBody(request, status, fields)) return 'revoked'
  const { code } = describeError(fields, {})
  if ((isSuccess || status === 400) && INVALID_TOKEN_CODES.has(code)) return 'revoked'
  return !isSuccess && status < 500 && code === 'unsupported_token_type' ? 'unsupported' : 'failed'
}

/** A status of an error that the spec declares, such as 404, has an error in its body. */
function hasExpectedBody(
  { match }: RevocationSpecification,
  status: number,
  fields: Readonly<Record<string, unknown>>,
): boolean {
  if (match === undefined) return status >= 400 || !reportsError(fields)
  const rule = compileResponseRule({ match })
  return rule !== undefined && matchesResponseRule(rule, status, fields)
}

/** An ApiError means that the client secret may not be sent to this endpoint. */
function isExpectedFailure(error: unknown): boolean {
  return error instanceof EgressError || error instanceof TemplateError || error instanceof ApiError
}

/** With any other status these codes refer to the client. */
const INVALID_TOKEN_CODES: ReadonlySet<string> = new Set(['invalid_token', 'invalid_grant'])
