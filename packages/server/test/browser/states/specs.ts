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

/** Keys with this prefix belong to `IDENTIFIED_USER`. */
export const IDENTIFIED_KEY = 'ghp_ada_canary_0123456789'
export const IDENTIFIED_USER = { id: '1815', label: 'ada.lovelace@analytical-engine.example' }

/** A bundle whose CHECK returns the response of `/told`. IDENTITY knows the user of one key. */
export function createBundleWithCheckStub(spec: unknown, stubUrl: string): string {
  return `exports.default = async (command, params) => command === 'SPEC'
  ? ${JSON.stringify(spec)}
  : command === 'IDENTITY' && params.config.api_key === '${IDENTIFIED_KEY}' ? ${JSON.stringify(IDENTIFIED_USER)}
  : command === 'CHECK' ? (await fetch('${stubUrl}/told')).json() : { error: 'Command not found' }`
}
