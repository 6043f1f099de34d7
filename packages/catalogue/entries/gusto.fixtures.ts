import { defineFixtures, notApplicable } from '@linchpin/kit/testing'

export default defineFixtures({
  endpoint: 'GET https://api.gusto.com/v1/token_info',
  sends: ['Authorization: Bearer ${secret}', 'X-Gusto-API-Version: 2025-06-15'],
  good: {
    scope: 'public',
    resource: { type: 'Company', uuid: 'd525dd21-ba6e-482c-be15-c2c7237f1364' },
  },
  insufficient: notApplicable('Every token may ask what it stands for.'),
  signIn: {
    authorize: 'https://api.gusto.com/oauth/authorize?response_type=code',
    token: 'https://api.gusto.com/oauth/token',
    clientAuthentication: 'body',
  },
  endpoints: {
    'GET https://api.gusto.com/v1/companies/d525dd21-ba6e-482c-be15-c2c7237f1364': {
      uuid: 'd525dd21-ba6e-482c-be15-c2c7237f1364',
      name: 'Acme',
    },
  },
  connected: { facts: { company_id: { value: 'd525dd21-ba6e-482c-be15-c2c7237f1364' } } },
  identity: { id: 'd525dd21-ba6e-482c-be15-c2c7237f1364', label: 'Acme' },
})
