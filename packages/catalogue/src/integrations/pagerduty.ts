import { apiKey, defineIntegration, oauth2, secret, select } from '@linchpin/kit'

// Looked up 2026-11-21: https://developer.pagerduty.com/api-reference/a47605517c19a-api-concepts
// (abilities, users.read) and https://developer.pagerduty.com/docs/oauth-functionality
// (identity.pagerduty.com for every region).
export default defineIntegration({
  key: 'pagerduty',
  name: 'PagerDuty',
  icon: 'pagerduty',
  category: 'DEVELOPER_TOOLS',
  version: '1.0.2',
  docs: 'https://developer.pagerduty.com/api-reference/a47605517c19a-api-concepts',
  hosts: ['api.pagerduty.com', 'api.eu.pagerduty.com', 'identity.pagerduty.com'],
  apiBaseUrl: 'https://${region}.pagerduty.com',
  headers: { Accept: 'application/vnd.pagerduty+json;version=2' },
  inputs: {
    region: select(
      'Service region',
      { api: 'United States', 'api.eu': 'Europe' },
      {
        default: 'api',
        help: 'Europe if your address ends with eu.pagerduty.com.',
      },
    ),
  },
  auth: {
    OAuth2: oauth2({
      authorizationUrl: 'https://identity.pagerduty.com/oauth/authorize',
      tokenUrl: 'https://identity.pagerduty.com/oauth/token',
      scopes: ['users.read'],
      check: { path: '/users/me' },
      identity: { id: 'user.id', label: ['user.email', 'user.name'] },
    }),
    'Api Key': apiKey({
      name: 'Authorization',
      prefix: 'Token token=',
      fields: {
        api_key: secret('API key', {
          help: 'Under Integrations, API access keys.',
          helpUrl: 'https://support.pagerduty.com/main/docs/api-access-keys',
        }),
      },
    }),
  },
  check: { path: '/abilities' },
})
