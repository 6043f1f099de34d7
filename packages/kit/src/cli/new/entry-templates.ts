import type { Entry, EntryAuth, EntryFields } from '../../entry/entry.ts'
import { LATEST_RUNTIME } from '../../entry/interpret-entry.ts'
import { PLACEHOLDERS } from '../../lint/placeholders.ts'
import type { IntegrationAnswers } from './answers.ts'
import type { AuthTemplateName } from './auth-templates.ts'
import { getOriginTemplate } from './base-url.ts'

/** How one authentication method is written in a new entry and in its fixtures, which are data. */
interface EntryTemplate {
  readonly name: string
  readonly auth: (origin: string) => EntryAuth
  readonly sends: string | readonly []
  /** Additional properties of the fixtures. */
  readonly fixtures?: (origin: string) => object
}

const KEY: EntryFields = { api_key: { title: 'API key', secret: true, help: PLACEHOLDERS.help } }
const USER_AND_PASSWORD: EntryFields = {
  username: { title: 'User name' },
  password: { title: 'Password', secret: true, help: PLACEHOLDERS.help },
}
const LOGIN = { username: '${username}', password: '${password}' }
const at = (origin: string, name: string) => `${origin}${PLACEHOLDERS.path}${name}`

const TEMPLATES: Readonly<Record<AuthTemplateName, EntryTemplate>> = {
  bearer: {
    name: 'Token',
    auth: () => ({
      headers: { Authorization: 'Bearer ${token}' },
      fields: { token: { title: 'API token', secret: true, help: PLACEHOLDERS.help } },
    }),
    sends: 'Authorization: Bearer ${secret}',
  },
  header: {
    name: 'Api Key',
    auth: () => ({ headers: { 'X-Api-Key': '${api_key}' }, fields: KEY }),
    sends: 'X-Api-Key: ${secret}',
  },
  query: {
    name: 'Api Key',
    auth: () => ({ query: { api_key: '${api_key}' }, fields: KEY }),
    sends: '?api_key=${secret}',
  },
  basic: {
    name: 'Basic',
    auth: () => ({ basic: '${username}:${password}', fields: USER_AND_PASSWORD }),
    sends: 'Authorization: Basic ${username}:${password}',
  },
  oauth2: {
    name: 'OAuth2',
    auth: (origin) => ({ authorize: at(origin, 'authorize'), token: at(origin, 'token') }),
    sends: 'Authorization: Bearer ${secret}',
    fixtures: (origin) => ({
      signIn: { authorize: at(origin, 'authorize'), token: at(origin, 'token') },
    }),
  },
  'client-credentials': {
    name: 'Client Credentials',
    auth: (origin) => ({ clientCredentials: { token: at(origin, 'token') } }),
    sends: 'Authorization: Bearer ${token}',
    fixtures: (origin) => ({
      login: {
        endpoint: `POST ${at(origin, 'token')}`,
        sends: 'Authorization: Basic ${client_id}:${client_secret}',
        form: { grant_type: 'client_credentials' },
      },
    }),
  },
  'two-step-login': {
    name: 'Login',
    auth: (origin) => ({
      login: { post: at(origin, 'login'), json: LOGIN },
      fields: USER_AND_PASSWORD,
    }),
    sends: 'Authorization: Bearer ${token}',
    fixtures: (origin) => ({
      login: {
        endpoint: `POST ${at(origin, 'login')}`,
        json: LOGIN,
        good: { access_token: '${token}' },
      },
    }),
  },
  none: { name: 'Public', auth: () => ({}), sends: [] },
}

/** A new integration as data. It passes its own test; the lint lists its placeholders. */
export function createEntry(answers: IntegrationAnswers): Entry {
  const { name, key, category, baseUrl, authTemplate, checkPath, docs } = answers
  const template = TEMPLATES[authTemplate]
  const origin = getOriginTemplate(baseUrl)
  const fields = createFields(baseUrl, origin)
  return {
    $schema: `./${SCHEMA_NAME}`,
    runtime: LATEST_RUNTIME,
    key,
    name,
    category,
    version: '1.0.0',
    docs,
    hosts:
      origin === '${base_url}'
        ? 'any'
        : [origin.replace(/^https:\/\/|:\d+$/g, '').replace(/^\$\{\w+\}/, '*')],
    base: baseUrl,
    ...(Object.keys(fields).length > 0 && { fields }),
    auth: { [template.name]: template.auth(origin) },
    check: { get: checkPath, errors: [{ status: 403, hint: PLACEHOLDERS.hint }] },
    identity: { id: 'id', label: ['name', 'email'] },
  }
}

/** The schema of entries, which an editor uses, beside the new entry. */
export const SCHEMA_NAME = 'entry.schema.json'

function createFields(baseUrl: string, origin: string): EntryFields {
  const names = new Set([...baseUrl.matchAll(/\$\{([a-z]\w*)\}/g)].map(([, name = '']) => name))
  return Object.fromEntries(
    [...names].map((name) => {
      if (name === 'base_url')
        return [name, { title: 'Address', type: 'url', placeholder: 'https://acme.example' }]
      const title = `${name.charAt(0).toUpperCase()}${name.slice(1)}`.replaceAll('_', ' ')
      const isInHost = origin.includes(`\${${name}}`)
      return [
        name,
        {
          title,
          help: PLACEHOLDERS.help,
          placeholder: 'acme',
          ...(isInHost && { pattern: '^[a-z0-9][a-z0-9-]{0,62}$' }),
        },
      ]
    }),
  )
}

/** The fixtures of a new entry. */
export function createEntryFixtures({ baseUrl, authTemplate, checkPath }: IntegrationAnswers) {
  const { sends, fixtures } = TEMPLATES[authTemplate]
  return {
    endpoint: `GET ${baseUrl}${checkPath}`,
    sends,
    good: { id: 1, name: 'Ann', email: 'ann@example.com' },
    bad: { status: 401, body: { message: 'unauthorized' } },
    insufficient: { status: 403, body: { message: 'forbidden' } },
    ...fixtures?.(getOriginTemplate(baseUrl)),
    identity: { id: '1', label: 'Ann' },
  }
}
