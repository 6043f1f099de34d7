import { defineFixtures, reply } from '@linchpin/kit/testing'

export default defineFixtures({
  endpoint: 'GET https://www.googleapis.com/calendar/v3/users/me/calendarList/primary',
  sends: 'Authorization: Bearer ${secret}',
  good: { kind: 'calendar#calendarListEntry', id: 'ann@acme.test', summary: 'Ann', primary: true },
  bad: reply(401, { error: { code: 401, errors: [{ reason: 'authError' }] } }),
  insufficient: reply(403, {
    error: { code: 403, errors: [{ reason: 'insufficientPermissions' }] },
  }),
  limited: reply(403, { error: { code: 403, errors: [{ reason: 'userRateLimitExceeded' }] } }),
  signIn: {
    authorize:
      'https://accounts.google.com/o/oauth2/v2/auth?access_type=offline&scope=openid%20email%20https://www.googleapis.com/auth/calendar.readonly',
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
  endpoints: {
    'GET https://openidconnect.googleapis.com/v1/userinfo': {
      sub: '10769150350006150715113082367',
      email: 'ann@acme.test',
    },
  },
  identity: { id: '10769150350006150715113082367', label: 'ann@acme.test' },
})
