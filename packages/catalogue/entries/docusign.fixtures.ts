import { defineFixtures, notApplicable } from '@linchpin/kit/testing'

export default defineFixtures({
  endpoint: 'GET https://account.docusign.com/oauth/userinfo',
  sends: 'Authorization: Bearer ${secret}',
  good: {
    sub: '50d89ab1-dad5-d00d-b410-92ee3110b970',
    name: 'Ann',
    email: 'ann@acme.test',
    accounts: [{ account_id: 'fe0b61a3', is_default: true, base_uri: 'https://demo.docusign.net' }],
  },
  insufficient: notApplicable('Every token may ask whose it is.'),
  signIn: {
    // Without extended, people have to sign in again 30 days after the first time.
    authorize:
      'https://account.docusign.com/oauth/auth?response_type=code&scope=signature%20extended',
    token: 'https://account.docusign.com/oauth/token',
    bodyFormat: 'form',
    clientAuthentication: 'header',
  },
  identity: { id: '50d89ab1-dad5-d00d-b410-92ee3110b970', label: 'ann@acme.test' },
})
