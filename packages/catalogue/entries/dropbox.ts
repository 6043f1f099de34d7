import { defineIntegration, oauth2 } from '@linchpin/kit'

// Looked up 2026-11-21: https://www.dropbox.com/developers/documentation/http/documentation#users-get_current_account,
// https://developers.dropbox.com/oauth-guide;
// the revocation 2026-11-28: https://dropbox.github.io/dropbox-sdk-java/api-docs/v8.0.1/com/dropbox/core/v2/auth/DbxUserAuthRequests.html
export default defineIntegration({
  key: 'dropbox',
  name: 'Dropbox',
  icon: 'dropbox',
  category: 'STORAGE',
  version: '1.1.3',
  docs: 'https://www.dropbox.com/developers/documentation/http/documentation#users-get_current_account',
  hosts: ['api.dropboxapi.com'],
  apiBaseUrl: 'https://api.dropboxapi.com/2',
  auth: {
    OAuth2: oauth2({
      authorizationUrl: 'https://www.dropbox.com/oauth2/authorize',
      tokenUrl: 'https://api.dropboxapi.com/oauth2/token',
      // It ends the refresh token, too.
      revocation: {
        url: 'https://api.dropboxapi.com/2/auth/token/revoke',
        headers: { Authorization: 'Bearer ${access_token}' },
      },
      scopes: ['account_info.read'],
      authorizationParams: { token_access_type: 'offline' },
    }),
  },
  async check(context) {
    const answer = await context.fetch('/users/get_current_account', { method: 'POST' })
    // error_summary ends with a varying number of dots.
    const said = answer.ok ? '' : await answer.clone().text()
    const [code] = /missing_scope|user_suspended/.exec(said) ?? []
    if (code === 'user_suspended') return context.refuse('account_inactive')
    return code
      ? context.refuse('insufficient_scope', { hint: 'Sign in again to allow more.' })
      : context.checkResponse(answer)
  },
  identity: {
    method: 'POST',
    path: '/users/get_current_account',
    id: 'account_id',
    label: ['email', 'name.display_name'],
    avatarUrl: 'profile_photo_url',
  },
})
