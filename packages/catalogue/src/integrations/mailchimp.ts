import { basic, defineIntegration, oauth2, secret, text } from '@linchpin/kit'

// Looked up 2026-11-21 in public clients of the API, since the provider's pages were not at hand:
// https://rubydoc.info/gems/MailchimpMarketing,
// https://docs.rs/crate/mailchimp/latest/source/src/types/api_root.rs and
// https://docs.unified.to/skills/mailchimp-oauth-app/SKILL.md (sign-in has no scopes).
export default defineIntegration({
  key: 'mailchimp',
  name: 'Mailchimp',
  icon: 'mailchimp',
  category: 'MARKETING',
  version: '1.0.2',
  docs: 'https://mailchimp.com/developer/marketing/docs/fundamentals/',
  hosts: ['*.api.mailchimp.com', 'login.mailchimp.com'],
  apiBaseUrl: 'https://${server}.api.mailchimp.com/3.0',
  inputs: {
    server: text('Server', {
      help: 'The first part of the address when you are signed in, and the end of every key: us21.',
      placeholder: 'us21',
      pattern: '^[a-z]{2,3}[0-9]{1,3}$',
    }),
  },
  auth: {
    OAuth2: oauth2({
      authorizationUrl: 'https://login.mailchimp.com/oauth2/authorize',
      tokenUrl: 'https://login.mailchimp.com/oauth2/token',
      scopes: [],
    }),
    'Api Key': basic({
      fields: {
        api_key: secret('API key', {
          help: 'In your profile, under Extras, API keys.',
          helpUrl: 'https://admin.mailchimp.com/account/api/',
        }),
      },
      username: 'anystring',
      password: '${api_key}',
    }),
  },
  check: {
    path: '/',
    errors: [{ status: 401, hint: 'The server must match the end of the key, such as us21.' }],
  },
  identity: { id: 'account_id', label: ['account_name', 'email'], avatarUrl: 'avatar_url' },
})
