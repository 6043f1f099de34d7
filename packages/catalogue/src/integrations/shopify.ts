import { apiKey, clientCredentials, defineIntegration, oauth2, secret, text } from '@linchpin/kit'

// Looked up 2026-11-21:
// https://shopify.dev/docs/apps/build/authentication-authorization/access-tokens,
// https://shopify.dev/docs/apps/build/authentication-authorization/access-tokens/offline-access-tokens,
// https://shopify.dev/docs/apps/build/authentication-authorization/client-credentials-grant and
// https://shopify.dev/docs/api/usage/response-codes
const accessToken = 'X-Shopify-Access-Token'

export default defineIntegration({
  key: 'shopify',
  name: 'Shopify',
  icon: 'shopify',
  category: 'OTHER',
  version: '1.0.2',
  docs: 'https://shopify.dev/docs/apps/build/authentication-authorization/access-tokens',
  hosts: ['*.myshopify.com'],
  apiBaseUrl: 'https://${shop}.myshopify.com/admin/api/2026-07',
  inputs: {
    shop: text('Store', {
      help: 'The first part of your myshopify.com address: acme in acme.myshopify.com.',
      placeholder: 'acme',
      pattern: '^[a-z0-9][a-z0-9-]{0,62}$',
    }),
  },
  auth: {
    OAuth2: oauth2({
      authorizationUrl: 'https://${shop}.myshopify.com/admin/oauth/authorize',
      tokenUrl: 'https://${shop}.myshopify.com/admin/oauth/access_token',
      scopes: ['read_products'],
      scopeSeparator: ',',
      // Public apps must request expiring tokens, which come with a refresh token.
      tokenParams: { expiring: 1 },
      headers: { [accessToken]: '${access_token}' },
    }),
    'Client Credentials': clientCredentials({
      tokenUrl: 'https://${shop}.myshopify.com/admin/oauth/access_token',
      clientAuthentication: 'body',
      headers: { [accessToken]: '${token}' },
      fields: {
        client_id: text('Client ID', {
          help: 'In the Dev Dashboard: your app, Settings.',
          helpUrl: 'https://dev.shopify.com/dashboard',
        }),
        client_secret: secret('Client secret', {
          help: 'Beside the client ID. The app must be installed in your store.',
          helpUrl: 'https://dev.shopify.com/dashboard',
        }),
      },
    }),
    'Access Token': apiKey({
      name: accessToken,
      fields: {
        admin_token: secret('Admin API access token', {
          help: 'Shown once when a custom app is installed in the store.',
          helpUrl: 'https://help.shopify.com/en/manual/apps/app-types/custom-apps',
          placeholder: 'shpat_…',
        }),
      },
    }),
  },
  check: {
    path: '/graphql.json',
    method: 'POST',
    body: { query: '{ shop { id name } }' },
    ok: 'data.shop.id',
    errors: [
      { match: { 'errors.0.extensions.code': 'THROTTLED' }, code: 'rate_limited' },
      { match: { 'errors.0.extensions.code': 'ACCESS_DENIED' }, code: 'insufficient_scope' },
      { status: [402, 423], code: 'account_inactive', hint: 'The store is closed or locked.' },
    ],
  },
  identity: { id: 'data.shop.id', label: 'data.shop.name' },
})
