import { defineFixtures, reply } from '@linchpin/kit/testing'

export default defineFixtures({
  endpoint: 'GET https://api.github.com/user',
  sends: 'Authorization: Bearer ${secret}',
  good: { id: 583231, login: 'octocat', name: null, avatar_url: 'https://avatars.test/583231' },
  bad: reply(401, { message: 'Bad credentials' }),
  insufficient: reply(403, { message: 'Resource not accessible by personal access token' }),
  identity: { id: '583231', label: 'octocat', avatarUrl: 'https://avatars.test/583231' },
})
