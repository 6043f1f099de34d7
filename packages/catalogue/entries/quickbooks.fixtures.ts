import { defineFixtures, reply } from '@linchpin/kit/testing'

export default defineFixtures({
  endpoint:
    'GET https://quickbooks.api.intuit.com/v3/company/9341453474484455/companyinfo/9341453474484455',
  sends: ['Authorization: Bearer ${secret}', 'Accept: application/json'],
  config: { realmId: '9341453474484455' },
  good: {
    CompanyInfo: { CompanyName: 'Acme', Country: 'US', Id: '1' },
    time: '2026-11-21T07:00:00.000-08:00',
  },
  bad: reply(401, {
    fault: {
      error: [
        { message: 'message=AuthenticationFailed; errorCode=003200; statusCode=401', code: '3200' },
      ],
      type: 'AUTHENTICATION',
    },
  }),
  insufficient: reply(403, {
    fault: {
      error: [
        {
          message: 'message=ApplicationAuthorizationFailed; errorCode=003100; statusCode=403',
          code: '3100',
        },
      ],
      type: 'SERVICE',
    },
  }),
  limited: reply(429, {
    fault: {
      error: [{ message: 'message=ThrottleExceeded; errorCode=003001; statusCode=429' }],
      type: 'SERVICE',
    },
  }),
  signIn: {
    authorize:
      'https://appcenter.intuit.com/connect/oauth2?response_type=code&scope=com.intuit.quickbooks.accounting',
    token: 'https://oauth.platform.intuit.com/oauth2/v1/tokens/bearer',
    revocation: {
      endpoint: 'POST https://developer.api.intuit.com/v2/oauth2/tokens/revoke',
      sends: 'Authorization: Basic ${client_id}:${client_secret}',
      json: { token: '${token}' },
    },
    bodyFormat: 'form',
    clientAuthentication: 'header',
    callback: { realmId: '9341453474484455' },
  },
  identity: { id: '9341453474484455', label: 'Acme' },
})
