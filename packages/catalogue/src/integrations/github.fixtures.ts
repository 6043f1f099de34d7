import { defineFixtures, reply } from '@linchpin/kit/testing'

export default defineFixtures({
  endpoint: 'GET https://api.github.com/user',
  sends: ['Authorization: Bearer ${secret}', 'X-GitHub-Api-Version: 2022-11-28'],
  good: { id: 583231, login: 'octocat', name: null, avatar_url: 'https://avatars.test/583231' },
  bad: reply(401, { message: 'Bad credentials' }),
  insufficient: reply(403, { message: 'Resource not accessible by personal access token' }),
  limited: reply(
    403,
    { message: 'API rate limit exceeded for user ID 1.' },
    { 'x-ratelimit-remaining': '0' },
  ),
  identity: { id: '583231', label: 'octocat', avatarUrl: 'https://avatars.test/583231' },
})
