import { generateCodeVerifier, generateState } from '../../oauth/authorize/pkce.ts'
import { TemplateError } from '../../oauth/template/template-value.ts'
import {
  type CodeExchange,
  exchangeCode,
  type OAuthRequestDeps,
} from '../../oauth/token/token-endpoint.ts'
import type {
  TokenErrorResult,
  TokenResult,
  TokenUnavailableResult,
} from '../../oauth/token-response/token-result.ts'
import type { OAuthAppCheck } from './oauth-app-report.ts'

/** The result of a token request with a made-up code. */
export interface ClientProbe {
  readonly endpoint: OAuthAppCheck
  readonly credentials: OAuthAppCheck
  /** Whether the provider rejected the redirect URI. */
  readonly rejectsRedirectUri: boolean
}

/**
 * Exchanges a code that was never issued. Providers authenticate the client first (RFC 6749 section 5.2:
 * `invalid_client`), so an error about the code means that the client is valid.
 */
export async function probeClient(
  deps: OAuthRequestDeps,
  probe: Pick<CodeExchange, 'type' | 'client' | 'redirectUri' | 'tenant'>,
): Promise<ClientProbe> {
  try {
    const values = { client_id: probe.client.clientId }
    const fakeCode = { code: generateState(), codeVerifier: generateCodeVerifier() }
    return classifyResult(await exchangeCode(deps, { ...probe, ...fakeCode, values }))
  } catch (error) {
    if (error instanceof TemplateError) return createSkippedProbe()
    throw error
  }
}

function classifyResult(result: TokenResult): ClientProbe {
  if (result.kind === 'unavailable') return createUnavailableProbe(result)
  const endpoint = buildCheck('token_endpoint', 'ok', 'The token endpoint responds.')
  if (result.kind === 'tokens')
    return {
      endpoint: buildCheck(
        'token_endpoint',
        'warning',
        'The token endpoint issued tokens for a made-up code. They were discarded. A provider must not do that.',
      ),
      credentials: buildCheck(
        'client_credentials',
        'unknown',
        'The provider accepted a made-up code.',
      ),
      rejectsRedirectUri: false,
    }
  return {
    endpoint,
    credentials: checkCredentials(result),
    rejectsRedirectUri: result.error === 'redirect_uri_mismatch',
  }
}

function checkCredentials({ error, description }: TokenErrorResult): OAuthAppCheck {
  const name = 'client_credentials'
  const providerMessage = ` The provider reported: ${error}${description === '' ? '.' : `, ${description}`}`
  if (error === 'invalid_client')
    return buildCheck(
      name,
      'failed',
      `The provider does not know this client, or the client secret is wrong.${providerMessage}`,
    )
  if (error === 'unauthorized_client')
    return buildCheck(
      name,
      'failed',
      `The provider does not allow this client to exchange authorization codes.${providerMessage}`,
    )
  const isCodeRejected = /\bcode\b/i.test(description) && !/client|secret/i.test(description)
  if (error === 'invalid_grant' || (error === 'invalid_request' && isCodeRejected))
    return buildCheck(name, 'ok', 'The provider rejected only the made-up code, not the client.')
  return buildCheck(name, 'unknown', `The provider's response is inconclusive.${providerMessage}`)
}

const FAILURE_MESSAGES: Readonly<Record<TokenUnavailableResult['reason'], string>> = {
  timeout: 'The token endpoint did not respond in time.',
  egress_unavailable: 'The outgoing network of Linchpin is unavailable. The request was not sent.',
  unreachable: 'The token endpoint is unreachable.',
  rate_limited: 'The token endpoint reported too many requests. Try again later.',
  server_error: 'The token endpoint reported a server error. Try again later.',
  invalid_response: 'The token endpoint did not send a valid token response.',
  conflict: 'The token endpoint is processing another request. Try again later.',
  ambiguous_refusal: 'The token endpoint did not send a valid token response.',
}

const TEMPORARY_REASONS: ReadonlySet<string> = new Set(['rate_limited', 'server_error', 'conflict'])

function createUnavailableProbe({ reason }: TokenUnavailableResult): ClientProbe {
  const isTemporary = TEMPORARY_REASONS.has(reason)
  return {
    endpoint: buildCheck(
      'token_endpoint',
      isTemporary ? 'warning' : 'failed',
      FAILURE_MESSAGES[reason],
    ),
    credentials: buildCheck(
      'client_credentials',
      'unknown',
      'The provider did not check the client.',
    ),
    rejectsRedirectUri: false,
  }
}

function createSkippedProbe(): ClientProbe {
  const message =
    'The URL of the token endpoint depends on user input, so only a connection attempt can check it.'
  return {
    endpoint: buildCheck('token_endpoint', 'unknown', message),
    credentials: buildCheck('client_credentials', 'unknown', message),
    rejectsRedirectUri: false,
  }
}

function buildCheck(
  name: OAuthAppCheck['name'],
  status: OAuthAppCheck['status'],
  message: string,
): OAuthAppCheck {
  return { name, status, message }
}
