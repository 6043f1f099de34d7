import { defineFixtures, notApplicable, reply } from '@linchpin/kit/testing'

const account = 'https://api.twilio.com/2010-04-01/Accounts/AC0123456789abcdef0123456789abcdef'

export default defineFixtures({
  endpoint: `GET ${account}.json`,
  sends: 'Authorization: Basic ${account_sid}:${auth_token}',
  good: {
    sid: 'AC0123456789abcdef0123456789abcdef',
    friendly_name: 'Acme',
    status: 'active',
    type: 'Full',
  },
  bad: reply(401, { code: 20003, message: 'Authenticate', status: 401 }),
  insufficient: notApplicable('The token may do everything in its account.'),
  types: {
    'Auth Token': {
      identity: { id: 'AC0123456789abcdef0123456789abcdef', label: 'Acme' },
    },
    'Api Key': {
      endpoint: `GET ${account}/Messages.json?PageSize=1`,
      sends: 'Authorization: Basic ${key_sid}:${key_secret}',
      good: { messages: [], page: 0 },
      insufficient: reply(403),
    },
  },
})
