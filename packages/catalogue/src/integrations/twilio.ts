import { basic, defineIntegration, secret, text } from '@linchpin/kit'

// Looked up 2026-11-21: https://www.twilio.com/docs/usage/api/accounts,
// https://www.twilio.com/docs/iam/api-keys/keys-in-console,
// https://www.twilio.com/docs/api/errors/20003 and https://www.twilio.com/docs/api/errors/20403
const console = 'https://console.twilio.com/'
const account_sid = text('Account SID', {
  help: 'On the first page of the console.',
  helpUrl: console,
  placeholder: 'AC0123456789abcdef0123456789abcdef',
  pattern: '^AC[0-9a-fA-F]{32}$',
})
const closed = {
  match: { code: 20403 },
  code: 'account_inactive',
  hint: 'The account is suspended or closed.',
} as const

export default defineIntegration({
  key: 'twilio',
  name: 'Twilio',
  category: 'MESSAGING',
  version: '1.0.2',
  docs: 'https://www.twilio.com/docs/usage/api/accounts',
  hosts: ['api.twilio.com'],
  auth: {
    'Auth Token': basic({
      fields: {
        account_sid,
        auth_token: secret('Auth token', { help: 'Below the account SID.', helpUrl: console }),
      },
      identity: { id: 'sid', label: ['friendly_name', 'sid'] },
    }),
    // Only main keys may read the account itself.
    'Api Key': basic({
      fields: {
        account_sid,
        key_sid: text('Key SID', {
          help: 'Under Account management, API keys.',
          helpUrl: console,
          placeholder: 'SK0123456789abcdef0123456789abcdef',
          pattern: '^SK[0-9a-fA-F]{32}$',
        }),
        key_secret: secret('Key secret', {
          help: 'Shown once when the key is created.',
          helpUrl: console,
        }),
      },
      username: '${key_sid}',
      check: {
        path: '/2010-04-01/Accounts/${account_sid}/Messages.json',
        query: { PageSize: '1' },
        errors: [closed, { status: 403, hint: 'Allow the key to read messages.' }],
      },
    }),
  },
  check: {
    path: '/2010-04-01/Accounts/${account_sid}.json',
    errors: [closed, { match: { status: ['suspended', 'closed'] }, code: 'account_inactive' }],
  },
})
