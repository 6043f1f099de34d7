import { defineFixtures, reply } from '@linchpin/kit/testing'

export default defineFixtures({
  endpoint: 'GET https://api.openai.com/v1/models',
  sends: 'Authorization: Bearer ${secret}',
  good: { object: 'list', data: [{ id: 'model-id-0', object: 'model', owned_by: 'openai' }] },
  bad: reply(401, {
    error: {
      message: 'Incorrect API key.',
      type: 'invalid_request_error',
      code: 'invalid_api_key',
    },
  }),
  insufficient: reply(401, {
    error: { message: 'Missing scopes.', type: 'invalid_request_error', param: null, code: null },
  }),
})
