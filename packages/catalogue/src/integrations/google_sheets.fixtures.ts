import { defineFixtures, reply } from '@linchpin/kit/testing'

export default defineFixtures({
  endpoint: 'GET https://openidconnect.googleapis.com/v1/userinfo',
  sends: 'Authorization: Bearer ${secret}',
  config: { scope: 'openid https://www.googleapis.com/auth/spreadsheets.readonly' },
  good: { sub: '10769150350006150715113082367', email: 'ann@acme.test' },
  bad: reply(401, { error: 'invalid_request', error_description: 'Invalid Credentials' }),
  insufficient: reply(403, { error: { code: 403, status: 'PERMISSION_DENIED' } }),
  identity: { id: '10769150350006150715113082367', label: 'ann@acme.test' },
})
