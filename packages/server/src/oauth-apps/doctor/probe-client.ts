import { generateCodeVerifier, generateState } from '../../oauth/authorize/pkce.ts'
import { TemplateError } from '../../oauth/template/template-error.ts'
import {
  type CodeExchange,
  exchangeCode,
  type OAuthRequestDeps,
} from '../../oauth/token/token-endpoint.ts'
import type { Refused, TokenResult, Unavailable } from '../../oauth/token-response/token-result.ts'
import type { OAuthAppCheck } from './oauth-app-report.ts'

/** What a token request with a made-up code tells. */
export interface ClientProbe {
  readonly endpoint: OAuthAppCheck
  readonly credentials: OAuthAppCheck
  /** The provider said that it does not know the redirect URI. */
  readonly rejectsRedirectUri: boolean
}

/**
 * Exchanges a code that was never issued. A provider judges the client first (RFC 6749 section 5.2: `invalid_client`),
 * so one that complains of the code alone has taken the client. Nothing is ever granted.
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
    if (error instanceof TemplateError) return skippedProbe()
    throw error
  }
}

function classifyResult(result: TokenResult): ClientProbe {
  if (result.kind === 'unavailable') return unavailableProbe(result)
  const endpoint = buildCheck('token_endpoint', 'ok', 'The token endpoint answers.')
  if (result.kind === 'tokens')
    return {
      endpoint: buildCheck(
        'token_endpoint',
        'warning',
        'The token endpoint gave tokens for a made-up code. They were thrown away. A provider must not do that.',
      ),
      credentials: buildCheck(
        'client_credentials',
        'unknown',
        'A made-up code was taken as a code.',
      ),
      rejectsRedirectUri: false,
    }
  return {
    endpoint,
    credentials: checkCredentials(result),
    rejectsRedirectUri: result.error === 'redirect_uri_mismatch',
  }
}

function checkCredentials({ error, description }: Refused): OAuthAppCheck {
  const name = 'client_credentials'
  const providerMessage = ` It said: ${error}${description === '' ? '.' : `, ${description}`}`
  if (error === 'invalid_client')
    return buildCheck(
      name,
      'failed',
      `The provider does not know this client, or the secret is not its own.${providerMessage}`,
    )
  if (error === 'unauthorized_client')
    return buildCheck(
      name,
      'failed',
      `The provider does not let this client exchange authorization codes.${providerMessage}`,
    )
  const isAboutCode = /\bcode\b/i.test(description) && !/client|secret/i.test(description)
  if (error === 'invalid_grant' || (error === 'invalid_request' && isAboutCode))
    return buildCheck(
      name,
      'ok',
      'The provider raised no objection to the client, only to the made-up code.',
    )
  return buildCheck(name, 'unknown', `The provider's answer does not tell.${providerMessage}`)
}

const FAILURE_MESSAGES: Readonly<Record<Unavailable['reason'], string>> = {
  timeout: 'The token endpoint did not answer in time.',
  unreachable: 'The token endpoint cannot be reached from here.',
  rate_limited: 'The token endpoint has had too many requests. Try again later.',
  server_error: 'The token endpoint fails. Try again later.',
  bad_answer: 'The token endpoint answers something that is no answer to a token request.',
}

function unavailableProbe({ reason }: Unavailable): ClientProbe {
  const isTemporary = reason === 'rate_limited' || reason === 'server_error'
  return {
    endpoint: buildCheck(
      'token_endpoint',
      isTemporary ? 'warning' : 'failed',
      FAILURE_MESSAGES[reason],
    ),
    credentials: buildCheck(
      'client_credentials',
      'unknown',
      'The provider did not judge the client.',
    ),
    rejectsRedirectUri: false,
  }
}

function skippedProbe(): ClientProbe {
  const message =
    'The token endpoint depends on what a person enters, so the first connection has to tell.'
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
