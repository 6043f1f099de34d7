import { basic, defineIntegration, secret, select, text } from '@linchpin/kit'

// Looked up 2026-11-21: https://docs.mixpanel.com/reference/service-accounts,
// https://docs.mixpanel.com/openapi/service-accounts.openapi.yaml (the hosts) and
// https://docs.mixpanel.com/troubleshooting/errors/401-unauthorized
export default defineIntegration({
  key: 'mixpanel',
  name: 'Mixpanel',
  icon: 'mixpanel',
  category: 'ANALYTICS',
  version: '1.0.2',
  docs: 'https://docs.mixpanel.com/reference/service-accounts',
  hosts: ['mixpanel.com', 'eu.mixpanel.com', 'in.mixpanel.com'],
  apiBaseUrl: 'https://${region}/api/app',
  inputs: {
    region: select(
      'Region',
      {
        'mixpanel.com': 'United States',
        'eu.mixpanel.com': 'Europe',
        'in.mixpanel.com': 'India',
      },
      {
        help: 'Europe when your address begins with eu.mixpanel.com, India with in.mixpanel.com.',
        default: 'mixpanel.com',
      },
    ),
  },
  auth: {
    'Service Account': basic({
      fields: {
        username: text('User name', {
          help: 'The one of a service account, under Organization settings, Service accounts.',
          helpUrl: 'https://mixpanel.com/settings/org/service-accounts',
        }),
        service_secret: secret('Secret', {
          help: 'Shown once when the service account is created.',
          helpUrl: 'https://mixpanel.com/settings/org/service-accounts',
        }),
      },
    }),
  },
  check: { path: '/me' },
})
