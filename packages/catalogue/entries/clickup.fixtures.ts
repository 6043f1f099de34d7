import { defineFixtures, notApplicable, reply } from '@linchpin/kit/testing'

export default defineFixtures({
  endpoint: 'GET https://api.clickup.com/api/v2/user',
  sends: 'Authorization: ${secret}',
  good: { user: { id: 123, username: 'John', email: 'john@acme.test', profilePicture: null } },
  bad: reply(401, { err: 'Token invalid', ECODE: 'OAUTH_025' }),
  insufficient: notApplicable('ClickUp has no scopes: every token may read its own user.'),
  signIn: {
    authorize: 'https://app.clickup.com/api',
    token: 'https://api.clickup.com/api/v2/oauth/token',
    clientAuthentication: 'body',
    // Tokens do not end by themselves.
    good: { access_token: '${access_token}', token_type: 'Bearer' },
  },
  identity: { id: '123', label: 'john@acme.test' },
  types: { OAuth2: { sends: 'Authorization: Bearer ${secret}' } },
})
