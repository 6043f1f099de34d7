import type { JsonObject } from '../../../platform/json.ts'

/** What is used of the metadata that a client has published or registers (RFC 7591 section 2). */
const USED = [
  'client_id',
  'client_name',
  // For the library to refuse in a published document.
  'client_secret',
  'client_secret_expires_at',
  'redirect_uris',
  'grant_types',
  'token_endpoint_auth_method',
  'token_endpoint_auth_methods_supported',
  'token_endpoint_auth_signing_alg',
  'token_endpoint_auth_signing_alg_values_supported',
  'jwks',
  'jwks_uri',
]
const GRANT_TYPES = ['authorization_code', 'refresh_token']

/**
 * Reduces the metadata of a client to what the authorization server knows.
 *
 * `application_type` follows from the redirect URIs: clients often leave it out or say `web` while they listen on loopback. `native`
 * allows what RFC 8252 says, so http on loopback only, of which the port may vary.
 */
export function normalizeClient(metadata: JsonObject): JsonObject {
  const used = Object.fromEntries(
    USED.filter((name) => metadata[name] !== undefined).map((name) => [name, metadata[name]]),
  )
  const { grant_types: grantTypes, redirect_uris: redirectUris } = metadata
  return {
    ...used,
    grant_types: Array.isArray(grantTypes)
      ? GRANT_TYPES.filter((type) => grantTypes.includes(type))
      : ['authorization_code'],
    response_types: ['code'],
    response_modes: ['query'],
    application_type: isWeb(redirectUris) ? 'web' : 'native',
  }
}

function isWeb(redirectUris: unknown): boolean {
  return (
    Array.isArray(redirectUris) && redirectUris.every((uri) => /^https:\/\//i.test(String(uri)))
  )
}

/** Dynamic registrations are public clients (RFC 7591 section 3.2.1: the server may replace what was requested). */
export function toPublicClient(metadata: JsonObject): JsonObject {
  const used = Object.entries(normalizeClient(metadata)).filter(([name]) => !KEYS.test(name))
  return { ...Object.fromEntries(used), token_endpoint_auth_method: 'none' }
}

const KEYS = /^(?:client_secret|jwks|token_endpoint_auth_)/
