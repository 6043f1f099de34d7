// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the protocol's placeholders have this syntax

/** The spec of Acme Desk. `${name}` is replaced by the field of the account's config. */
export const deskSpec = {
  api_base_url: '${base_url}/api',
  auth_specification: {
    'Api Key': {
      input_specification: {
        type: 'object',
        required: ['api_key'],
        properties: {
          api_key: {
            type: 'string',
            title: 'API key',
            description: 'Acme Desk shows it under Settings, API keys.',
            format: 'password',
            minLength: 8,
            'x-placeholder': 'desk_live_…',
            'x-help-url': 'https://desk.acme.example/help/api-keys',
            'x-order': 1,
          },
          base_url: {
            type: 'string',
            title: 'Address of your desk',
            format: 'uri',
            default: 'https://desk.acme.example',
            'x-secret': false,
            'x-order': 2,
          },
        },
      },
      headers: { 'X-Api-Key': '${api_key}' },
    },
  },
}
