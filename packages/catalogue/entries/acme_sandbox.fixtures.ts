import { defineFixtures, notApplicable, reply } from '@linchpin/kit/testing'

export default defineFixtures({
  endpoint: 'GET https://sandbox.linchpin.invalid/api/me',
  sends: 'Authorization: Bearer ${secret}',
  good: { id: 'person_kim', name: 'Kim Example', email: 'kim@acme.example' },
  bad: reply(401, { error: 'The key or token is not valid.' }),
  insufficient: notApplicable('Keys have no scopes.'),
  signIn: {
    authorize: 'https://sandbox.linchpin.invalid/authorize?response_type=code&scope=tickets',
    token: 'https://sandbox.linchpin.invalid/token',
    revocation: 'https://sandbox.linchpin.invalid/revoke',
    bodyFormat: 'form',
  },
  identity: { id: 'person_kim', label: 'kim@acme.example' },
})
