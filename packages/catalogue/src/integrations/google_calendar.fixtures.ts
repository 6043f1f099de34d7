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
  more: {
    'GET https://openidconnect.googleapis.com/v1/userinfo': {
      sub: '10769150350006150715113082367',
      email: 'ann@acme.test',
    },
  },
  identity: { id: '10769150350006150715113082367', label: 'ann@acme.test' },
})
