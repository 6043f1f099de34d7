import { clientCredentials, defineIntegration, select } from '@linchpin/kit'

// A client credentials token first, from a host that is selected in a list.
export default defineIntegration({
  key: 'pay_like',
  name: 'Pay',
  category: 'PAYMENTS',
  version: '1.0.0',
  docs: 'https://developer.paypal.com/api/rest/authentication/',
  hosts: ['api-m.paypal.com', 'api-m.sandbox.paypal.com'],
  apiBaseUrl: 'https://${environment}.paypal.com/v1',
  inputs: {
    environment: select('Environment', ['api-m', 'api-m.sandbox'], { default: 'api-m' }),
  },
  auth: {
    'Client Credentials': clientCredentials({
      tokenUrl: 'https://${environment}.paypal.com/v1/oauth2/token',
    }),
    'In The Body': clientCredentials({
      tokenUrl: 'https://${environment}.paypal.com/v1/oauth2/token',
      scopes: ['read', 'write'],
      clientAuthentication: 'body',
      bodyFormat: 'json',
    }),
  },
  check: { path: '/identity/oauth2/userinfo', query: { schema: 'paypalv1.1' } },
  identity: { id: 'payer_id', label: ['name', 'emails.0.value'] },
})
