import { defineFixtures, reply } from '@linchpin/kit/testing'

export default defineFixtures({
  endpoint: 'GET https://api.anthropic.com/v1/models?limit=1',
  sends: ['x-api-key: ${secret}', 'anthropic-version: 2023-06-01'],
  good: { data: [{ type: 'model', id: 'model-1', display_name: 'Model 1' }], has_more: true },
  bad: reply(401, {
    type: 'error',
    error: { type: 'authentication_error', message: 'invalid x-api-key' },
  }),
  insufficient: reply(403, {
    type: 'error',
    error: { type: 'permission_error', message: 'No permission.' },
  }),
})
