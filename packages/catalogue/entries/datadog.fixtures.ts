import { defineFixtures, notApplicable, reply } from '@linchpin/kit/testing'

export default defineFixtures({
  endpoint: 'GET https://api.datadoghq.com/api/v2/validate_keys',
  sends: ['DD-API-KEY: ${api_key}', 'DD-APPLICATION-KEY: ${app_key}'],
  good: { status: 'ok' },
  bad: reply(403, { errors: ['Forbidden'] }),
  insufficient: notApplicable('Every valid pair of keys may have itself validated.'),
})
