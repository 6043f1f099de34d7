import { defineFixtures, reply } from '@linchpin/kit/testing'

export default defineFixtures({
  endpoint: 'GET https://api.xero.com/connections',
  sends: 'Authorization: Bearer ${secret}',
  good: [
    {
      id: '7cb59f93-2964-421d-bb5e-a0f7a4572a44',
      tenantId: 'fe79f7dd-b6d4-4a92-ba7b-538af6289c58',
      tenantName: 'Demo Company (NZ)',
      tenantType: 'ORGANISATION',
    },
  ],
  bad: reply(401, {
    Type: null,
    Title: 'Unauthorized',
    Status: 401,
    Detail: 'AuthenticationUnsuccessful',
  }),
  insufficient: reply(200, []),
  signIn: {
    authorize:
      'https://login.xero.com/identity/connect/authorize?response_type=code&scope=offline_access%20accounting.settings.read',
    token: 'https://identity.xero.com/connect/token',
    revocation: 'https://identity.xero.com/connect/revocation',
    offline: { scope: 'offline_access' },
    bodyFormat: 'form',
    clientAuthentication: 'header',
  },
  identity: { id: 'fe79f7dd-b6d4-4a92-ba7b-538af6289c58', label: 'Demo Company (NZ)' },
})
