import { apiKey, defineIntegration, oauth2, secret } from '@linchpin/kit'

// Looked up 2026-11-21: https://developers.figma.com/docs/rest-api/authentication,
// https://developers.figma.com/docs/rest-api/users-types and
// https://github.com/figma/rest-api-spec. A wrong token gets 403, like a missing scope;
// only `err` differs.
export default defineIntegration({
  key: 'figma',
  name: 'Figma',
  icon: 'figma',
  category: 'OTHER',
  version: '1.0.2',
  docs: 'https://developers.figma.com/docs/rest-api/authentication',
  hosts: ['api.figma.com'],
  auth: {
    OAuth2: oauth2({
      authorizationUrl: 'https://www.figma.com/oauth',
      tokenUrl: 'https://api.figma.com/v1/oauth/token',
      refreshUrl: 'https://api.figma.com/v1/oauth/refresh',
      scopes: ['current_user:read'],
      clientAuthentication: 'header',
      refresh: 'always',
    }),
    Token: apiKey({
      name: 'X-Figma-Token',
      fields: {
        token: secret('Personal access token', {
          help: 'In your Figma settings, under Security. Allow it to read the current user.',
          helpUrl:
            'https://help.figma.com/hc/en-us/articles/8085703771159-Manage-personal-access-tokens',
          placeholder: 'figd_example',
        }),
      },
    }),
  },
  check: {
    path: '/v1/me',
    errors: [
      {
        status: 403,
        match: { err: ['Invalid token', 'Token expired'] },
        code: 'invalid_credentials',
      },
      { status: 403, hint: 'Give the token the scope current_user:read.' },
    ],
  },
  identity: { id: 'id', label: ['email', 'handle'], avatarUrl: 'img_url' },
})
