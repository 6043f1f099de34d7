// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the protocol's placeholders have this syntax

/** The spec of Acme Books. `${name}` is replaced by the field of the account's config. */
export const booksSpec = {
  version: '1.2.0',
  api_base_url: '${base_url}/${subdomain}/api',
  auth_specification: {
    OAuth2: {
      input_specification: { type: 'object', properties: {} },
      authorization_url: '${base_url}/${subdomain}/oauth/authorize',
      token_url: '${base_url}/${subdomain}/oauth/token',
      revocation_url: '${base_url}/${subdomain}/oauth/revoke',
      authorization_params: { access_type: 'offline' },
      default_scopes: ['books.read', 'offline_access'],
      scope_separator: ' ',
      authorization_method: 'body',
      body_format: 'form',
      headers: { 'X-Books-Region': '${region}' },
    },
    'Api Key': {
      input_specification: {
        type: 'object',
        required: ['api_key'],
        properties: {
          api_key: {
            type: 'string',
            title: 'API key',
            description: 'Acme Books shows it once, when an owner makes it.',
            format: 'password',
            'x-secret': true,
            'x-placeholder': 'books_live_…',
            'x-help-url': 'https://books.acme.example/help/api-keys',
          },
        },
      },
      headers: { Authorization: 'Bearer ${api_key}', 'X-Books-Region': '${region}' },
    },
  },
  other_inputs: {
    input_specification: {
      type: 'object',
      required: ['base_url', 'subdomain', 'region'],
      properties: {
        base_url: {
          type: 'string',
          title: 'Address',
          format: 'uri',
          default: 'https://books.acme.example',
          'x-order': 1,
        },
        subdomain: {
          type: 'string',
          title: 'Subdomain',
          description: 'The first part of the address of your books.',
          pattern: '^[a-z][a-z0-9-]{1,30}$',
          'x-placeholder': 'north',
          'x-order': 2,
        },
        region: {
          type: 'string',
          title: 'Region',
          enum: ['eu', 'us'],
          default: 'eu',
          'x-order': 3,
        },
        signing_secret: {
          type: 'string',
          title: 'Signing secret for webhooks',
          format: 'password',
          writeOnly: true,
          'x-order': 4,
        },
      },
    },
  },
}
