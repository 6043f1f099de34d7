import { defineFixtures, reply } from '@linchpin/kit/testing'

export default defineFixtures({
  endpoint: 'GET https://acme.okta.com/api/v1/users/me',
  sends: 'Authorization: SSWS ${secret}',
  good: { id: '00ub0oNGTSWTBKOLGLNR', profile: { login: 'ann@acme.test', email: 'ann@acme.test' } },
  bad: reply(401, { errorCode: 'E0000011', errorSummary: 'Invalid token provided' }),
  identity: { id: '00ub0oNGTSWTBKOLGLNR', label: 'ann@acme.test' },
})
