import { EgressError, type Tenant } from '@linchpin/runner'
import { ApiError } from '../../../platform/errors.ts'
import type { OAuthType, ParamList } from '../spec/parse-oauth-type.ts'
import { fillUrlTemplate, TemplateError, type TemplateValues } from '../template.ts'
import {
  getHeader,
  type HttpResponse,
  parseResponseBody,
  reportsError,
} from '../token-response/parse-oauth-response.ts'
import { describeError } from '../token-response/response-error.ts'
import { type OAuthClient, sendClientRequest } from './client-request.ts'
import type { OAuthRequestDeps } from './token-endpoint.ts'

/** One token to revoke. */
export interface Revocation {
  readonly type: OAuthType
  readonly client: OAuthClient
  readonly token: string
  readonly tokenTypeHint: 'refresh_token' | 'access_token'
  readonly values: TemplateValues
  readonly tenant?: Tenant | undefined
  readonly signal?: AbortSignal | undefined
}

/**
 * `revoked`: the provider confirmed it. `unsupported`: the provider has no revocation, or not for this token type.
 * `failed`: any other response; the token may still be valid.
 */
export type RevocationOutcome = 'revoked' | 'failed' | 'unsupported'

/** Revokes a token (RFC 7009) with a single request. Provider failures do not throw. */
export async function revokeToken(
  { egressGateway }: Pick<OAuthRequestDeps, 'egressGateway'>,
  { type, client, token, tokenTypeHint, values, tenant, signal }: Revocation,
): Promise<RevocationOutcome> {
  if (type.revocationUrl === undefined) return 'unsupported'
  const params: ParamList = [
    ['token', token],
    ['token_type_hint', tokenTypeHint],
  ]
  try {
    const url = fillUrlTemplate(type.revocationUrl, values, type.templateFields)
    // RFC 7009 section 2.1: always a form, whatever format the token endpoint takes.
    const request = { url, type, bodyFormat: 'form', client, params, tenant, signal } as const
    return parseRevocationResponse(await sendClientRequest({ egressGateway }, request))
  } catch (error) {
    if (isExpectedFailure(error)) return 'failed'
    throw error
  }
}

/**
 * RFC 7009 section 2.2: 200 means success, also for an invalid token, and the body is ignored. Some providers report an
 * error for invalid tokens nevertheless.
 */
function parseRevocationResponse({ status, rawHeaders, body }: HttpResponse): RevocationOutcome {
  const fields = parseResponseBody(body, getHeader(rawHeaders, 'content-type') ?? '') ?? {}
  const isSuccess = status >= 200 && status < 300
  if (isSuccess && !reportsError(fields)) return 'revoked'
  const { code } = describeError(fields, {})
  if ((isSuccess || status === 400) && INVALID_TOKEN_CODES.has(code)) return 'revoked'
  return !isSuccess && status < 500 && code === 'unsupported_token_type' ? 'unsupported' : 'failed'
}

/** An ApiError means that the client secret may not be sent to this endpoint. */
function isExpectedFailure(error: unknown): boolean {
  return error instanceof EgressError || error instanceof TemplateError || error instanceof ApiError
}

/** With any other status these codes refer to the client. */
const INVALID_TOKEN_CODES: ReadonlySet<string> = new Set(['invalid_token', 'invalid_grant'])

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

/**
 * Revokes all tokens of a grant, each refresh token before its access token, until `signal` aborts. Returns null if the grant has
 * no tokens, otherwise the outcome of the first, or `failed` if a further token may still be valid: many providers revoke only
 * refresh tokens, and access tokens with them (RFC 7009 section 2.1).
 */
export async function revokeTokens(
  deps: Pick<OAuthRequestDeps, 'egressGateway'>,
  grant: Omit<Revocation, 'token' | 'tokenTypeHint'>,
  { nested = {}, ...main }: GrantTokens,
): Promise<RevocationOutcome | null> {
  const outcomes: RevocationOutcome[] = []
  for (const pair of [main, ...Object.values(nested)]) {
    const outcome = await revokePair(deps, grant, pair)
    if (outcome !== null) outcomes.push(outcome)
  }
  return outcomes.find((outcome) => outcome === 'failed') ?? outcomes[0] ?? null
}

/** The outcome of the first token of the pair; null if it has none. */
async function revokePair(
  deps: Pick<OAuthRequestDeps, 'egressGateway'>,
  grant: Omit<Revocation, 'token' | 'tokenTypeHint'>,
  { accessToken, refreshToken }: TokenPair,
): Promise<RevocationOutcome | null> {
  const tokensByType = [
    ['refresh_token', refreshToken],
    ['access_token', accessToken],
  ] as const
  let first: RevocationOutcome | null = null
  for (const [tokenTypeHint, token] of tokensByType) {
    if (token === undefined) continue
    const outcome = grant.signal?.aborted
      ? 'failed'
      : await revokeToken(deps, { ...grant, token, tokenTypeHint })
    first ??= outcome
  }
  return first
}
