/** A response of a token endpoint, as real or hostile providers send it. */
export interface MalformedResponse {
  readonly title: string
  readonly status?: number
  readonly type?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body: string | Uint8Array | object
  /** `kind`, then `error` or `reason`; `lost` if the reply may be lost. */
  readonly expected: string
  /** Expected values of some token fields; `expiresIn` in seconds from now, null for unknown. */
  readonly tokens?: Readonly<Record<string, unknown>>
}

/** Monday 20 July 2026, 13:00 UTC. The expiries below are relative to it. */
export const FIXED_NOW = Date.UTC(2026, 6, 20, 13)

const tokens = {
  access_token: 'at-1',
  token_type: 'Bearer',
  expires_in: 3600,
  refresh_token: 'rt-2',
}
const FORM_TYPE = 'application/x-www-form-urlencoded'
const INVALID_RESPONSE = 'unavailable invalid_response lost'
const INVALID_GRANT = 'refused invalid_grant'

function createExpiryCase(
  title: string,
  fields: object,
  expiresIn: number | null,
): MalformedResponse {
  const body = { access_token: 'at-1', ...fields }
  return { title, body, expected: 'tokens', tokens: { expiresIn } }
}

// biome-ignore format: a table
const TOKEN_RESPONSES: readonly MalformedResponse[] = [
  { title: 'the response of RFC 6749', body: tokens, expected: 'tokens', tokens: { accessToken: 'at-1', refreshToken: 'rt-2', tokenType: 'Bearer', expiresIn: 3600 } },
  { title: 'only an access token', body: { access_token: 'at-1' }, expected: 'tokens', tokens: { tokenType: 'bearer', expiresIn: null, scope: undefined } },
  { title: 'JSON declared as HTML', type: 'text/html', body: tokens, expected: 'tokens' },
  { title: 'JSON without a content type', type: '', body: tokens, expected: 'tokens' },
  { title: 'JSON with a byte order mark', body: `\ufeff${JSON.stringify(tokens)}`, expected: 'tokens' },
  { title: 'JSON between empty lines', body: `\n\n ${JSON.stringify(tokens)}\n`, expected: 'tokens' },
  { title: 'status 201', status: 201, body: tokens, expected: 'tokens' },
  { title: 'a form', type: FORM_TYPE, body: 'access_token=at-1&scope=repo%2Cuser&token_type=bearer&expires_in=28800', expected: 'tokens', tokens: { scope: 'repo,user', expiresIn: 28_800 } },
  { title: 'a form declared as text', type: 'text/plain', body: 'access_token=at-1&expires=5183999', expected: 'tokens', tokens: { expiresIn: 5_183_999 } },
  { title: 'a form declared as JSON', body: 'access_token=at-1', expected: 'tokens' },
  { title: 'user tokens one level down', body: { ok: true, authed_user: { id: 'U1', access_token: 'xoxp', scope: 'chat' }, team: { id: 'T1' } }, expected: 'tokens', tokens: { accessToken: 'xoxp', scope: 'chat', extra: { ok: undefined, id: 'U1', 'team.id': 'T1' } } },
  { title: 'tokens at the top and one level down', body: { ok: true, access_token: 'xoxb', authed_user: { access_token: 'xoxp' } }, expected: 'tokens', tokens: { accessToken: 'xoxb' } },
  { title: 'tokens of the app and of the person', body: { ...tokens, authed_user: { id: 'U1', access_token: 'xoxp', refresh_token: 'xoxe', expires_in: 60 } }, expected: 'tokens', tokens: { accessToken: 'at-1', nested: { authed_user: { accessToken: 'xoxp', refreshToken: 'xoxe', expiresAt: FIXED_NOW + 60_000 } }, extra: { 'authed_user.id': 'U1' } } },
  { title: 'unusable further tokens', body: { ...tokens, a: { access_token: 'ä' }, b: { access_token: 'at-1' }, 'c.d': { access_token: 'x' }, e: { access_token: 7 } }, expected: 'tokens', tokens: { nested: {} } },
  { title: 'tokens inside data', body: { code: 0, message: 'success', data: tokens }, expected: 'tokens', tokens: { refreshToken: 'rt-2', expiresIn: 3600 } },
  { title: 'names in camel case', body: { accessToken: 'at-1', refreshToken: 'rt-2', expiresIn: 60 }, expected: 'tokens', tokens: { refreshToken: 'rt-2', expiresIn: 60 } },
  { title: 'scopes in a list', body: { ...tokens, scope: ['a', 'b', 7] }, expected: 'tokens', tokens: { scope: 'a b' } },
  { title: 'scope null, refresh token null', body: { ...tokens, scope: null, refresh_token: null }, expected: 'tokens', tokens: { scope: undefined, refreshToken: undefined } },
  { title: 'an empty refresh token', body: { ...tokens, refresh_token: '' }, expected: 'tokens', tokens: { refreshToken: undefined } },
  { title: 'a scope with line breaks', body: { ...tokens, scope: 'a\r\nb' }, expected: 'tokens', tokens: { scope: undefined } },
  { title: 'a custom token type', body: { ...tokens, token_type: 'bot' }, expected: 'tokens', tokens: { tokenType: 'bot' } },
  { title: 'a token type that is not a string', body: { ...tokens, token_type: 7 }, expected: 'tokens', tokens: { tokenType: 'bearer' } },
  { title: 'error null beside tokens', body: { ...tokens, error: null }, expected: 'tokens' },
  { title: 'an empty error object beside tokens', body: { ...tokens, error: {} }, expected: 'tokens' },
  { title: 'an empty list of errors beside tokens', body: { ...tokens, error: [] }, expected: 'tokens' },
  { title: 'extra fields', body: { ...tokens, instance_url: 'https://eu1.example.com', id_token: 'e.y.J', session_secret: 's', long: 'x'.repeat(501), nul: 'a\0b', n: 7, list: [1], client_id: 'evil' }, expected: 'tokens', tokens: { extra: { instance_url: 'https://eu1.example.com', n: 7 } } },
  { title: 'names with a meaning in JavaScript', body: '{"access_token":"at-1","__proto__":{"x":1},"constructor":"a","toString":"b"}', expected: 'tokens', tokens: { extra: {} } },
  createExpiryCase('expires_in as text', { expires_in: '3600' }, 3600),
  createExpiryCase('expires_in as a fraction', { expires_in: 3599.9 }, 3599.9),
  createExpiryCase('expires_in as text with a fraction', { expires_in: ' 60.5 ' }, 60.5),
  createExpiryCase('expires_in 0', { expires_in: 0 }, null),
  createExpiryCase('expires_in below zero', { expires_in: -1 }, null),
  createExpiryCase('expires_in as text below zero', { expires_in: '-1' }, null),
  createExpiryCase('expires_in 1e308', { expires_in: 1e308 }, null),
  createExpiryCase('expires_in as 1e3', { expires_in: '1e3' }, null),
  createExpiryCase('expires_in as words', { expires_in: 'soon' }, null),
  createExpiryCase('expires_in as an object', { expires_in: { s: 1 } }, null),
  createExpiryCase('expires_in true', { expires_in: true }, null),
  createExpiryCase('expires_in null, expires_at beside it', { expires_in: null, expires_at: '2099-01-01T00:00:00Z' }, 2_286_356_400),
  createExpiryCase('expires_at in seconds', { expires_at: 4_070_908_800 }, 2_286_356_400),
  createExpiryCase('expires_at in milliseconds', { expires_at: 4_070_908_800_000 }, 2_286_356_400),
  createExpiryCase('expires as an HTTP date', { expires: 'Thu, 01 Jan 2099 00:00:00 GMT' }, 2_286_356_400),
  createExpiryCase('expires_at in the past', { expires_at: 1_600_000_000 }, null),
]

// biome-ignore format: a table
const UNUSABLE_RESPONSES: readonly MalformedResponse[] = [
  { title: 'HTML with 200', type: 'text/html', body: '<html>access_token=at-1</html>', expected: INVALID_RESPONSE },
  { title: 'nothing', body: '', expected: INVALID_RESPONSE },
  { title: 'status 204', status: 204, body: '', expected: INVALID_RESPONSE },
  { title: 'an empty object', body: {}, expected: INVALID_RESPONSE },
  { title: 'a list', body: [tokens], expected: INVALID_RESPONSE },
  { title: 'a JSON text', body: '"at-1"', expected: INVALID_RESPONSE },
  { title: 'null', body: 'null', expected: INVALID_RESPONSE },
  { title: 'truncated JSON', body: '{"access_token":"at-1"', expected: INVALID_RESPONSE },
  { title: 'JSON twice', body: '{"access_token":"a"}{"access_token":"b"}', expected: INVALID_RESPONSE },
  { title: 'JSON 30,000 levels deep', body: `{"access_token":${'['.repeat(30_000)}${']'.repeat(30_000)}}`, expected: INVALID_RESPONSE },
  { title: 'invalid UTF-8', body: Buffer.from('{"access_token":"\xff\xfe"}', 'latin1'), expected: INVALID_RESPONSE },
  { title: 'a form that repeats the token', type: FORM_TYPE, body: 'access_token=a&access_token=b', expected: INVALID_RESPONSE },
  { title: 'an access token with NUL', body: { access_token: 'a\0b' }, expected: INVALID_RESPONSE },
  { title: 'an access token with a line break', body: { access_token: 'a\r\nX-Evil: 1' }, expected: INVALID_RESPONSE },
  { title: 'an access token with a space', body: { access_token: 'a b' }, expected: INVALID_RESPONSE },
  { title: 'an access token with a non-ASCII letter', body: { access_token: 'ä' }, expected: INVALID_RESPONSE },
  { title: 'an access token that is a number', body: { access_token: 12_345 }, expected: INVALID_RESPONSE },
  { title: 'an access token that is a list', body: { access_token: ['at-1'] }, expected: INVALID_RESPONSE },
  { title: 'an empty access token', body: { access_token: '' }, expected: INVALID_RESPONSE },
  { title: 'an access token of 17,000 characters', body: { access_token: 'a'.repeat(17_000) }, expected: INVALID_RESPONSE },
  { title: 'a refresh token that is a number', body: { ...tokens, refresh_token: 7 }, expected: INVALID_RESPONSE },
  { title: 'a refresh token with NUL', body: { ...tokens, refresh_token: 'a\0' }, expected: INVALID_RESPONSE },
  { title: 'a DPoP token', body: { ...tokens, token_type: 'DPoP' }, expected: INVALID_RESPONSE },
  { title: 'an inherited access token', body: '{"__proto__":{"access_token":"at-1"}}', expected: INVALID_RESPONSE },
  { title: '65 kB', body: { ...tokens, more: 'x'.repeat(66_000) }, expected: INVALID_RESPONSE },
  { title: 'a redirect', status: 302, headers: { location: '/elsewhere' }, body: '', expected: 'unavailable invalid_response' },
  { title: 'a redirect that keeps the method', status: 307, headers: { location: '/elsewhere' }, body: tokens, expected: 'unavailable invalid_response' },
  { title: 'HTML with 400', status: 400, type: 'text/html', body: '<h1>Bad</h1>', expected: 'unavailable invalid_response' },
  { title: 'HTML with 403', status: 403, type: 'text/html', body: '<h1>Firewall</h1>', expected: 'unavailable invalid_response' },
  { title: 'an empty body with 401', status: 401, body: '', expected: 'unavailable invalid_response' },
  { title: 'HTML with 404', status: 404, type: 'text/html', body: '<h1>?</h1>', expected: 'unavailable invalid_response' },
]

// biome-ignore format: a table
const ERROR_RESPONSES: readonly MalformedResponse[] = [
  { title: 'invalid_grant with 400', status: 400, body: { error: 'invalid_grant' }, expected: INVALID_GRANT },
  { title: 'invalid_grant with 401', status: 401, body: { error: 'invalid_grant' }, expected: INVALID_GRANT },
  { title: 'invalid_grant with 403', status: 403, body: { error: 'invalid_grant' }, expected: INVALID_GRANT },
  { title: 'invalid_grant with 200', body: { error: 'invalid_grant' }, expected: INVALID_GRANT },
  { title: 'invalid_grant beside tokens', body: { ...tokens, error: 'invalid_grant' }, expected: INVALID_GRANT },
  { title: 'invalid_grant in a form with 200', type: FORM_TYPE, body: 'error=invalid_grant&error_description=x+y', expected: INVALID_GRANT },
  { title: 'INVALID GRANT', status: 400, body: { error: 'INVALID GRANT' }, expected: INVALID_GRANT },
  { title: 'a custom code with 200', body: { error: 'bad_verification_code', error_uri: 'https://a.test' }, expected: INVALID_GRANT },
  { title: 'ok false', body: { ok: false, error: 'invalid_refresh_token' }, expected: INVALID_GRANT },
  { title: 'an invalid token reported in status', status: 400, body: { status: 'BAD_REFRESH_TOKEN', message: 'no' }, expected: INVALID_GRANT },
  { title: 'a known code after other text', status: 400, body: { error: 'Bad Request', code: 'invalid_grant' }, expected: INVALID_GRANT },
  { title: 'another code whose description reports an invalid token', status: 403, body: { error: 'unauthorized_client', error_description: 'refresh_token is invalid' }, expected: INVALID_GRANT },
  { title: 'invalid_request whose description reports an invalid token', status: 400, body: { error: 'invalid_request', error_description: 'The provided refresh token is invalid' }, expected: INVALID_GRANT },
  { title: 'an invalid token reported only in text', status: 400, body: { message: 'Refresh token has expired.' }, expected: INVALID_GRANT },
  { title: 'an invalid token reported in reversed word order', status: 401, body: { error: 'access_denied', error_description: 'Unknown or invalid refresh token.' }, expected: INVALID_GRANT },
  { title: 'an inactive user', status: 400, body: { error: 'inactive_user', error_description: 'user is inactive' }, expected: INVALID_GRANT },
  { title: 'a client without refresh permission', status: 400, body: { error: 'unauthorized_client', error_description: 'Invalid client for a refresh token' }, expected: 'refused unauthorized_client' },
  { title: 'an unsupported grant type', status: 400, body: { error: 'unsupported_grant_type', error_description: 'The refresh token grant is not valid here' }, expected: 'refused unsupported_grant_type' },
  { title: 'an invalid client with a misleading description', status: 401, body: { error: 'invalid_client', error_description: 'Invalid refresh token' }, expected: 'refused invalid_client' },
  { title: 'an error object', status: 400, body: { error: { code: 'invalid_client', message: 'no' } }, expected: 'refused invalid_client' },
  { title: 'invalid_client with 401', status: 401, headers: { 'www-authenticate': 'Basic' }, body: { error: 'invalid_client' }, expected: 'refused invalid_client' },
  { title: 'ok false without an error', body: { ok: false }, expected: 'refused unspecified' },
  { title: 'success false beside tokens', body: { ...tokens, success: false }, expected: 'refused unspecified' },
  { title: '400 without a code', status: 400, body: { message: 'Nope' }, expected: 'refused unspecified' },
  { title: 'tokens with 400', status: 400, body: tokens, expected: 'refused unspecified' },
  { title: 'an error that is a number', status: 400, body: { error: 190 }, expected: 'refused unspecified' },
  { title: 'an error of 5,000 characters', status: 400, body: { error: 'x'.repeat(5_000) }, expected: 'refused unspecified' },
  { title: 'an error with markup', status: 400, body: { error: '<script>' }, expected: 'refused unspecified' },
]

// biome-ignore format: a table
const TEMPORARY_FAILURES: readonly MalformedResponse[] = [
  { title: '500 with HTML', status: 500, type: 'text/html', body: '<h1>Oops</h1>', expected: 'unavailable server_error lost' },
  { title: '500 with invalid_grant', status: 500, body: { error: 'invalid_grant' }, expected: 'unavailable server_error lost' },
  { title: '502', status: 502, body: '', expected: 'unavailable server_error lost' },
  { title: '503', status: 503, headers: { 'retry-after': '120' }, body: '', expected: 'unavailable server_error after 120000' },
  { title: '503 until a date', status: 503, headers: { 'retry-after': 'Mon, 20 Jul 2026 13:01:00 GMT' }, body: '', expected: 'unavailable server_error after 60000' },
  { title: '504', status: 504, body: '', expected: 'unavailable server_error lost' },
  { title: '429', status: 429, body: { error: 'invalid_grant' }, expected: 'unavailable rate_limited' },
  { title: '429 with a delay of one year', status: 429, headers: { 'retry-after': '31536000' }, body: '', expected: 'unavailable rate_limited after 86400000' },
  { title: '429 with an invalid delay', status: 429, headers: { 'retry-after': '-5' }, body: '', expected: 'unavailable rate_limited' },
  { title: '408', status: 408, body: '', expected: 'unavailable server_error' },
  { title: 'temporarily_unavailable with 400', status: 400, body: { error: 'temporarily_unavailable' }, expected: 'unavailable server_error lost' },
  { title: 'ratelimited with 200', body: { ok: false, error: 'ratelimited' }, expected: 'unavailable rate_limited' },
]

/** Over 100 responses with their expected outcomes. */
export const MALFORMED_RESPONSES: readonly MalformedResponse[] = [
  ...TOKEN_RESPONSES,
  ...UNUSABLE_RESPONSES,
  ...ERROR_RESPONSES,
  ...TEMPORARY_FAILURES,
]
