import { defineFixtures, reply } from '@linchpin/kit/testing'

const current = {
  type: 'known',
  accountId: '5b10a2844c20165700ede21g',
  displayName: 'Mia Krystof',
  email: 'mia@acme.test',
}

export default defineFixtures({
  endpoint: 'GET https://acme.atlassian.net/wiki/rest/api/user/current',
  sends: 'Authorization: Basic ${email}:${api_token}',
  good: current,
  bad: reply(401, { statusCode: 401, message: 'Unauthorized' }),
  insufficient: reply(403, {
    statusCode: 403,
    message: 'Request rejected because caller cannot access Confluence',
  }),
  identity: { id: '5b10a2844c20165700ede21g', label: 'mia@acme.test' },
  types: {
    OAuth2: {
      endpoint: 'GET https://api.atlassian.com/oauth/token/accessible-resources',
      sends: 'Authorization: Bearer ${secret}',
      signIn: {
        authorize:
          'https://auth.atlassian.com/authorize?audience=api.atlassian.com&scope=read:confluence-user%20read:me%20offline_access&prompt=consent',
        token: 'https://auth.atlassian.com/oauth/token',
        offline: { scope: 'offline_access' },
        bodyFormat: 'json',
        clientAuthentication: 'body',
      },
      good: [
        { id: '1324a887', url: 'https://acme.atlassian.net', scopes: ['read:confluence-user'] },
      ],
      bad: reply(401, { code: 401, message: 'Unauthorized' }),
      insufficient: reply(200, []),
      connected: {
        choices: { cloud_id: [{ value: '1324a887', label: 'https://acme.atlassian.net' }] },
      },
      endpoints: {
        'GET https://api.atlassian.com/ex/confluence/1324a887/wiki/rest/api/user/current': current,
        'GET https://api.atlassian.com/me': {
          account_id: '5b10a2844c20165700ede21g',
          email: 'mia@acme.test',
        },
      },
    },
  },
})
