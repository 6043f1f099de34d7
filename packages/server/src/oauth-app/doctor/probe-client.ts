import type { Refused, TokenResult, Unavailable } from '../../oauth/answer/token-result.ts'
import { newCodeVerifier, newState } from '../../oauth/authorize/random.ts'
import { TemplateError } from '../../oauth/template/template-error.ts'
import {
  type CodeExchange,
  exchangeCode,
  type ProtocolDeps,
} from '../../oauth/token/token-endpoint.ts'
import type { OAuthAppCheck } from './oauth-app-report.ts'

/** What a token request with a made-up code tells. */
export interface ClientProbe {
  readonly endpoint: OAuthAppCheck
  readonly credentials: OAuthAppCheck
  /** The provider said that it does not know the redirect URI. */
  readonly refusesRedirect: boolean
}

/**
 * Exchanges a code that was never issued. A provider judges the client first (RFC 6749 section 5.2: `invalid_client`),
 * so one that complains of the code alone has taken the client. Nothing is ever granted.
 */
export async function probeClient(
  deps: ProtocolDeps,
  probe: Pick<CodeExchange, 'type' | 'client' | 'redirectUri' | 'tenant'>,
): Promise<ClientProbe> {
  try {
    const values = { client_id: probe.client.clientId }
    const madeUp = { code: newState(), codeVerifier: newCodeVerifier() }
    return judge(await exchangeCode(deps, { ...probe, ...madeUp, values }))
  } catch (error) {
    if (error instanceof TemplateError) return notAsked()
    throw error
  }
}

function judge(result: TokenResult): ClientProbe {
  if (result.kind === 'unavailable') return unavailable(result)
  const endpoint = checked('token_endpoint', 'ok', 'The token endpoint answers.')
  if (result.kind === 'tokens')
    return {
      endpoint: checked(
        'token_endpoint',
        'warning',
        'The token endpoint gave tokens for a made-up code. They were thrown away. A provider must not do that.',
      ),
      credentials: checked('client_credentials', 'unknown', 'A made-up code was taken as a code.'),
      refusesRedirect: false,
    }
  return {
    endpoint,
    credentials: judgeRefusal(result),
    refusesRedirect: result.error === 'redirect_uri_mismatch',
  }
}

function judgeRefusal({ error, description }: Refused): OAuthAppCheck {
  const name = 'client_credentials'
  const said = ` It said: ${error}${description === '' ? '.' : `, ${description}`}`
  if (error === 'invalid_client')
    return checked(
      name,
      'failed',
      `The provider does not know this client, or the secret is not its own.${said}`,
    )
  if (error === 'unauthorized_client')
    return checked(
      name,
      'failed',
      `The provider does not let this client exchange authorization codes.${said}`,
    )
  const isAboutCode = /\bcode\b/i.test(description) && !/client|secret/i.test(description)
  if (error === 'invalid_grant' || (error === 'invalid_request' && isAboutCode))
    return checked(
      name,
      'ok',
      'The provider raised no objection to the client, only to the made-up code.',
    )
  return checked(name, 'unknown', `The provider's answer does not tell.${said}`)
}

const REASONS: Readonly<Record<Unavailable['reason'], string>> = {
  timeout: 'The token endpoint did not answer in time.',
  unreachable: 'The token endpoint cannot be reached from here.',
  rate_limited: 'The token endpoint has had too many requests. Try again later.',
  server_error: 'The token endpoint fails. Try again later.',
  bad_answer: 'The token endpoint answers something that is no answer to a token request.',
}

function unavailable({ reason }: Unavailable): ClientProbe {
  const isPassing = reason === 'rate_limited' || reason === 'server_error'
  return {
    endpoint: checked('token_endpoint', isPassing ? 'warning' : 'failed', REASONS[reason]),
    credentials: checked('client_credentials', 'unknown', 'The provider did not judge the client.'),
    refusesRedirect: false,
  }
}

function notAsked(): ClientProbe {
  const message =
    'The token endpoint depends on what a person enters, so the first connection has to tell.'
  return {
    endpoint: checked('token_endpoint', 'unknown', message),
    credentials: checked('client_credentials', 'unknown', message),
    refusesRedirect: false,
  }
}

function checked(
  name: OAuthAppCheck['name'],
  status: OAuthAppCheck['status'],
  message: string,
): OAuthAppCheck {
  return { name, status, message }
}
