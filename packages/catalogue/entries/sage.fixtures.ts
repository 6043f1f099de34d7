import { defineFixtures, notApplicable } from '@linchpin/kit/testing'

export default defineFixtures({
  endpoint: 'GET https://api.accounting.sage.com/v3.1/user',
  sends: 'Authorization: Bearer ${secret}',
  good: {
    id: 'c3c32d1c41ba483fa3ff49fdb57b9c38',
    first_name: 'Ann',
    last_name: 'Acme',
    email: 'ann@acme.test',
    locale: 'en-GB',
  },
  insufficient: notApplicable('Both kinds of access may read who signed in.'),
  signIn: {
    authorize:
      'https://www.sageone.com/oauth2/auth/central?filter=apiv3.1&response_type=code&scope=readonly',
    token: 'https://oauth.accounting.sage.com/token',
    revocation: 'https://oauth.accounting.sage.com/revoke',
    bodyFormat: 'form',
    clientAuthentication: 'body',
  },
  identity: { id: 'c3c32d1c41ba483fa3ff49fdb57b9c38', label: 'ann@acme.test' },
})
