import { generateKeyPairSync } from 'node:crypto'
import { defineFixtures, notApplicable, reply } from '@linchpin/kit/testing'

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })

export default defineFixtures({
  endpoint: 'GET https://api.github.com/installation/repositories?per_page=1',
  sends: ['Authorization: Bearer ${token}', 'X-GitHub-Api-Version: 2022-11-28'],
  config: { private_key: String(privateKey.export({ type: 'pkcs1', format: 'pem' })) },
  login: {
    endpoint: 'POST https://api.github.com/app/installations/${installation_id}/access_tokens',
    good: reply(201, { token: '${token}', expires_at: '2099-01-01T00:00:00Z' }),
    bad: reply(401, { message: 'A JSON web token could not be decoded' }),
  },
  good: { total_count: 1, repositories: [{ id: 1296269, name: 'Hello-World' }] },
  bad: reply(401, { message: 'Bad credentials' }),
  insufficient: notApplicable('Every installation may list its own repositories.'),
  limited: reply(
    403,
    { message: 'API rate limit exceeded for installation ID 1.' },
    { 'x-ratelimit-remaining': '0' },
  ),
})
