import { defineFixtures, reply } from '@linchpin/kit/testing'

export default defineFixtures({
  endpoint: 'POST https://acme.myshopify.com/admin/api/2026-07/graphql.json',
  sends: 'X-Shopify-Access-Token: ${secret}',
  good: { data: { shop: { id: 'gid://shopify/Shop/90', name: 'Acme' } } },
  bad: reply(401, {
    errors: '[API] Invalid API key or access token (unrecognized login or wrong password)',
  }),
  insufficient: reply(200, {
    errors: [{ message: 'Access denied for shop field.', extensions: { code: 'ACCESS_DENIED' } }],
  }),
  limited: reply(200, {
    errors: [{ message: 'Throttled', extensions: { code: 'THROTTLED' } }],
  }),
  signIn: {
    authorize: 'https://acme.myshopify.com/admin/oauth/authorize?scope=read_products',
    token: 'https://acme.myshopify.com/admin/oauth/access_token',
    clientAuthentication: 'body',
    // Without it the token never ends and none comes to renew it.
    tokenParams: { expiring: '1' },
  },
  identity: { id: 'gid://shopify/Shop/90', label: 'Acme' },
  types: {
    'Client Credentials': {
      sends: 'X-Shopify-Access-Token: ${token}',
      login: { endpoint: 'POST https://acme.myshopify.com/admin/oauth/access_token' },
    },
  },
})
