import type { WorkspaceId } from '../../../access/workspaces/workspace.ts'
import type { JsonObject } from '../../../platform/json.ts'
import { isId } from '../../../platform/storage/id.ts'

/** `read`: read_api; `write`: write_api, too. */
export const SCOPES = ['read', 'write'] as const

/** Below the public URL. */
export const ENDPOINTS = {
  authorization: '/mcp-auth/authorize',
  token: '/mcp-auth/token',
  revocation: '/mcp-auth/revoke',
  jwks: '/mcp-auth/jwks',
  registration: '/mcp-auth/register',
} as const

/** The MCP server of a workspace, which is the resource that tokens are for (RFC 8707). */
export function buildResource(baseUrl: string, workspaceId: string): string {
  return `${baseUrl}/mcp/${workspaceId}`
}

/** The workspace of a resource, byte for byte. */
export function parseResource(baseUrl: string, resource: unknown): WorkspaceId | undefined {
  if (typeof resource !== 'string') return undefined
  const workspaceId = resource.slice(resource.lastIndexOf('/') + 1)
  const isOurs = isId('wsp', workspaceId) && resource === buildResource(baseUrl, workspaceId)
  return isOurs ? (workspaceId as WorkspaceId) : undefined
}

/** Where the metadata of the MCP server of a workspace is. */
export function buildResourceMetadataUrl(baseUrl: string, workspaceId: string): string {
  return `${baseUrl}/.well-known/oauth-protected-resource/mcp/${workspaceId}`
}

/** RFC 9728 section 2. Clients request `read`, and `write` when a call needs it. */
export function buildResourceMetadata(baseUrl: string, workspaceId: string): JsonObject {
  return {
    resource: buildResource(baseUrl, workspaceId),
    authorization_servers: [baseUrl],
    scopes_supported: ['read'],
    bearer_methods_supported: ['header'],
  }
}

/** RFC 8414 section 2, with what OpenID Connect Discovery requires: some clients look for that document only. */
export function buildServerMetadata(baseUrl: string, canRegister: boolean): JsonObject {
  return {
    issuer: baseUrl,
    authorization_endpoint: `${baseUrl}${ENDPOINTS.authorization}`,
    token_endpoint: `${baseUrl}${ENDPOINTS.token}`,
    revocation_endpoint: `${baseUrl}${ENDPOINTS.revocation}`,
    jwks_uri: `${baseUrl}${ENDPOINTS.jwks}`,
    ...(canRegister && { registration_endpoint: `${baseUrl}${ENDPOINTS.registration}` }),
    scopes_supported: SCOPES,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_methods_supported: AUTH_METHODS,
    token_endpoint_auth_signing_alg_values_supported: SIGNING_ALGORITHMS,
    revocation_endpoint_auth_methods_supported: AUTH_METHODS,
    revocation_endpoint_auth_signing_alg_values_supported: SIGNING_ALGORITHMS,
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256'],
  }
}

export const AUTH_METHODS = ['none', 'private_key_jwt'] as const

/** Of the assertions of clients. */
export const SIGNING_ALGORITHMS = ['RS256', 'PS256', 'ES256', 'Ed25519', 'EdDSA'] as const
