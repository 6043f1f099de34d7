import { GateError, type Tenant } from '@linchpin/runner'
import { ApiError } from '../../errors.ts'
import { readAnswerBody } from '../answer/answer-body.ts'
import { answerError, describeError } from '../answer/answer-error.ts'
import { type Answer, headerOf } from '../answer/judge-answer.ts'
import type { OAuthType, Params } from '../spec/auth-type.ts'
import { TemplateError } from '../template/template-error.ts'
import type { TemplateValues } from '../template/template-value.ts'
import { fillTemplate } from '../template/url-template.ts'
import { type OAuthClient, sendAsClient } from './client-request.ts'
import type { ProtocolDeps } from './token-endpoint.ts'

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
  { gate }: Pick<ProtocolDeps, 'gate'>,
  { type, client, token, tokenTypeHint, values, tenant, signal }: Revocation,
): Promise<RevocationOutcome> {
  if (type.revocationUrl === undefined) return 'unsupported'
  const params: Params = [
    ['token', token],
    ['token_type_hint', tokenTypeHint],
  ]
  try {
    const url = fillTemplate(type.revocationUrl, values, type.templateFields)
    // RFC 7009 section 2.1: always a form, whatever the token endpoint takes.
    const request = { url, type, bodyFormat: 'form', client, params, tenant, signal } as const
    return judge(await sendAsClient({ gate }, request))
  } catch (error) {
    if (isFailure(error)) return 'failed'
    throw error
  }
}

/**
 * RFC 7009 section 2.2: 200 says it all, a token that is not valid any more included; the body counts for nothing. Some
 * providers call that an error all the same.
 */
function judge({ status, rawHeaders, body }: Answer): RevocationOutcome {
  const fields = readAnswerBody(body, headerOf(rawHeaders, 'content-type') ?? '') ?? {}
  const isFine = status >= 200 && status < 300
  if (isFine && !answerError(fields, {})) return 'revoked'
  const { code } = describeError(fields, {})
  if ((isFine || status === 400) && ENDED.has(code)) return 'revoked'
  return !isFine && status < 500 && code === 'unsupported_token_type' ? 'unsupported' : 'failed'
}

/** The ApiError says that the client's secret may not go to this endpoint. */
function isFailure(error: unknown): boolean {
  return error instanceof GateError || error instanceof TemplateError || error instanceof ApiError
}

/** With another status they speak of the client. */
const ENDED: ReadonlySet<string> = new Set(['invalid_token', 'invalid_grant'])
