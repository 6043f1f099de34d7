import { defineFixtures, reply } from '@linchpin/kit/testing'

export default defineFixtures({
  endpoint: 'POST https://slack.com/api/auth.test',
  sends: 'Authorization: Bearer ${secret}',
  good: {
    ok: true,
    url: 'https://subarachnoid.slack.com/',
    team: 'Subarachnoid Workspace',
    user: 'grace',
    team_id: 'T12345678',
    user_id: 'W12345678',
  },
  bad: reply(200, { ok: false, error: 'invalid_auth' }),
  insufficient: reply(200, { ok: false, error: 'missing_scope' }),
  identity: { id: 'T12345678/W12345678', label: 'grace (Subarachnoid Workspace)' },
})
