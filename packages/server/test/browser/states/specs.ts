/** One key that people know how to make. Nothing else is asked. */
export function NOTES_SPEC(told: string) {
  return {
    auth_specification: {
      'Api Key': {
        input_specification: {
          type: 'object',
          required: ['api_key'],
          properties: {
            api_key: {
              type: 'string',
              title: 'Personal access token',
              description: 'Starts with ghp_ or github_pat_.',
              format: 'password',
              minLength: 8,
              'x-placeholder': 'ghp_…',
              'x-help-url': 'https://github.com/settings/tokens',
            },
          },
        },
      },
    },
    other_inputs: {
      input_specification: {
        type: 'object',
        properties: {
          mode: { type: 'string', default: 'told' },
          base_url: { type: 'string', default: told },
        },
      },
    },
  }
}

/** Four ways to connect one tool. */
export function LEDGER_SPEC(provider: string, told: string) {
  const secret = (title: string) => ({
    input_specification: {
      type: 'object',
      required: ['api_key'],
      properties: { api_key: { type: 'string', title, format: 'password' } },
    },
  })
  return {
    auth_specification: {
      'Api Key': secret('API key'),
      Token: secret('Access token'),
      Basic: {
        input_specification: {
          type: 'object',
          required: ['username', 'password'],
          properties: {
            username: { type: 'string', title: 'User name' },
            password: { type: 'string', title: 'Password', format: 'password' },
          },
        },
      },
      OAuth2: {
        input_specification: { type: 'object', properties: {} },
        authorization_url: `${provider}/authorize`,
        token_url: `${provider}/token`,
      },
    },
    other_inputs: NOTES_SPEC(told).other_inputs,
  }
}
