import { defineFixtures, reply } from '@linchpin/kit/testing'

export default defineFixtures({
  endpoint: 'GET https://api.supabase.com/v1/organizations',
  sends: 'Authorization: Bearer ${secret}',
  good: [{ id: 'tbjquarbmhcvfbpfhlqx', name: 'Acme' }],
  bad: reply(401, { message: 'Unauthorized' }),
  insufficient: reply(403, { message: 'Forbidden' }),
  signIn: {
    authorize: 'https://api.supabase.com/v1/oauth/authorize?response_type=code',
    token: 'https://api.supabase.com/v1/oauth/token',
    bodyFormat: 'form',
    clientAuthentication: 'header',
  },
})
