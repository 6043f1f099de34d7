import { defineFixtures, notApplicable, reply } from '@linchpin/kit/testing'

// The desk of examples/acme-desk, whose bundle is built with another kit and axios.
export default defineFixtures({
  endpoint: 'GET https://desk.acme.example/api/me',
  sends: 'X-Api-Key: ${api_key}',
  good: { name: 'Ann' },
  bad: reply(401, { message: 'unknown key' }),
  insufficient: notApplicable('A key of the desk may do everything.'),
  codes: 'none',
})
