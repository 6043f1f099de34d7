import { defineFixtures, reply } from '@linchpin/kit/testing'

export default defineFixtures({
  endpoint: 'GET https://shop.example.com/one/api/me?fields=id',
  sends: 'X-Way: ${authType}',
  good: { id: 7 },
  identity: { id: '7', label: '7 at https://shop.example.com/one/' },
  types: {
    Login: {
      sends: ['X-Session: ${token}', 'X-Way: Login'],
      login: {
        endpoint: 'POST https://shop.example.com/one/login',
        good: { session: { id: '${token}' } },
        bad: reply(200, { error: 'no' }),
      },
    },
    Keys: { sends: ['?key=${consumer_key}', '?secret=${consumer_secret}'] },
    Basic: { sends: 'Authorization: Basic ${username}:${password}' },
  },
})
