import { apiKey, defineIntegration, secret } from '@linchpin/kit'

// Looked up 2026-11-21: https://developer.atlassian.com/cloud/trello/guides/rest-api/authorization/
export default defineIntegration({
  key: 'trello',
  name: 'Trello',
  icon: 'trello',
  category: 'PROJECT_MANAGEMENT',
  version: '1.0.2',
  docs: 'https://developer.atlassian.com/cloud/trello/guides/rest-api/authorization/',
  hosts: ['api.trello.com'],
  apiBaseUrl: 'https://api.trello.com/1',
  auth: {
    'Api Key': apiKey({
      headers: {
        Authorization: 'OAuth oauth_consumer_key="${api_key}", oauth_token="${api_token}"',
      },
      fields: {
        api_key: secret('API key', {
          help: 'Open one of your Power-Ups at Trello, then API key.',
          helpUrl: 'https://trello.com/power-ups/admin',
        }),
        api_token: secret('Token', {
          help: 'Beside the API key, choose to make a token and allow it.',
          helpUrl: 'https://trello.com/power-ups/admin',
        }),
      },
    }),
  },
  // Errors are plain text.
  check: {
    path: '/members/me',
    errors: [
      { status: 401, match: { '': 'invalid key' }, field: 'api_key' },
      { status: 401, field: 'api_token', hint: 'Create a new token with this API key.' },
    ],
  },
  identity: { id: 'id', label: ['username', 'fullName'] },
})
