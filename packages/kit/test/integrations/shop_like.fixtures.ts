import { defineFixtures } from '@linchpin/kit/testing'

export default defineFixtures({
  endpoint: 'GET https://acme.myshopify.com/admin/api/2025-01/shop.json',
  sends: 'X-Shop-Token: ${secret}',
  good: { shop: { id: 1, name: 'Acme' } },
  identity: { id: '1', label: 'Acme' },
  types: {
    Client: {
      sends: 'X-Shop-Token: ${token}',
      login: { endpoint: 'POST https://acme.myshopify.com/admin/oauth/access_token' },
    },
  },
})
