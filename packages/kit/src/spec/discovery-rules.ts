import type { AuthSpecification } from '@linchpin/runner/protocol'

/**
 * Why an auth type with `discovery` contradicts itself, to follow its name and without a period: what the server says of its
 * authorization server cannot be in the spec, too.
 */
export function findDiscoveryProblem(auth: AuthSpecification): string | undefined {
  const { discovery, server_url: serverUrl = '' } = auth
  if (discovery === undefined)
    return serverUrl === '' ? undefined : 'has server_url, but no discovery'
  if (serverUrl.trim() === '') return 'has discovery, but no server_url'
  if (serverUrl.includes('?')) return 'has a query in its server_url'
  const other = DISCOVERED.find((name) => auth[name] !== undefined && auth[name] !== '')
  return other === undefined ? undefined : `has both discovery and ${other}`
}

/** What the metadata of the server say instead, or MCP requires. */
const DISCOVERED = [
  'authorization_url',
  'token_url',
  'refresh_url',
  'revocation_url',
  'pushed_authorization_request_url',
  'callback_params',
  'token_request_auth_method',
  'authorization_method',
  'body_format',
  'disable_pkce',
  'x-issuer',
  'x-param-names',
  'x-redirect-name',
  'x-renew',
  'x-revocation',
] as const
