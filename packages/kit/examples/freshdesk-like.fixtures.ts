import { defineFixtures, reply } from '@linchpin/kit/testing'

export default defineFixtures({
  endpoint: 'GET https://acme.freshdesk.com/api/v2/agents/me',
  sends: 'Authorization: Basic ${api_key}:X',
  good: { id: 1, contact: { email: 'ann@acme.test', name: 'Ann' } },
  bad: reply(401, { code: 'invalid_credentials', message: 'You have to be logged in.' }),
  insufficient: reply(403, { code: 'access_denied', message: 'You are not authorized.' }),
  identity: { id: '1', label: 'ann@acme.test' },
})
