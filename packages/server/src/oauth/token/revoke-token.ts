import { EgressError, type Tenant } from '@linchpin/runner'
import { ApiError } from '../../errors.ts'
import type { OAuthType, ParamList } from '../spec/parse-oauth-type.ts'
import { TemplateError } from '../template/template-error.ts'
import type { TemplateValues } from '../template/template-value.ts'
import { fillUrlTemplate } from '../template/url-template.ts'
import { getHeader, type HttpResponse } from '../token-response/parse-oauth-response.ts'
import { parseResponseBody } from '../token-response/parse-response-body.ts'
import { describeError, findResponseError } from '../token-response/response-error.ts'
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
 * `revoked`: the provider said so. `unsupported`: it has no revocation, or not for this kind of token. `failed`: anything
 * else; the token may still work.
 */
export type RevocationOutcome = 'revoked' | 'failed' | 'unsupported'

/** Revokes a token at its provider (RFC 7009), with one request. Does not throw for anything that a provider does. */
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
    // RFC 7009 section 2.1: always a form, whatever the token endpoint takes.
    const request = { url, type, bodyFormat: 'form', client, params, tenant, signal } as const
    return parseRevocationResponse(await sendClientRequest({ egressGateway }, request))
  } catch (error) {
    if (isExpectedFailure(error)) return 'failed'
    throw error
  }
}

/**
 * RFC 7009 section 2.2: 200 says it all, a token that is not valid any more included; the body counts for nothing. Some
 * providers call that an error all the same.
 */
function parseRevocationResponse({ status, rawHeaders, body }: HttpResponse): RevocationOutcome {
  const fields = parseResponseBody(body, getHeader(rawHeaders, 'content-type') ?? '') ?? {}
  const isSuccess = status >= 200 && status < 300
  if (isSuccess && !findResponseError(fields, {})) return 'revoked'
  const { code } = describeError(fields, {})
  if ((isSuccess || status === 400) && INVALID_TOKEN_CODES.has(code)) return 'revoked'
  return !isSuccess && status < 500 && code === 'unsupported_token_type' ? 'unsupported' : 'failed'
}

/** The ApiError says that the client's secret may not go to this endpoint. */
function isExpectedFailure(error: unknown): boolean {
  return error instanceof EgressError || error instanceof TemplateError || error instanceof ApiError
}

/** With another status they speak of the client. */
const INVALID_TOKEN_CODES: ReadonlySet<string> = new Set(['invalid_token', 'invalid_grant'])
