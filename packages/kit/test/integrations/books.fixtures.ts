import { defineFixtures, reply } from '@linchpin/kit/testing'

export default defineFixtures({
  endpoint: 'GET ${base_url}/api/account',
  sends: 'Authorization: Bearer ${secret}',
  good: { id: 'org_north', name: 'Acme Books', subdomain: 'north' },
  bad: reply(401, { error: 'invalid_token' }),
  signIn: {
    authorize: '${base_url}/oauth/authorize?scope=books.read%20offline_access',
    token: '${base_url}/oauth/token',
    revocation: '${base_url}/oauth/revoke',
    offline: { scope: 'offline_access' },
    bodyFormat: 'form',
  },
  identity: { id: 'org_north', label: 'Acme Books' },
})
