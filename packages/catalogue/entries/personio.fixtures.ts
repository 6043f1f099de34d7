import { defineFixtures, reply } from '@linchpin/kit/testing'

export default defineFixtures({
  endpoint: 'GET https://api.personio.de/v2/persons?limit=1',
  sends: 'Authorization: Bearer ${token}',
  login: { endpoint: 'POST https://api.personio.de/v2/auth/token' },
  good: { _data: [{ id: '3003' }], _meta: { links: {} } },
  insufficient: reply(403, {
    errors: [
      {
        title: 'Insufficient access scope',
        detail: 'Client scope insufficient to access resource',
        type: 'https://developer.personio.de/v2.0/page/public-api-error-codes#commonforbidden',
      },
    ],
  }),
})
