import { defineFixtures, reply } from '@linchpin/kit/testing'

export default defineFixtures({
  endpoint: 'GET https://acme.my.salesforce.com/services/data/v60.0/',
  sends: 'Authorization: Bearer ${secret}',
  config: { instance_url: 'https://acme.my.salesforce.com' },
  good: { sobjects: '/services/data/v60.0/sobjects', query: '/services/data/v60.0/query' },
  bad: reply(401, [{ message: 'Session expired or invalid', errorCode: 'INVALID_SESSION_ID' }]),
  insufficient: reply(403, [
    { message: 'The REST API is not enabled', errorCode: 'API_DISABLED_FOR_ORG' },
  ]),
  limited: reply(403, [
    { message: 'TotalRequests Limit exceeded.', errorCode: 'REQUEST_LIMIT_EXCEEDED' },
  ]),
  signIn: {
    authorize:
      'https://login.salesforce.com/services/oauth2/authorize?response_type=code&scope=api%20openid%20refresh_token',
    token: 'https://login.salesforce.com/services/oauth2/token',
    revocation: 'https://login.salesforce.com/services/oauth2/revoke',
    offline: { scope: 'refresh_token' },
    bodyFormat: 'form',
    clientAuthentication: 'body',
    refreshed: {
      access_token: '${access_token}',
      instance_url: 'https://acme.my.salesforce.com',
      id: 'https://login.salesforce.com/id/00Dx0000000/005x0000000',
      token_type: 'Bearer',
      scope: '${scope}',
    },
  },
  endpoints: {
    'GET https://acme.my.salesforce.com/services/oauth2/userinfo': {
      sub: 'https://login.salesforce.com/id/00Dx0000000/005x0000000',
      user_id: '005x0000000',
      organization_id: '00Dx0000000',
      name: 'Ann Acme',
      email: 'ann@acme.test',
      picture: 'https://acme.my.salesforce.com/profilephoto/005/F',
    },
  },
  identity: {
    id: 'https://login.salesforce.com/id/00Dx0000000/005x0000000',
    label: 'Ann Acme',
    avatarUrl: 'https://acme.my.salesforce.com/profilephoto/005/F',
  },
})
