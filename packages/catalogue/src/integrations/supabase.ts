import { bearer, defineIntegration, oauth2, secret } from '@linchpin/kit'

// Looked up 2026-11-21:
// https://supabase.com/docs/guides/integrations/build-a-supabase-oauth-integration (addresses,
// PKCE) and https://supabase.com/docs/guides/platform/oauth-apps/oauth-scopes (permissions are set in
// the OAuth app, not requested).
export default defineIntegration({
  key: 'supabase',
  name: 'Supabase',
  icon: 'supabase',
  category: 'DEVELOPER_TOOLS',
  version: '1.0.2',
  docs: 'https://supabase.com/docs/guides/integrations/build-a-supabase-oauth-integration',
  hosts: ['api.supabase.com'],
  apiBaseUrl: 'https://api.supabase.com/v1',
  auth: {
    OAuth2: oauth2({
      authorizationUrl: 'https://api.supabase.com/v1/oauth/authorize',
      tokenUrl: 'https://api.supabase.com/v1/oauth/token',
      clientAuthentication: 'header',
      refresh: 'always',
    }),
    Token: bearer({
      fields: {
        token: secret('Personal access token', {
          help: 'In your account, under Access tokens.',
          helpUrl: 'https://supabase.com/dashboard/account/tokens',
          placeholder: 'sbp_example',
        }),
      },
    }),
  },
  check: {
    path: '/organizations',
    errors: [{ status: 403, hint: 'Allow it to read organizations.' }],
  },
})
