import { clientCredentials, defineIntegration, secret, select, text } from '@linchpin/kit'

// Looked up 2026-11-21: https://developer.paypal.com/api/webhooks/v1/webhooks-list and
// https://developer.paypal.com/api/webhooks/v1/webhooks-post (with the token's URL and scope).
export default defineIntegration({
  key: 'paypal',
  name: 'PayPal',
  icon: 'paypal',
  category: 'PAYMENTS',
  version: '1.0.2',
  docs: 'https://developer.paypal.com/api/webhooks/v1/webhooks-list',
  hosts: ['api-m.paypal.com', 'api-m.sandbox.paypal.com'],
  apiBaseUrl: 'https://${environment}.paypal.com',
  inputs: {
    environment: select(
      'Environment',
      { 'api-m': 'Live', 'api-m.sandbox': 'Sandbox' },
      {
        help: 'Choose Sandbox only for test accounts.',
        default: 'api-m',
      },
    ),
  },
  auth: {
    'Client Credentials': clientCredentials({
      tokenUrl: 'https://${environment}.paypal.com/v1/oauth2/token',
      fields: {
        client_id: text('Client ID', {
          help: 'In the developer dashboard, under Apps & credentials.',
          helpUrl: 'https://developer.paypal.com/dashboard/applications/live',
        }),
        client_secret: secret('Secret', {
          help: 'Below the client ID of the same app.',
          helpUrl: 'https://developer.paypal.com/dashboard/applications/live',
        }),
      },
    }),
  },
  check: { path: '/v1/notifications/webhooks' },
})
