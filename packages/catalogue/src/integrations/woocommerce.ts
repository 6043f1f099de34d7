import { basic, defineIntegration, secret, url } from '@linchpin/kit'

// Looked up 2026-11-21: https://developer.woocommerce.com/docs/apis/rest-api/authentication/ and
// the provider's class-wc-rest-authentication.php (the errors).
export default defineIntegration({
  key: 'woocommerce',
  name: 'WooCommerce',
  icon: 'woocommerce',
  category: 'OTHER',
  version: '1.0.2',
  docs: 'https://developer.woocommerce.com/docs/apis/rest-api/authentication/',
  hosts: 'any',
  apiBaseUrl: '${base_url}/wp-json/wc/v3',
  inputs: {
    base_url: url('Store address', {
      help: 'Where your shop is, without /shop or /wp-admin.',
      placeholder: 'https://shop.example.com',
    }),
  },
  auth: {
    'Api Key': basic({
      fields: {
        consumer_key: secret('Consumer key', {
          help: 'In WordPress, under WooCommerce, Settings, Advanced, REST API. It is shown once.',
          helpUrl: 'https://woocommerce.com/document/woocommerce-rest-api/',
          placeholder: 'ck_0123456789abcdef',
        }),
        consumer_secret: secret('Consumer secret', {
          help: 'Beside the consumer key.',
          helpUrl: 'https://woocommerce.com/document/woocommerce-rest-api/',
        }),
      },
      username: '${consumer_key}',
      password: '${consumer_secret}',
    }),
  },
  check: {
    path: '/products',
    query: { per_page: '1' },
    errors: [
      {
        status: 401,
        match: { message: 'The API key provided does not have read permissions.' },
        code: 'insufficient_scope',
        hint: 'Create a key with the Read permission.',
      },
      {
        status: 404,
        hint: 'WooCommerce was not found at this address, or its permalinks are set to Plain.',
      },
    ],
  },
})
