import { bearer, defineIntegration, oauth2, secret } from '@linchpin/kit'

// Looked up 2026-11-21: https://developers.notion.com/reference/get-self,
// https://developers.notion.com/reference/create-a-token
export default defineIntegration({
  key: 'notion',
  name: 'Notion',
  icon: 'notion',
  category: 'DOCUMENTATION',
  version: '1.0.2',
  docs: 'https://developers.notion.com/reference/get-self',
  hosts: ['api.notion.com'],
  apiBaseUrl: 'https://api.notion.com/v1',
  headers: { 'Notion-Version': '2025-09-03' },
  auth: {
    OAuth2: oauth2({
      authorizationUrl: 'https://api.notion.com/v1/oauth/authorize',
      tokenUrl: 'https://api.notion.com/v1/oauth/token',
      authorizationParams: { owner: 'user' },
      clientAuthentication: 'header',
      bodyFormat: 'json',
      refresh: 'always',
    }),
    Token: bearer({
      fields: {
        api_token: secret('Access token', {
          help: 'Create an internal connection in Notion, and give it access to the pages you choose.',
          helpUrl: 'https://www.notion.so/developers/connections',
          placeholder: 'ntn_…',
        }),
      },
    }),
  },
  check: { path: '/users/me' },
  identity: { id: 'id', label: ['bot.workspace_name', 'name'], avatarUrl: 'avatar_url' },
})
