import { defineIntegration } from '@linchpin/kit'
import { googleErrors, googleIdentity, googleSignIn } from '../google.ts'

// Looked up 2026-11-21: https://developers.google.com/workspace/gmail/api/reference/rest/v1/users/getProfile
export default defineIntegration({
  key: 'gmail',
  name: 'Gmail',
  icon: 'gmail',
  category: 'MAIL',
  version: '1.0.2',
  docs: 'https://developers.google.com/workspace/gmail/api/reference/rest/v1/users/getProfile',
  hosts: ['gmail.googleapis.com', 'oauth2.googleapis.com', 'openidconnect.googleapis.com'],
  apiBaseUrl: 'https://gmail.googleapis.com/gmail/v1',
  auth: {
    // gmail.metadata would suffice for the check, but disables search for every wider scope.
    OAuth2: googleSignIn('openid', 'email', 'https://www.googleapis.com/auth/gmail.readonly'),
  },
  check: { path: '/users/me/profile', errors: googleErrors },
  identity: googleIdentity,
})
