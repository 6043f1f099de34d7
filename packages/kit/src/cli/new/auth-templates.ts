import { PLACEHOLDERS } from '../../lint/placeholders.ts'
import { getOriginTemplate } from './base-url.ts'
import { quote } from './quote.ts'

/** How one authentication method is written in a new integration and in its fixtures. */
export interface AuthTemplate {
  readonly imports: readonly string[]
  readonly lines: (baseUrl: string) => readonly string[]
  /** The value of `sends:`. */
  readonly sends: string
  /** Additional properties of the fixtures. */
  readonly extraLines?: (baseUrl: string) => readonly string[]
}

const HELP = `{ help: ${quote(PLACEHOLDERS.help)} }`
const BEARER = quote('Authorization: Bearer ${secret}')
const BEARER_LOGIN_TOKEN = quote('Authorization: Bearer ${token}')
const USER_AND_PASSWORD = `fields: { username: text('User name'), password: secret('Password', ${HELP}) },`

/** Every authentication method that `new` supports, by the name of its flag value. */
export const AUTH_TEMPLATES = {
  bearer: {
    imports: ['bearer', 'secret'],
    lines: () => [`Token: bearer({ fields: { token: secret('API token', ${HELP}) } }),`],
    sends: BEARER,
  },
  header: {
    imports: ['apiKey', 'secret'],
    lines: () => renderApiKey("name: 'X-Api-Key'"),
    sends: quote('X-Api-Key: ${secret}'),
  },
  query: {
    imports: ['apiKey', 'secret'],
    lines: () => renderApiKey("in: 'query', name: 'api_key'"),
    sends: quote('?api_key=${secret}'),
  },
  basic: {
    imports: ['basic', 'secret', 'text'],
    lines: () => ['Basic: basic({', `  ${USER_AND_PASSWORD}`, '}),'],
    sends: quote('Authorization: Basic ${username}:${password}'),
  },
  oauth2: {
    imports: ['oauth2'],
    lines: (baseUrl) => [
      'OAuth2: oauth2({',
      `  authorizationUrl: ${quote(getPlaceholderUrl(baseUrl, 'authorize'))},`,
      `  tokenUrl: ${quote(getPlaceholderUrl(baseUrl, 'token'))},`,
      '  scopes: [],',
      '}),',
    ],
    sends: BEARER,
    extraLines: (baseUrl) => [
      '// The authorization request with its complete query, and the parameter that requests a refresh token: offline.',
      'signIn: {',
      `  authorize: ${quote(getPlaceholderUrl(baseUrl, 'authorize'))},`,
      `  token: ${quote(getPlaceholderUrl(baseUrl, 'token'))},`,
      '},',
    ],
  },
  'client-credentials': {
    imports: ['clientCredentials'],
    lines: (baseUrl) => [
      "'Client credentials': clientCredentials({",
      `  tokenUrl: ${quote(getPlaceholderUrl(baseUrl, 'token'))},`,
      '}),',
    ],
    sends: BEARER_LOGIN_TOKEN,
    extraLines: (baseUrl) => [
      'login: {',
      `  endpoint: ${quote(`POST ${getPlaceholderUrl(baseUrl, 'token')}`)},`,
      `  sends: ${quote('Authorization: Basic ${client_id}:${client_secret}')},`,
      "  form: { grant_type: 'client_credentials' },",
      '},',
    ],
  },
  'two-step-login': {
    imports: ['secret', 'text', 'twoStepLogin'],
    lines: (baseUrl) => [
      'Login: twoStepLogin({',
      `  ${USER_AND_PASSWORD}`,
      '  login: {',
      `    url: ${quote(getPlaceholderUrl(baseUrl, 'login'))},`,
      `    body: ${LOGIN},`,
      '  },',
      "  token: 'access_token',",
      '}),',
    ],
    sends: BEARER_LOGIN_TOKEN,
    extraLines: (baseUrl) => [
      'login: {',
      `  endpoint: ${quote(`POST ${getPlaceholderUrl(baseUrl, 'login')}`)},`,
      `  json: ${LOGIN},`,
      `  good: { access_token: ${quote('${token}')} },`,
      '},',
    ],
  },
  none: { imports: ['none'], lines: () => ['Public: none(),'], sends: '[]' },
} satisfies Readonly<Record<string, AuthTemplate>>

/** One of these names. */
export type AuthTemplateName = keyof typeof AUTH_TEMPLATES

const LOGIN = `{ username: ${quote('${username}')}, password: ${quote('${password}')} }`

/** A URL of the provider that only its documentation states. */
function getPlaceholderUrl(baseUrl: string, name: string): string {
  return `${getOriginTemplate(baseUrl)}${PLACEHOLDERS.path}${name}`
}

function renderApiKey(location: string): string[] {
  const field = `fields: { api_key: secret('API key', ${HELP}) }`
  return ["'Api Key': apiKey({", `  ${location},`, `  ${field},`, '}),']
}
