import { originOf } from './place.ts'
import { quote } from './quote.ts'

/** How one way to authenticate is written, in a new integration and in its fixtures. */
export interface Written {
  readonly imports: readonly string[]
  readonly lines: (baseUrl: string) => readonly string[]
  /** What stands behind `sends:`. */
  readonly sends: string
  /** What the fixtures say besides. */
  readonly more?: (baseUrl: string) => readonly string[]
}

const HELP = "{ help: 'Say here where people find it.' }"
const BEARER = quote('Authorization: Bearer ${secret}')
const BY_TOKEN = quote('Authorization: Bearer ${token}')
const USER_AND_PASSWORD = `fields: { username: text('User name'), password: secret('Password', ${HELP}) },`

/** Every way that `new` can write, by the name that people type. */
export const WAYS = {
  bearer: {
    imports: ['bearer', 'secret'],
    lines: () => [`Token: bearer({ fields: { token: secret('API token', ${HELP}) } }),`],
    sends: BEARER,
  },
  header: {
    imports: ['apiKey', 'secret'],
    lines: () => keyed("name: 'X-Api-Key'"),
    sends: quote('X-Api-Key: ${secret}'),
  },
  query: {
    imports: ['apiKey', 'secret'],
    lines: () => keyed("in: 'query', name: 'api_key'"),
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
      `  authorizationUrl: ${quote(`${originOf(baseUrl)}/oauth/authorize`)},`,
      `  tokenUrl: ${quote(`${originOf(baseUrl)}/oauth/token`)},`,
      '  scopes: [],',
      '}),',
    ],
    sends: BEARER,
    more: (baseUrl) => [
      '// The page for consent with its whole query, and what a refresh token is only given for: offline.',
      'signIn: {',
      `  authorize: ${quote(`${originOf(baseUrl)}/oauth/authorize`)},`,
      `  token: ${quote(`${originOf(baseUrl)}/oauth/token`)},`,
      '},',
    ],
  },
  'client-credentials': {
    imports: ['clientCredentials'],
    lines: (baseUrl) => [
      "'Client credentials': clientCredentials({",
      `  tokenUrl: ${quote(`${originOf(baseUrl)}/oauth/token`)},`,
      '}),',
    ],
    sends: BY_TOKEN,
    more: (baseUrl) => [
      'login: {',
      `  endpoint: ${quote(`POST ${originOf(baseUrl)}/oauth/token`)},`,
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
      `    url: ${quote(`${baseUrl}/login`)},`,
      `    body: ${LOGIN},`,
      '  },',
      "  token: 'access_token',",
      '}),',
    ],
    sends: BY_TOKEN,
    more: (baseUrl) => [
      'login: {',
      `  endpoint: ${quote(`POST ${baseUrl}/login`)},`,
      `  json: ${LOGIN},`,
      `  good: { access_token: ${quote('${token}')} },`,
      '},',
    ],
  },
  none: { imports: ['none'], lines: () => ['Public: none(),'], sends: '[]' },
} satisfies Readonly<Record<string, Written>>

/** One of them. */
export type Way = keyof typeof WAYS

const LOGIN = `{ username: ${quote('${username}')}, password: ${quote('${password}')} }`

function keyed(place: string): string[] {
  const field = `fields: { api_key: secret('API key', ${HELP}) }`
  return ["'Api Key': apiKey({", `  ${place},`, `  ${field},`, '}),']
}
