import { defineFixtures, reply } from '@linchpin/kit/testing'

export default defineFixtures({
  endpoint: 'GET https://api.hubapi.com/account-info/v3/details',
  sends: 'Authorization: Bearer ${secret}',
  good: {
    portalId: 1234567,
    accountType: 'STANDARD',
    timeZone: 'US/Eastern',
    companyCurrency: 'USD',
    uiDomain: 'app.hubspot.com',
    dataHostingLocation: 'na1',
  },
  bad: reply(401, {
    status: 'error',
    message: 'Authentication credentials not found.',
    category: 'INVALID_AUTHENTICATION',
  }),
  insufficient: reply(403, {
    status: 'error',
    message: 'This app is missing one or more required scopes.',
    category: 'MISSING_SCOPES',
  }),
  signIn: {
    authorize: 'https://app.hubspot.com/oauth/authorize?scope=oauth',
    token: 'https://api.hubapi.com/oauth/2026-03/token',
    revocation: 'https://api.hubapi.com/oauth/2026-03/token/revoke',
    bodyFormat: 'form',
    clientAuthentication: 'body',
  },
  identity: { id: '1234567', label: '1234567' },
})
