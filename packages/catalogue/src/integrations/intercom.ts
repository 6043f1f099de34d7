import { bearer, defineIntegration, oauth2, secret, select } from '@linchpin/kit'

// Looked up 2026-11-21: https://developers.intercom.com/building-apps/docs/setting-up-oauth,
// https://developers.intercom.com/building-apps/docs/rest-apis (api.intercom.io finds the region) and
// the provider's OpenAPI 2.14 (/me). The sign-in hosts of other regions are from
// https://www.speakeasy.com/docs/ai-control-plane/guides/intercom and public clients of the API.
export default defineIntegration({
  key: 'intercom',
  name: 'Intercom',
  icon: 'intercom',
  category: 'SUPPORT',
  version: '1.1.2',
  docs: 'https://developers.intercom.com/building-apps/docs/rest-apis',
  hosts: ['api.intercom.io', 'api.eu.intercom.io', 'api.au.intercom.io'],
  headers: { 'Intercom-Version': '2.14' },
  auth: {
    OAuth2: oauth2({
      fields: {
        region: select(
          'Region',
          { app: 'United States', 'app.eu': 'Europe', 'app.au': 'Australia' },
          { help: 'Where you sign in: Europe at app.eu.intercom.com.', default: 'app' },
        ),
      },
      authorizationUrl: 'https://${region}.intercom.com/oauth',
      tokenUrl: 'https://api.intercom.io/auth/eagle/token',
      scopes: [],
    }),
    Token: bearer({
      apiBaseUrl: 'https://${region}.intercom.io',
      fields: {
        region: select(
          'Region',
          { api: 'United States', 'api.eu': 'Europe', 'api.au': 'Australia' },
          { help: 'Where your workspace is hosted.', default: 'api' },
        ),
        token: secret('Access token', {
          help: 'In the Developer Hub: your app, Configure, Authentication.',
          helpUrl: 'https://app.intercom.com/a/apps/_/developer-hub',
        }),
      },
    }),
  },
  check: { path: '/me' },
  identity: { id: 'id', label: ['email', 'name'], avatarUrl: 'avatar.image_url' },
})
