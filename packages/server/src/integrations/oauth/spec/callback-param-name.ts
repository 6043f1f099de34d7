/**
 * Whether a spec may list this parameter in `callback_params`: a plain name of at most 64 characters that is neither a
 * protocol parameter nor a possible name of a credential, which a browser could inject.
 */
export function isCallbackParamName(name: string): boolean {
  return (
    /^[A-Za-z0-9_.-]{1,64}$/.test(name) &&
    !RESERVED_NAMES.has(name.toLowerCase()) &&
    !/token|secret|password|assertion|jwt|api_?key/i.test(name) &&
    !(name in Object.prototype)
  )
}

/** Maximum number of callback parameters of an auth type. */
export const MAX_CALLBACK_PARAMS = 8

/** Parameters of RFC 6749, RFC 9207, RFC 9101 and OpenID Connect, and field names that Linchpin sets itself. */
const RESERVED_NAMES: ReadonlySet<string> = new Set([
  'authtype',
  'client_id',
  'code',
  'error',
  'error_description',
  'error_uri',
  'iss',
  'redirect_uri',
  'request',
  'request_uri',
  'response',
  'scope',
  'scopes',
  'state',
])
