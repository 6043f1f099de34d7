import type { Fields } from '../spec/field.ts'
import type { AuthMethod, AuthOptions, Credentials } from './auth-method.ts'
import type { Tokens } from './oauth2.ts'
import { resolveCredentials } from './resolve-credentials.ts'

/** Sign-in at an MCP server. */
export interface McpServerOptions<F extends Fields> extends AuthOptions, Credentials {
  /** The URL of the server, without a query: `https://mcp.example.com/mcp`, or a field with it, `${server_url}`. */
  readonly serverUrl: string
  /** Default: the scopes that the server names. */
  readonly scopes?: readonly string[]
  /** Default: a space. */
  readonly scopeSeparator?: string
  /** Fields that are required before sign-in, such as the URL of the server. */
  readonly fields?: F
}

/**
 * Sign-in at an MCP server, which says itself where people sign in (RFC 9728, RFC 8414) and how a client is registered. Linchpin
 * finds that out, performs the sign-in and refreshes the tokens, and sends them to the origin of the server only.
 */
export function mcpServer<F extends Fields = Record<never, never>>(
  options: McpServerOptions<F>,
): AuthMethod<NoInfer<F>, Tokens<never>> {
  const { apiBaseUrl, check, identity, after, fields = {} as F, serverUrl, scopes } = options
  const { scopeSeparator } = options
  const credentials = resolveCredentials(options, 'Bearer ${access_token}')
  return {
    ...(apiBaseUrl && { apiBaseUrl }),
    ...(check && { check }),
    ...(identity && { identity }),
    ...(after && { after }),
    fields,
    credentialField: undefined,
    spec: {
      headers: credentials.headers,
      discovery: 'mcp',
      server_url: serverUrl,
      default_scopes: scopes,
      scope_separator: scopeSeparator,
    } as AuthMethod['spec'],
    credentials,
    ...(scopes && { scopes: { names: scopes, separator: scopeSeparator ?? ' ' } }),
    urls: [serverUrl],
    signInValues: ['access_token', 'refresh_token', 'scope', 'token_type', 'client_id'],
  }
}
