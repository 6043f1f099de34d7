import { defineFixtures, reply } from '@linchpin/kit/testing'

export default defineFixtures({
  endpoint: 'POST https://slack.com/api/auth.test',
  sends: 'Authorization: Bearer ${secret}',
  good: { ok: true, user_id: 'U1', user: 'ann', team_id: 'T1' },
  bad: reply(200, { ok: false, error: 'invalid_auth' }),
  insufficient: reply(200, { ok: false, error: 'missing_scope' }),
  identity: { id: 'U1', label: 'ann' },
})
