import { defineFixtures, reply } from '@linchpin/kit/testing'

export default defineFixtures({
  endpoint: 'GET https://graph.microsoft.com/v1.0/me',
  sends: 'Authorization: Bearer ${secret}',
  good: {
    id: '87d349ed-44d7-43e1-9a83-5f2406dee5bd',
    displayName: 'Adele Vance',
    mail: null,
    userPrincipalName: 'adele@acme.test',
  },
  bad: reply(401, { error: { code: 'InvalidAuthenticationToken' } }),
  insufficient: reply(403, { error: { code: 'Authorization_RequestDenied' } }),
  signIn: {
    authorize:
      'https://login.microsoftonline.com/common/oauth2/v2.0/authorize?scope=User.Read%20offline_access',
    token: 'https://login.microsoftonline.com/common/oauth2/v2.0/token',
    offline: { scope: 'offline_access' },
    bodyFormat: 'form',
    clientAuthentication: 'body',
  },
  identity: { id: '87d349ed-44d7-43e1-9a83-5f2406dee5bd', label: 'adele@acme.test' },
})
