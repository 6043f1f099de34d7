import { defineFixtures, reply } from '@linchpin/kit/testing'

const myself = {
  accountId: '5b10a2844c20165700ede21g',
  displayName: 'Mia Krystof',
  emailAddress: 'mia@acme.test',
  avatarUrls: { '48x48': 'https://avatars.test/mia' },
}

export default defineFixtures({
  endpoint: 'GET https://acme.atlassian.net/rest/api/3/myself',
  sends: 'Authorization: Basic ${email}:${api_token}',
  good: myself,
  bad: reply(401, { message: 'Client must be authenticated to access this resource.' }),
  identity: {
    id: '5b10a2844c20165700ede21g',
    label: 'mia@acme.test',
    avatarUrl: 'https://avatars.test/mia',
  },
  types: {
    OAuth2: {
      endpoint: 'GET https://api.atlassian.com/oauth/token/accessible-resources',
      sends: 'Authorization: Bearer ${secret}',
      signIn: {
        authorize:
          'https://auth.atlassian.com/authorize?audience=api.atlassian.com&scope=read:jira-user%20read:me%20offline_access&prompt=consent',
        token: 'https://auth.atlassian.com/oauth/token',
        offline: { scope: 'offline_access' },
        bodyFormat: 'json',
        clientAuthentication: 'body',
      },
      good: [{ id: '1324a887', url: 'https://acme.atlassian.net', scopes: ['read:jira-user'] }],
      bad: reply(401, { code: 401, message: 'Unauthorized' }),
      insufficient: reply(200, []),
      connected: {
        choices: { cloud_id: [{ value: '1324a887', label: 'https://acme.atlassian.net' }] },
      },
      endpoints: {
        'GET https://api.atlassian.com/ex/jira/1324a887/rest/api/3/myself': myself,
        'GET https://api.atlassian.com/me': {
          account_id: '5b10a2844c20165700ede21g',
          email: 'mia@acme.test',
          name: 'Mia Krystof',
          picture: 'https://avatars.test/mia',
        },
      },
    },
  },
})
