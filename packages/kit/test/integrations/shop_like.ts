import { apiKey, clientCredentials, defineIntegration, oauth2, secret, text } from '@linchpin/kit'

// A token in a custom header, obtained in either way, and a host that is entered before sign-in.
export default defineIntegration({
  key: 'shop_like',
  name: 'Shop',
  category: 'OTHER',
  version: '1.0.0',
  docs: 'https://shopify.dev/docs/api/admin-rest',
  hosts: ['*.myshopify.com'],
  apiBaseUrl: 'https://${shop}.myshopify.com/admin/api/2025-01',
  inputs: {
    shop: text('Shop', {
      help: 'The first part of your address.',
      placeholder: 'acme',
      pattern: '^[a-z0-9][a-z0-9-]*$',
    }),
  },
  auth: {
    OAuth2: oauth2({
      authorizationUrl: 'https://${shop}.myshopify.com/admin/oauth/authorize',
      tokenUrl: 'https://${shop}.myshopify.com/admin/oauth/access_token',
      scopes: ['read_products'],
      scopeSeparator: ',',
      headers: { 'X-Shop-Token': '${access_token}' },
    }),
    Client: clientCredentials({
      tokenUrl: 'https://${shop}.myshopify.com/admin/oauth/access_token',
      headers: { 'X-Shop-Token': '${token}' },
    }),
    Token: apiKey({
      name: 'X-Shop-Token',
      fields: { admin_token: secret('Admin token', { help: 'In the settings of your app.' }) },
    }),
  },
  check: { path: '/shop.json' },
  identity: { id: 'shop.id', label: 'shop.name' },
})
