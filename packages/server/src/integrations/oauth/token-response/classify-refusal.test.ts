import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { compileRefreshErrors } from '../spec/parse-oauth-type.ts'
import { parseTokenResponse } from './parse-oauth-response.ts'

/** How a provider refuses a refresh, as its documentation, its clients' bug reports or their tests have it. */
interface ProviderRefusal {
  readonly provider: string
  readonly status?: number
  readonly headers?: readonly string[]
  readonly body: object | string
}

// biome-ignore format: a table
const ENDED: readonly ProviderRefusal[] = [
  { provider: 'Google', body: { error: 'invalid_grant', error_description: 'Token has been expired or revoked.' } },
  { provider: 'Google, a deleted account', body: { error: 'invalid_grant', error_description: 'Account has been deleted' } },
  { provider: 'Google, without a reason', body: { error: 'invalid_grant', error_description: 'Bad Request' } },
  { provider: 'Microsoft, inactive for 90 days', body: { error: 'invalid_grant', error_description: 'AADSTS700082: The refresh token has expired due to inactivity. The token was issued on 2024-07-31T08:00:26Z and was inactive for 90.00:00:00.', error_codes: [700082], suberror: 'token_expired' } },
  { provider: 'Microsoft, a changed password', body: { error: 'invalid_grant', error_description: 'AADSTS50173: The provided grant has expired due to it being revoked, a fresh auth token is needed. The user might have changed or reset their password.', error_codes: [50173] } },
  { provider: 'Microsoft, MFA', body: { error: 'interaction_required', error_description: 'AADSTS50076: Due to a configuration change made by your administrator, you must use multi-factor authentication.', error_codes: [50076] } },
  { provider: 'Microsoft, consent', body: { error: 'invalid_grant', error_description: 'AADSTS65001: The user or administrator has not consented to use the application.', suberror: 'consent_required' } },
  { provider: 'Microsoft, a locked account', body: { error: 'invalid_grant', error_description: "AADSTS50053: The account is locked, you've tried to sign in too many times with an incorrect user ID or password." } },
  { provider: 'GitHub', status: 200, body: { error: 'bad_refresh_token', error_description: 'The refresh token passed is incorrect or expired.', error_uri: 'https://docs.github.com' } },
  { provider: 'GitLab', body: { error: 'invalid_grant', error_description: 'The provided authorization grant is invalid, expired, revoked, does not match the redirection URI used in the authorization request, or was issued to another client.' } },
  { provider: 'Slack', status: 200, body: { ok: false, error: 'invalid_refresh_token' } },
  { provider: 'Slack, uninstalled', status: 200, body: { ok: false, error: 'token_revoked' } },
  { provider: 'HubSpot', body: { status: 'BAD_REFRESH_TOKEN', message: 'missing or unknown refresh token', correlationId: '1' } },
  { provider: 'QuickBooks', body: { error: 'invalid_grant', error_description: 'Incorrect or invalid refresh token' } },
  { provider: 'Xero', body: { error: 'invalid_grant' } },
  { provider: 'Fitbit', body: { errors: [{ errorType: 'invalid_grant', message: 'Refresh token invalid: cb4c. Visit https://dev.fitbit.com/docs/oauth2' }], success: false } },
  { provider: 'Fitbit, with 200', status: 200, body: { errors: [{ errorType: 'invalid_grant' }] } },
  { provider: 'Strava', body: { message: 'Bad Request', errors: [{ resource: 'RefreshToken', field: 'refresh_token', code: 'invalid' }] } },
  { provider: 'Meta, a changed password', body: { error: { message: 'Error validating access token: The session has been invalidated because the user changed their password.', type: 'OAuthException', code: 190, error_subcode: 460, fbtrace_id: 'A' } } },
  { provider: 'Instagram, expired', body: { error: { message: 'Session has expired on Friday, 01-Aug-25.', type: 'OAuthException', code: 190, error_subcode: 463 } } },
  { provider: 'X', body: { error: 'invalid_request', error_description: 'Value passed for the token was invalid.' } },
  { provider: 'LinkedIn', body: { error: 'invalid_request', error_description: 'The provided authorization grant or refresh token is invalid, expired or revoked.' } },
  { provider: 'Atlassian', status: 403, body: { error: 'unauthorized_client', error_description: 'refresh_token is invalid' } },
  { provider: 'Auth0', status: 403, body: { error: 'invalid_grant', error_description: 'Unknown or invalid refresh token.' } },
  { provider: 'Okta', body: { error: 'invalid_grant', error_description: 'The refresh token is invalid or expired.' } },
  { provider: 'Keycloak', body: { error: 'invalid_grant', error_description: 'Token is not active' } },
  { provider: 'Dropbox', body: { error: 'invalid_grant', error_description: 'refresh token is invalid or revoked' } },
  { provider: 'Box', body: { error: 'invalid_grant', error_description: 'Refresh token has expired' } },
  { provider: 'Zoom', status: 401, body: { reason: 'Invalid Token!', error: 'invalid_request' } },
  { provider: 'Zoho', status: 200, body: { error: 'invalid_code' } },
  { provider: 'Salesforce', body: { error: 'invalid_grant', error_description: 'expired access/refresh token' } },
  { provider: 'Salesforce, an inactive user', body: { error: 'inactive_user', error_description: 'user is inactive' } },
  { provider: 'Shopify', body: { error: 'invalid_request', error_description: 'This request requires an active refresh_token' } },
  { provider: 'TikTok', status: 200, body: { error: 'invalid_grant', error_description: 'Refresh token is invalid or expired.', log_id: '2' } },
  { provider: 'Discord', body: { error: 'invalid_request', error_description: 'Invalid "refresh_token" in request.' } },
  { provider: 'Asana', body: { error: 'invalid_grant', error_description: 'The `refresh_token` provided was invalid.' } },
  { provider: 'Supabase', body: { code: 400, error_code: 'refresh_token_already_used', msg: 'Invalid Refresh Token: Already Used' } },
  { provider: 'Amazon', body: { error: 'invalid_grant', error_description: 'The request has an invalid grant parameter : refresh_token. User may have revoked or didn\'t grant the permission.' } },
  { provider: 'Twitch', body: { status: 400, message: 'Invalid refresh token', error: 'Bad Request' } },
  { provider: 'a list of codes', body: { errors: [{ code: 'invalid_grant', detail: 'no' }] } },
  { provider: 'Rails', status: 422, body: { errors: { refresh_token: ['is invalid'] } } },
  { provider: 'camel case', body: { error: { code: 'RefreshTokenExpired' } } },
  { provider: 'an envelope with 200', status: 200, body: { code: 105_002, message: 'refresh token is expired', data: {} } },
]

// biome-ignore format: a table
const TEMPORARY: readonly (ProviderRefusal & { readonly reason: string })[] = [
  { provider: 'Salesforce', body: { error: 'invalid_grant', error_description: 'token request is already being processed' }, reason: 'conflict' },
  { provider: 'Zoho', body: { error_description: 'You have made too many requests continuously. Please try again after some time.', error: 'Access Denied', status: 'failure' }, reason: 'rate_limited' },
  { provider: 'Zoho in Chinese', body: { error_description: '您已连续提出过多请求，请稍后再试。', error: '拒绝访问', status: 'failure' }, reason: 'rate_limited' },
  { provider: 'Meta', body: { error: { message: 'An unexpected error has occurred. Please retry your request later.', type: 'OAuthException', is_transient: true, code: 2 } }, reason: 'server_error' },
  { provider: 'Meta, a limit of the app', body: { error: { message: '(#4) Application request limit reached', type: 'OAuthException', code: 4 } }, reason: 'server_error' },
  { provider: 'Microsoft', body: { error: 'temporarily_unavailable', error_description: 'AADSTS90033: A transient error has occurred. Please try again.' }, reason: 'server_error' },
  { provider: 'Microsoft, invalid_grant', body: { error: 'invalid_grant', error_description: 'AADSTS90033: A transient error has occurred. Please try again.' }, reason: 'server_error' },
  { provider: 'Slack', status: 200, body: { ok: false, error: 'ratelimited' }, reason: 'rate_limited' },
  { provider: 'Slack, an outage', status: 200, body: { ok: false, error: 'internal_error' }, reason: 'server_error' },
  { provider: 'Okta', status: 403, body: { errorCode: 'E0000047', errorSummary: 'API call exceeded rate limit due to too many requests.' }, reason: 'rate_limited' },
  { provider: 'Google', body: { error: 'internal_failure' }, reason: 'server_error' },
  { provider: 'Google, a quota', status: 403, body: { error: { code: 403, message: 'Quota exceeded for quota metric', status: 'RESOURCE_EXHAUSTED' } }, reason: 'rate_limited' },
  { provider: 'a concurrent refresh', status: 409, body: { message: 'Conflict' }, reason: 'conflict' },
  { provider: 'a locked resource', status: 423, body: { message: 'Locked' }, reason: 'conflict' },
  { provider: 'a gateway with Retry-After', status: 403, headers: ['Retry-After', '7'], body: { message: 'Forbidden' }, reason: 'server_error' },
  { provider: 'an invalid client, for now', status: 401, body: { error: 'invalid_client', error_description: 'Too many failed attempts. Try again later.' }, reason: 'rate_limited' },
  { provider: 'Salesforce, before 2024', body: { error: 'invalid_grant', error_description: 'expired authorization code' }, reason: 'ambiguous_refusal' },
  { provider: 'invalid_grant with Retry-After', headers: ['Retry-After', '7'], body: { error: 'invalid_grant' }, reason: 'ambiguous_refusal' },
]

// biome-ignore format: a table
const REFUSED: readonly (ProviderRefusal & { readonly error: string })[] = [
  { provider: 'Microsoft, a wrong secret', status: 401, body: { error: 'invalid_client', error_description: 'AADSTS7000215: Invalid client secret provided.' }, error: 'invalid_client' },
  { provider: 'Microsoft, an unknown app', body: { error: 'unauthorized_client', error_description: 'AADSTS700016: Application with identifier was not found in the directory.' }, error: 'unauthorized_client' },
  { provider: 'HubSpot', body: { status: 'BAD_CLIENT_SECRET', message: 'missing or invalid client secret' }, error: 'invalid_client' },
  { provider: 'GitHub', status: 200, body: { error: 'incorrect_client_credentials', error_description: 'The client_id and/or client_secret passed are incorrect.' }, error: 'invalid_client' },
  { provider: 'Slack', status: 200, body: { ok: false, error: 'bad_client_secret' }, error: 'invalid_client' },
  { provider: 'Zoho', status: 200, body: { error: 'invalid_client_secret' }, error: 'invalid_client' },
  { provider: 'Zoom', status: 401, body: { reason: 'Invalid client_id or client_secret', error: 'invalid_client' }, error: 'invalid_client' },
  { provider: 'Strava', body: { message: 'Bad Request', errors: [{ resource: 'Application', field: 'client_id', code: 'invalid' }] }, error: 'invalid_client' },
  { provider: 'Fitbit', status: 401, body: { errors: [{ errorType: 'invalid_client', message: 'Invalid authorization header.' }], success: false }, error: 'invalid_client' },
  { provider: 'Meta', body: { error: { message: 'Error validating client secret.', type: 'OAuthException', code: 1 } }, error: 'invalid_client' },
  { provider: 'Meta, an unknown app', body: { error: { message: 'Error validating application. Cannot get application info.', type: 'OAuthException', code: 101 } }, error: 'invalid_client' },
  { provider: 'a token type', body: { error: 'invalid_request', error_description: 'Invalid token type' }, error: 'invalid_request' },
  { provider: 'a missing parameter', body: { error: 'invalid_request', error_description: 'Missing required parameter: refresh_token' }, error: 'invalid_request' },
  { provider: 'a denial without a reason', status: 403, body: { error: 'access_denied' }, error: 'access_denied' },
]

const context = { now: Date.UTC(2026, 6, 20), secrets: {} }

describe('a refused refresh', () => {
  for (const refusal of ENDED)
    it(`has ended the grant: ${refusal.provider}`, () => {
      const result = parse(refusal)
      assert.equal(
        result.kind === 'refused' && result.error,
        'invalid_grant',
        JSON.stringify(result),
      )
    })

  for (const { reason, ...refusal } of TEMPORARY)
    it(`is temporary: ${refusal.provider}`, () => {
      const result = parse(refusal)
      assert.equal(result.kind === 'unavailable' && result.reason, reason, JSON.stringify(result))
    })

  for (const { error, ...refusal } of REFUSED)
    it(`is about the client or unknown: ${refusal.provider}`, () => {
      const result = parse(refusal)
      assert.equal(result.kind === 'refused' && result.error, error, JSON.stringify(result))
    })

  it('has the meaning that the integration declares, whatever its status and its code say', () => {
    const rules = compileRefreshErrors([
      { match: { 'problem.number': [7, 8] }, means: 'ended' },
      { status: 418, means: 'temporary' },
      { match: { error: { startsWith: 'app_' } }, means: 'client' },
      { match: { error: 'app_gone' }, means: 'ended' },
    ])
    const declared = (status: number, body: object) => {
      const result = parse({ provider: 'any', status, body }, rules)
      return result.kind === 'refused'
        ? result.error
        : result.kind === 'unavailable' && result.reason
    }
    assert.equal(declared(200, { problem: { number: 8 } }), 'invalid_grant')
    assert.equal(declared(500, { problem: { number: 7 } }), 'invalid_grant')
    assert.equal(declared(418, { error: 'invalid_grant' }), 'server_error')
    assert.equal(declared(400, { error: 'app_gone' }), 'invalid_client')
    assert.equal(declared(400, { problem: { number: 9 } }), 'unspecified')
  })

  it('is never read from a response with tokens', () => {
    const rules = compileRefreshErrors([{ status: 200, means: 'ended' }])
    const body = { access_token: 'at-1', message: 'refresh token is expired' }
    assert.equal(parse({ provider: 'any', status: 200, body }, rules).kind, 'tokens')
  })
})

function parse(
  { status = 400, headers = [], body }: ProviderRefusal,
  refreshErrors = compileRefreshErrors(undefined),
) {
  const response = { status, rawHeaders: headers, body: Buffer.from(JSON.stringify(body)) }
  return parseTokenResponse(response, { ...context, refreshErrors })
}
