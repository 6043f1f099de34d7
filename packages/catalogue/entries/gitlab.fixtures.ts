import { defineFixtures, reply } from '@linchpin/kit/testing'

export default defineFixtures({
  endpoint: 'GET https://gitlab.com/api/v4/user',
  sends: 'Authorization: Bearer ${secret}',
  good: { id: 1, username: 'john_smith', name: 'John', avatar_url: 'https://avatars.test/1' },
  bad: reply(401, { message: '401 Unauthorized' }),
  insufficient: reply(403, { error: 'insufficient_scope', scope: 'api read_api read_user' }),
  signIn: {
    authorize: 'https://gitlab.com/oauth/authorize?response_type=code&scope=read_user',
    token: 'https://gitlab.com/oauth/token',
    revocation: 'https://gitlab.com/oauth/revoke',
    bodyFormat: 'form',
  },
  identity: { id: '1', label: 'john_smith', avatarUrl: 'https://avatars.test/1' },
})
