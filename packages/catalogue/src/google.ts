import { type ErrorRule, oauth2 } from '@linchpin/kit'

// Looked up 2026-11-21: https://developers.google.com/identity/protocols/oauth2/web-server
/** OAuth with Google for the scopes of one product. OpenID Connect identifies the user. */
export function googleSignIn(...scopes: readonly string[]) {
  return oauth2({
    authorizationUrl: 'https://accounts.google.com/o/oauth2/v2/auth',
    tokenUrl: 'https://oauth2.googleapis.com/token',
    revocationUrl: 'https://oauth2.googleapis.com/revoke',
    revokes: 'grant',
    scopes,
    requiredScopes: ['openid', 'email'],
    // Looked up 2026-11-28: https://github.com/googleapis/google-api-python-client/pull/1088
    grantedScopes: {
      implied: {
        'https://www.googleapis.com/auth/userinfo.email': ['email'],
        'https://www.googleapis.com/auth/userinfo.profile': ['profile'],
      },
    },
    incremental: true,
    authorizationParams: { access_type: 'offline', prompt: 'consent' },
  })
}

/** The identity of the user. Requires the scopes `openid` and `email`. */
export const googleIdentity = {
  path: 'https://openidconnect.googleapis.com/v1/userinfo',
  id: 'sub',
  label: 'email',
  avatarUrl: 'picture',
} as const

// Looked up 2026-11-21: https://developers.google.com/workspace/drive/api/guides/handle-errors
/** Google also uses 403 for rate limits and for products that are not enabled in a project. */
export const googleErrors: readonly ErrorRule<never>[] = [
  {
    status: 403,
    match: { 'error.errors.0.reason': ['rateLimitExceeded', 'userRateLimitExceeded'] },
    code: 'rate_limited',
  },
  {
    status: 403,
    match: { 'error.errors.0.reason': 'accessNotConfigured' },
    code: 'account_inactive',
    hint: 'The owner of the Google application must enable this product in the Google Cloud console.',
  },
  { status: 403, hint: 'Sign in again, and leave every box selected when Google asks.' },
]
