import { defineFixtures, reply } from '@linchpin/kit/testing'

export default defineFixtures({
  endpoint: 'GET https://graph.microsoft.com/v1.0/me/joinedTeams',
  sends: 'Authorization: Bearer ${secret}',
  good: { value: [{ id: '172b0cce', displayName: 'Contoso Team' }] },
  bad: reply(401, { error: { code: 'InvalidAuthenticationToken' } }),
  insufficient: reply(403, {
    error: { code: 'Forbidden', message: 'Missing scope permissions on the request.' },
  }),
  signIn: {
    authorize:
      'https://login.microsoftonline.com/common/oauth2/v2.0/authorize?scope=User.Read%20Team.ReadBasic.All%20offline_access',
    token: 'https://login.microsoftonline.com/common/oauth2/v2.0/token',
    offline: { scope: 'offline_access' },
    bodyFormat: 'form',
    clientAuthentication: 'body',
  },
  endpoints: {
    'GET https://graph.microsoft.com/v1.0/me': {
      id: '87d349ed-44d7-43e1-9a83-5f2406dee5bd',
      displayName: 'Adele Vance',
      mail: 'adele@acme.test',
    },
  },
  identity: { id: '87d349ed-44d7-43e1-9a83-5f2406dee5bd', label: 'adele@acme.test' },
})
