import { bearer, defineIntegration, secret } from '@linchpin/kit'

// Looked up 2026-11-21: https://docs.stripe.com/keys/restricted-api-keys. What /v1/account answers,
// and its errors, are from public clients of the API.
export default defineIntegration({
  key: 'stripe',
  name: 'Stripe',
  icon: 'stripe',
  category: 'PAYMENTS',
  version: '1.0.2',
  docs: 'https://docs.stripe.com/keys/restricted-api-keys',
  hosts: ['api.stripe.com'],
  auth: {
    'Api Key': bearer({
      fields: {
        api_key: secret('Secret or restricted key', {
          help: 'In the dashboard, under Developers, API keys. A restricted key is enough.',
          helpUrl: 'https://dashboard.stripe.com/apikeys',
          placeholder: 'rk_live_…',
        }),
      },
    }),
  },
  check: {
    path: '/v1/account',
    errors: [
      {
        status: 403,
        hint: 'Give the restricted key read access to the account, or use a secret key.',
      },
    ],
  },
  identity: {
    id: 'id',
    label: ['settings.dashboard.display_name', 'business_profile.name', 'email'],
  },
})
