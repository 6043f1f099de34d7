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
  signIn: {
    authorize: 'https://github.com/login/oauth/authorize?scope=read:user',
    token: 'https://github.com/login/oauth/access_token',
    bodyFormat: 'form',
    clientAuthentication: 'body',
    // Tokens of OAuth apps do not end by themselves.
    good: { access_token: '${access_token}', scope: '${scope}', token_type: 'bearer' },
  },
  identity: { id: '583231', label: 'octocat', avatarUrl: 'https://avatars.test/583231' },
})
