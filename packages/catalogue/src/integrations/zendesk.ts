import {
  basic,
  clientCredentials,
  defineIntegration,
  email,
  oauth2,
  secret,
  text,
} from '@linchpin/kit'

// Looked up 2026-11-21:
// https://developer.zendesk.com/api-reference/ticketing/oauth/grant_type_tokens/ (also without a
// person), https://developer.zendesk.com/documentation/api-basics/authentication/oauth-migration/ (the
// end of API tokens),
// https://support.zendesk.com/hc/en-us/articles/4408845965210 (sign-in) and
// https://support.zendesk.com/hc/en-us/articles/4408831452954 (API tokens). The response of users/me
// is from public clients of the API.
export default defineIntegration({
  key: 'zendesk',
  name: 'Zendesk',
  icon: 'zendesk',
  category: 'SUPPORT',
  version: '1.1.2',
  docs: 'https://developer.zendesk.com/api-reference/ticketing/oauth/grant_type_tokens/',
  hosts: ['*.zendesk.com'],
  apiBaseUrl: 'https://${subdomain}.zendesk.com/api/v2',
  inputs: {
    subdomain: text('Subdomain', {
      help: 'The first part of your address: acme in acme.zendesk.com.',
      placeholder: 'acme',
      pattern: '^[a-z0-9][a-z0-9-]{0,62}$',
    }),
  },
  auth: {
    OAuth2: oauth2({
      authorizationUrl: 'https://${subdomain}.zendesk.com/oauth/authorizations/new',
      tokenUrl: 'https://${subdomain}.zendesk.com/oauth/tokens',
      scopes: ['users:read'],
      bodyFormat: 'json',
      refresh: 'always',
    }),
    'Client Credentials': clientCredentials({
      tokenUrl: 'https://${subdomain}.zendesk.com/oauth/tokens',
      clientAuthentication: 'body',
      bodyFormat: 'json',
      params: { scope: '${access}' },
      fields: {
        client_id: text('Client identifier', {
          help: 'In the Admin Center, under Apps and integrations, APIs, OAuth clients: a confidential one.',
          helpUrl: 'https://support.zendesk.com/hc/en-us/articles/4408845965210',
        }),
        client_secret: secret('Client secret', { help: 'Shown once, below the identifier.' }),
        access: text('Scopes', {
          help: 'The scopes, separated by spaces: read, or read write.',
          default: 'read',
        }),
      },
    }),
    'Api Key': basic({
      fields: {
        email: email('E-mail', { help: 'The address you sign in to Zendesk with.' }),
        api_token: secret('API token', {
          help: 'An existing token: Zendesk issues no new ones since October 2026, and all stop working in April 2027.',
          helpUrl:
            'https://developer.zendesk.com/documentation/api-basics/authentication/oauth-migration/',
        }),
      },
      username: '${email}/token',
      password: '${api_token}',
    }),
  },
  // Unauthenticated requests get 200 with an anonymous user, whose id is null.
  check: { path: '/users/me.json', ok: 'user.id' },
  identity: {
    id: 'user.id',
    label: ['user.email', 'user.name'],
    avatarUrl: 'user.photo.content_url',
  },
})
