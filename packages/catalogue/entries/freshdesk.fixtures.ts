import { defineFixtures, reply } from '@linchpin/kit/testing'

export default defineFixtures({
  endpoint: 'GET https://acme.freshdesk.com/api/v2/agents/me',
  sends: 'Authorization: Basic ${api_key}:X',
  good: { id: 432, available: true, contact: { email: 'ann@acme.test', name: 'Ann Acme' } },
  bad: reply(401, {
    code: 'invalid_credentials',
    message: 'You have to be logged in to perform this action.',
  }),
  insufficient: reply(403, {
    code: 'access_denied',
    message: 'You are not authorized to perform this action.',
  }),
  identity: { id: '432', label: 'ann@acme.test' },
})
