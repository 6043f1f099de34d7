import { apiKey, defineIntegration, secret } from '@linchpin/kit'

// Looked up 2026-11-21: https://platform.claude.com/docs/en/api/models-list (header, version, list
// of models) and https://platform.claude.com/docs/en/api/errors (401 authentication_error, 403
// permission_error).
export default defineIntegration({
  key: 'anthropic',
  name: 'Anthropic',
  icon: 'anthropic',
  category: 'AI',
  version: '1.0.2',
  docs: 'https://platform.claude.com/docs/en/api/models-list',
  hosts: ['api.anthropic.com'],
  headers: { 'anthropic-version': '2023-06-01' },
  auth: {
    'Api Key': apiKey({
      name: 'x-api-key',
      fields: {
        api_key: secret('API key', {
          help: 'In the console, under API keys.',
          helpUrl: 'https://console.anthropic.com/settings/keys',
          placeholder: 'sk-ant-example',
        }),
      },
    }),
  },
  check: { path: '/v1/models', query: { limit: '1' } },
})
