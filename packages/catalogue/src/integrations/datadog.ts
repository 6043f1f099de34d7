import { apiKey, defineIntegration, secret, select } from '@linchpin/kit'

// Looked up 2026-11-21:
// https://docs.datadoghq.com/api/latest/key-management/validate-api-and-application-keys/ (200 with
// status ok, 401 or 403 otherwise, hosts by site). Keys of another site are rejected like invalid
// ones.
export default defineIntegration({
  key: 'datadog',
  name: 'Datadog',
  icon: 'datadog',
  category: 'DEVELOPER_TOOLS',
  version: '1.0.2',
  docs: 'https://docs.datadoghq.com/api/latest/key-management/validate-api-and-application-keys/',
  hosts: [
    'api.datadoghq.com',
    'api.us3.datadoghq.com',
    'api.us5.datadoghq.com',
    'api.datadoghq.eu',
    'api.ap1.datadoghq.com',
    'api.ap2.datadoghq.com',
    'api.uk1.datadoghq.com',
    'api.ddog-gov.com',
    'api.us2.ddog-gov.com',
  ],
  apiBaseUrl: 'https://api.${site}',
  inputs: {
    site: select(
      'Site',
      {
        'datadoghq.com': 'US1 (datadoghq.com)',
        'us3.datadoghq.com': 'US3 (us3.datadoghq.com)',
        'us5.datadoghq.com': 'US5 (us5.datadoghq.com)',
        'datadoghq.eu': 'EU1 (datadoghq.eu)',
        'ap1.datadoghq.com': 'AP1 (ap1.datadoghq.com)',
        'ap2.datadoghq.com': 'AP2 (ap2.datadoghq.com)',
        'uk1.datadoghq.com': 'UK1 (uk1.datadoghq.com)',
        'ddog-gov.com': 'US1-FED (ddog-gov.com)',
        'us2.ddog-gov.com': 'US2-FED (us2.ddog-gov.com)',
      },
      {
        default: 'datadoghq.com',
        help: 'The end of the address that you sign in to, without app.',
      },
    ),
  },
  auth: {
    'Api Key': apiKey({
      headers: { 'DD-API-KEY': '${api_key}', 'DD-APPLICATION-KEY': '${app_key}' },
      fields: {
        api_key: secret('API key', {
          help: 'In the organization settings, under API keys.',
          helpUrl: 'https://docs.datadoghq.com/account_management/api-app-keys/',
        }),
        app_key: secret('Application key', {
          help: 'In the organization settings, under Application keys.',
          helpUrl: 'https://docs.datadoghq.com/account_management/api-app-keys/',
        }),
      },
    }),
  },
  check: {
    path: '/api/v2/validate_keys',
    errors: [
      { status: [401, 403], code: 'invalid_credentials', hint: 'Check both keys and the site.' },
    ],
  },
})
