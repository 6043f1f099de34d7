import { bearer, defineIntegration, secret } from '@linchpin/kit'

// Looked up 2026-11-21: https://platform.openai.com/docs/api-reference/models/list and
// https://platform.openai.com/docs/guides/error-codes. A key without the scope gets
// 401 too.
export default defineIntegration({
  key: 'openai',
  name: 'OpenAI',
  category: 'AI',
  version: '1.0.2',
  docs: 'https://platform.openai.com/docs/api-reference/models/list',
  hosts: ['api.openai.com'],
  auth: {
    'Api Key': bearer({
      fields: {
        api_key: secret('API key', {
          help: 'On the API keys page of your project.',
          helpUrl: 'https://platform.openai.com/api-keys',
          placeholder: 'sk-proj-example',
        }),
      },
    }),
  },
  check: {
    path: '/v1/models',
    errors: [
      { status: 401, match: { 'error.code': 'invalid_api_key' }, code: 'invalid_credentials' },
      {
        status: 401,
        match: { 'error.type': 'invalid_request_error', 'error.code': null },
        code: 'insufficient_scope',
        hint: 'Allow the key to read models.',
      },
      { status: 403, hint: 'Allow the key to read models.' },
    ],
  },
})
