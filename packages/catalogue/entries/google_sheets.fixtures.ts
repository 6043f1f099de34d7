import { defineFixtures, reply } from '@linchpin/kit/testing'

export default defineFixtures({
  endpoint: 'GET https://openidconnect.googleapis.com/v1/userinfo',
  sends: 'Authorization: Bearer ${secret}',
  config: { scope: 'openid https://www.googleapis.com/auth/spreadsheets.readonly' },
  good: { sub: '10769150350006150715113082367', email: 'ann@acme.test' },
  bad: reply(401, { error: 'invalid_request', error_description: 'Invalid Credentials' }),
  insufficient: reply(403, { error: { code: 403, status: 'PERMISSION_DENIED' } }),
  signIn: {
    authorize:
      'https://accounts.google.com/o/oauth2/v2/auth?access_type=offline&scope=openid%20email%20https://www.googleapis.com/auth/spreadsheets.readonly',
    token: 'https://oauth2.googleapis.com/token',
    revocation: 'https://oauth2.googleapis.com/revoke',
    offline: { access_type: 'offline' },
    bodyFormat: 'form',
    clientAuthentication: 'body',
    // The refresh token comes once.
    refreshed: {
      access_token: '${access_token}',
      expires_in: 3920,
      scope: '${scope}',
      token_type: 'Bearer',
    },
  },
  identity: { id: '10769150350006150715113082367', label: 'ann@acme.test' },
})
