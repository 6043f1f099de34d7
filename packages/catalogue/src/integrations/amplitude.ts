import { basic, defineIntegration, secret, select } from '@linchpin/kit'

// Looked up 2026-11-21: https://amplitude.com/docs/apis/analytics/dashboard-rest and
// https://amplitude.com/docs/apis/authentication. Public clients report that a wrong key gets
// 401.
export default defineIntegration({
  key: 'amplitude',
  name: 'Amplitude',
  category: 'ANALYTICS',
  version: '1.0.2',
  docs: 'https://amplitude.com/docs/apis/analytics/dashboard-rest',
  hosts: ['amplitude.com', 'analytics.eu.amplitude.com'],
  apiBaseUrl: 'https://${region}/api/2',
  inputs: {
    region: select(
      'Region',
      { 'amplitude.com': 'United States', 'analytics.eu.amplitude.com': 'Europe' },
      { help: 'Where your project is hosted.', default: 'amplitude.com' },
    ),
  },
  auth: {
    'Api Key': basic({
      fields: {
        api_key: secret('API key', {
          help: 'Under Settings, Projects: your project.',
          helpUrl: 'https://amplitude.com/docs/apis/authentication',
        }),
        secret_key: secret('Secret key', {
          help: 'Beside the API key. It is shown once.',
          helpUrl: 'https://amplitude.com/docs/apis/authentication',
        }),
      },
      username: '${api_key}',
      password: '${secret_key}',
    }),
  },
  check: { path: '/events/list' },
})
