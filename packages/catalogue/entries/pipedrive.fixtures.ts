import { defineFixtures, reply } from '@linchpin/kit/testing'

export default defineFixtures({
  endpoint: 'GET https://acme.pipedrive.com/api/v1/users/me',
  sends: 'Authorization: Bearer ${secret}',
  config: { api_domain: 'https://acme.pipedrive.com' },
  good: {
    success: true,
    data: {
      id: 777,
      name: 'Ann Acme',
      email: 'ann@acme.test',
      icon_url: 'https://avatars.test/777.jpg',
      company_id: 123,
      company_name: 'Acme',
    },
  },
  bad: reply(401, { success: false, error: 'unauthorized access', errorCode: 401 }),
  insufficient: reply(403, { success: false, error: 'Scope and URL mismatch', errorCode: 403 }),
  signIn: {
    authorize: 'https://oauth.pipedrive.com/oauth/authorize',
    token: 'https://oauth.pipedrive.com/oauth/token',
    revocation: 'https://oauth.pipedrive.com/oauth/revoke',
    bodyFormat: 'form',
    clientAuthentication: 'header',
  },
  identity: {
    id: '123:777',
    label: 'ann@acme.test',
    avatarUrl: 'https://avatars.test/777.jpg',
  },
  types: { 'Api Key': { sends: 'x-api-token: ${secret}' } },
})
