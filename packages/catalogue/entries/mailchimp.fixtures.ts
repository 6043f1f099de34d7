import { defineFixtures, reply } from '@linchpin/kit/testing'

export default defineFixtures({
  endpoint: 'GET https://us21.api.mailchimp.com/3.0/',
  sends: 'Authorization: Bearer ${secret}',
  good: {
    account_id: '8d3a3db4d97663a9074efcc16',
    account_name: 'Acme',
    email: 'ann@acme.test',
    avatar_url: 'https://avatars.test/1',
  },
  bad: reply(401, {
    type: 'https://mailchimp.com/developer/marketing/docs/errors/',
    title: 'API Key Invalid',
    status: 401,
    detail: "Your API key may be invalid, or you've attempted to access the wrong datacenter.",
  }),
  signIn: {
    authorize: 'https://login.mailchimp.com/oauth2/authorize?response_type=code',
    token: 'https://login.mailchimp.com/oauth2/token',
    bodyFormat: 'form',
    clientAuthentication: 'body',
    // Tokens do not end by themselves.
    good: { access_token: '${access_token}', expires_in: 0, scope: null },
  },
  identity: {
    id: '8d3a3db4d97663a9074efcc16',
    label: 'Acme',
    avatarUrl: 'https://avatars.test/1',
  },
  types: { 'Api Key': { sends: 'Authorization: Basic anystring:${api_key}' } },
})
