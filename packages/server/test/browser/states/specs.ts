/** A single key. */
export const GITHUB_SPEC = {
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
}

const GERMAN_SCOPES = {
  invoices: 'Ihre Rechnungen lesen und neue anlegen',
  contacts: 'Ihre Kunden und Lieferanten sehen',
}

/** Four auth methods. */
export function createLedgerSpec(provider: string) {
  const createSecretSpec = (title: string) => ({
    input_specification: {
      type: 'object',
      required: ['api_key'],
      properties: { api_key: { type: 'string', title, format: 'password' } },
    },
  })
  return {
    auth_specification: {
      'Api Key': createSecretSpec('API key'),
      Token: createSecretSpec('Access token'),
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
        default_scopes: ['openid', 'invoices', 'contacts', 'reports.read'],
        'x-scope-labels': {
          invoices: 'Read your invoices and create new ones',
          contacts: 'See your customers and suppliers',
        },
        'x-i18n': { de: { 'x-scope-labels': GERMAN_SCOPES } },
      },
    },
  }
}

/** A bundle whose CHECK returns the response of `/told`. */
export function createBundleWithCheckStub(spec: unknown, stubUrl: string): string {
  return `exports.default = async (command) => command === 'SPEC'
  ? ${JSON.stringify(spec)}
  : command === 'CHECK' ? (await fetch('${stubUrl}/told')).json() : { error: 'Command not found' }`
}
