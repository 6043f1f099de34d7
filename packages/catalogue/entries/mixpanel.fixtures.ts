import { defineFixtures, notApplicable, reply } from '@linchpin/kit/testing'

export default defineFixtures({
  endpoint: 'GET https://mixpanel.com/api/app/me',
  sends: 'Authorization: Basic ${username}:${service_secret}',
  good: { status: 'ok', results: { organizations: {}, projects: {}, workspaces: {} } },
  bad: reply(401, { code: 401, error: 'Invalid credentials', status: 'Unauthorized' }),
  insufficient: notApplicable('Every service account may read what it is.'),
})
