import { defineFixtures, notApplicable, reply } from '@linchpin/kit/testing'

// The books of examples/acme-books: built with another kit, whose bundles refresh tokens themselves before each call.
export default defineFixtures({
  endpoint: 'GET ${base_url}/${subdomain}/api/account',
  sends: ['Authorization: Bearer ${secret}', 'X-Books-Region: ${region}'],
  good: { subdomain: 'north' },
  bad: reply(401, { message: 'unknown token' }),
  insufficient: notApplicable('A login of the books may do everything.'),
  codes: 'none',
  signIn: {
    authorize:
      '${base_url}/${subdomain}/oauth/authorize?scope=books.read%20offline_access&access_type=offline',
    token: '${base_url}/${subdomain}/oauth/token',
    revocation: '${base_url}/${subdomain}/oauth/revoke',
    offline: { scope: 'offline_access' },
    pkce: 'required',
    bodyFormat: 'form',
    clientAuthentication: 'body',
  },
})
