import { defineIntegration, oauth2, select } from '@linchpin/kit'

// Looked up 2026-11-21: https://zoho.com/accounts/protocol/oauth/multi-dc.html,
// https://www.zoho.com/crm/developer/docs/api/multi-dc.html,
// https://www.bigin.com/developer/docs/apis/multi-dc.html (both kinds of hosts),
// https://www.zoho.com/workdrive/developer/docs/api/v1/getting-started-multi-dc-support.html
// (United Arab Emirates), https://www.zoho.com/crm/developer/docs/api/v8/revoke-tokens.html and
// https://zoho.com/crm/developer/docs/api/v2.1/get-users.html; v8 of it, the errors, and the API's
// host for the United Kingdom are from public clients of the API.
export default defineIntegration({
  key: 'zoho_crm',
  name: 'Zoho CRM',
  icon: 'zoho',
  category: 'CRM',
  version: '1.1.2',
  docs: 'https://zoho.com/crm/developer/docs/api/v2.1/get-users.html',
  hosts: [
    'www.zohoapis.com',
    'www.zohoapis.eu',
    'www.zohoapis.in',
    'www.zohoapis.com.au',
    'www.zohoapis.jp',
    'www.zohoapis.com.cn',
    'www.zohoapis.sa',
    'www.zohoapis.ca',
    'www.zohoapis.uk',
    'www.zohoapis.ae',
    'accounts.zoho.com',
    'accounts.zoho.eu',
    'accounts.zoho.in',
    'accounts.zoho.com.au',
    'accounts.zoho.jp',
    'accounts.zoho.com.cn',
    'accounts.zoho.sa',
    'accounts.zohocloud.ca',
    'accounts.zoho.uk',
    'accounts.zoho.ae',
  ],
  apiBaseUrl: '${api_domain}',
  auth: {
    OAuth2: oauth2({
      fields: {
        region: select(
          'Region',
          {
            'zoho.com': 'United States (zoho.com)',
            'zoho.eu': 'Europe (zoho.eu)',
            'zoho.in': 'India (zoho.in)',
            'zoho.com.au': 'Australia (zoho.com.au)',
            'zoho.jp': 'Japan (zoho.jp)',
            'zoho.com.cn': 'China (zoho.com.cn)',
            'zoho.sa': 'Saudi Arabia (zoho.sa)',
            'zohocloud.ca': 'Canada (zohocloud.ca)',
            'zoho.uk': 'United Kingdom (zoho.uk)',
            'zoho.ae': 'United Arab Emirates (zoho.ae)',
          },
          {
            help: 'The end of the address when you are signed in: zoho.eu in crm.zoho.eu.',
            default: 'zoho.com',
          },
        ),
      },
      authorizationUrl: 'https://accounts.${region}/oauth/v2/auth',
      tokenUrl: 'https://accounts.${region}/oauth/v2/token',
      revocationUrl: 'https://accounts.${region}/oauth/v2/token/revoke',
      scopes: ['ZohoCRM.users.READ'],
      scopeSeparator: ',',
      authorizationParams: { access_type: 'offline', prompt: 'consent' },
      tokenResponseParams: ['api_domain'],
      // From public clients: ten refreshes in ten minutes, in the language of the account, and a revoked refresh token.
      refreshErrors: [
        { match: { error: ['Access Denied', '拒绝访问'] }, means: 'temporary' },
        { match: { error: 'invalid_code' }, means: 'ended' },
      ],
      prefix: 'Zoho-oauthtoken ',
    }),
  },
  check: {
    path: '/crm/v8/users',
    query: { type: 'CurrentUser' },
    errors: [
      // Both have status 401.
      { match: { code: 'INVALID_TOKEN' }, code: 'invalid_credentials' },
      { match: { code: 'OAUTH_SCOPE_MISMATCH' }, code: 'insufficient_scope' },
    ],
  },
  identity: { id: 'users.0.id', label: ['users.0.email', 'users.0.full_name'] },
})
