import { defineFixtures, notApplicable, reply } from '@linchpin/kit/testing'

export default defineFixtures({
  endpoint: 'GET https://api.notion.com/v1/users/me',
  sends: ['Authorization: Bearer ${secret}', 'Notion-Version: 2025-09-03'],
  good: {
    object: 'user',
    id: '16d84278-ab0e-484c-9bdd-b35da3bd8905',
    name: 'pied piper',
    avatar_url: null,
    type: 'bot',
    bot: { owner: { type: 'workspace', workspace: true }, workspace_name: 'Acme' },
  },
  bad: reply(401, {
    object: 'error',
    status: 401,
    code: 'unauthorized',
    message: 'API token is invalid.',
  }),
  insufficient: notApplicable('Integrations with any capabilities may read their own user.'),
  signIn: {
    authorize: 'https://api.notion.com/v1/oauth/authorize?owner=user&response_type=code',
    token: 'https://api.notion.com/v1/oauth/token',
    bodyFormat: 'json',
    clientAuthentication: 'header',
  },
  identity: { id: '16d84278-ab0e-484c-9bdd-b35da3bd8905', label: 'Acme' },
})
