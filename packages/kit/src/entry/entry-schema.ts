import { CATEGORIES } from '../category.ts'
import { MAX_REVOCATION_REQUESTS } from '../spec/revocation-rules.ts'
import type {
  Entry,
  EntryBasic,
  EntryCheck,
  EntryClientCredentials,
  EntryFact,
  EntryField,
  EntryIdentity,
  EntryLogin,
  EntryMcp,
  EntryOAuth2,
  EntryRequest,
  EntryRevocation,
  EntryScopes,
} from './entry.ts'

/** A part of a JSON Schema (draft 2020-12). */
export type JsonSchema = Readonly<Record<string, unknown>> | boolean

/** A property that the type has and this has not, or the other way round, is a type error. */
type Properties<T> = { readonly [K in keyof Required<T>]: JsonSchema }

type Shared =
  | 'after'
  | 'check'
  | 'expected'
  | 'fields'
  | 'headers'
  | 'identity'
  | 'params'
  | 'revocation'
  | 'scopes'
  | 'templates'

/** What several parts have is written and compiled once: repeating it makes the schema five times as large. */
const ref = (name: Shared) => ({ $ref: `#/$defs/${name}` })

function object<T>(properties: Properties<T>, required: readonly (keyof T & string)[] = []) {
  return { type: 'object', properties, required, additionalProperties: false }
}

const text = (maxLength: number, more: object = {}) => ({
  type: 'string',
  minLength: 1,
  maxLength,
  ...more,
})
const list = (items: JsonSchema, maxItems: number) => ({ type: 'array', items, maxItems })
const map = (values: JsonSchema, maxProperties: number, names: JsonSchema = text(200)) => ({
  type: 'object',
  propertyNames: names,
  additionalProperties: values,
  maxProperties,
})
const oneOrMore = (items: JsonSchema, maxItems: number) => ({
  anyOf: [items, list(items, maxItems)],
})

const NAME = text(64, { pattern: '^[A-Za-z][A-Za-z0-9_]*$' })
const HEADER_NAME = text(100, { pattern: "^[\\w!#$%&'*+.^`|~-]+$" })
const HTTPS = text(500, { pattern: '^https://[^\\s]+$' })
const TEMPLATE = text(1_000)
/** An absolute URL, or a path below the base URL; either may begin with a value. */
const ADDRESS = text(1_000, { pattern: '^(?:https://|\\$\\{|/|$)' })
const PATH = text(200)
const HEADERS = map(TEMPLATE, 30, HEADER_NAME)
const TEMPLATES = map(TEMPLATE, 30)
const PARAMS = map({ type: ['string', 'number', 'boolean'], maxLength: 500 }, 30)
const PLAIN = { type: ['string', 'number', 'boolean', 'null'], maxLength: 500 }
const EXPECTED = {
  anyOf: [
    ...oneOrMore(PLAIN, 50).anyOf,
    object<{ startsWith: string }>({ startsWith: text(200) }, ['startsWith']),
  ],
}
const STATUS = oneOrMore({ type: 'integer', minimum: 100, maximum: 599 }, 50)
const LANGUAGE = text(3, { pattern: '^[a-z]{2,3}$' })

const TRANSLATION = object<NonNullable<EntryField['i18n']>[string]>({
  label: text(200),
  help: text(1_000),
  placeholder: text(200),
  values: map(text(200), 200),
})

const FIELD = object<EntryField>(
  {
    title: text(200),
    type: { enum: ['text', 'url', 'email', 'number'] },
    secret: { const: true },
    values: { anyOf: [list(text(200), 200), map(text(200), 200)] },
    help: text(1_000),
    helpUrl: HTTPS,
    placeholder: text(200),
    pattern: text(500),
    optional: { const: true },
    default: { type: ['string', 'number'], maxLength: 500 },
    order: { type: 'number' },
    minLength: { type: 'integer', minimum: 0, maximum: 100_000 },
    maxLength: { type: 'integer', minimum: 1, maximum: 100_000 },
    i18n: map(TRANSLATION, 40, LANGUAGE),
  },
  ['title'],
)
const FIELDS = map(FIELD, 30, NAME)

const REQUEST: Properties<EntryRequest> = {
  get: ADDRESS,
  post: ADDRESS,
  query: ref('templates'),
  headers: ref('headers'),
  json: {},
  form: map(TEMPLATE, 50),
}

const ERROR_RULE = object<NonNullable<EntryCheck['errors']>[number]>({
  status: STATUS,
  match: map(ref('expected'), 10, { type: 'string', maxLength: 200 }),
  headers: map(ref('expected'), 10, HEADER_NAME),
  code: {
    enum: [
      'invalid_credentials',
      'insufficient_scope',
      'wrong_host',
      'account_inactive',
      'rate_limited',
      'provider_unreachable',
      'unexpected_answer',
    ],
  },
  field: NAME,
  hint: text(500),
})

const CHECK = object<EntryCheck>({
  ...REQUEST,
  expect: STATUS,
  ok: {
    anyOf: [
      PATH,
      object<{ path: string; equals: unknown }>({ path: PATH, equals: {} }, ['path', 'equals']),
    ],
  },
  errors: list(ERROR_RULE, 50),
})

const IDENTITY = object<EntryIdentity>(
  {
    ...REQUEST,
    id: oneOrMore(PATH, 10),
    label: oneOrMore(PATH, 10),
    avatarUrl: oneOrMore(PATH, 10),
    scopes: PATH,
  },
  ['id', 'label'],
)

const FACT_TEXTS = object<NonNullable<EntryFact['i18n']>[string]>({
  title: text(100),
  hint: text(500),
})
const FACT = {
  ...object<EntryFact>(
    {
      ...REQUEST,
      name: NAME,
      title: text(100),
      claim: PATH,
      list: { type: 'string', maxLength: 200 },
      value: PATH,
      label: oneOrMore(PATH, 10),
      where: {
        ...map(
          {
            anyOf: [
              ref('expected'),
              object<{ contains: string }>({ contains: text(200) }, ['contains']),
            ],
          },
          10,
          { type: 'string', maxLength: 200 },
        ),
        minProperties: 1,
      },
      pick: { enum: ['ask', 'all', 'first'] },
      hint: text(500),
      i18n: map(FACT_TEXTS, 40, LANGUAGE),
    },
    ['name', 'title'],
  ),
  oneOf: [{ required: ['get', 'value'] }, { required: ['post', 'value'] }, { required: ['claim'] }],
}
const FACTS = list(FACT, 5)

const AUTH_ERROR = {
  status: STATUS,
  match: map(oneOrMore(PLAIN, 50), 10),
}

const METHOD_OPTIONS = {
  base: ADDRESS,
  fields: ref('fields'),
  check: ref('check'),
  identity: ref('identity'),
  after: ref('after'),
}
const AUTH_OPTIONS = { ...METHOD_OPTIONS, headers: ref('headers'), query: ref('templates') }

const SCOPES = object<EntryScopes>(
  {
    default: list(text(200), 100),
    separator: text(3),
  },
  ['default'],
)
const SCOPE_LIST = list(text(200), 100)
const GRANTED_SCOPES = object<NonNullable<EntryOAuth2['grantedScopes']>>({
  separator: text(3),
  prefix: text(200),
  implied: map(SCOPE_LIST, 100),
  unreported: SCOPE_LIST,
})
const CLIENT = { enum: ['body', 'header'] }
const BODY = { enum: ['form', 'json'] }
const PARAM_NAME = text(64, { pattern: '^[A-Za-z][\\w.-]*$' })
const NAMES = list(text(64, { pattern: '^[\\w.-]+$' }), 20)

const REVOCATION_PARTS = {
  query: ref('templates'),
  headers: ref('headers'),
  json: ref('templates'),
  form: ref('templates'),
  client: CLIENT,
  expect: STATUS,
  ok: object<NonNullable<EntryRevocation['ok']>>(
    { path: PATH, equals: { type: ['string', 'number', 'boolean'], maxLength: 200 } },
    ['path', 'equals'],
  ),
} satisfies Properties<Omit<EntryRevocation, 'get' | 'post' | 'delete'>>
const POST = object({ ...REVOCATION_PARTS, post: ADDRESS }, ['post'])
const REVOCATION = choose(
  [
    ['post', POST],
    ['delete', object({ ...REVOCATION_PARTS, delete: ADDRESS }, ['delete'])],
    ['get', object({ ...REVOCATION_PARTS, get: ADDRESS }, ['get'])],
  ],
  POST,
)
/** The type decides which of them it is, so that an error names what is wrong with that one. */
const REVOKE = {
  if: { type: 'string' },
  // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema.
  then: ADDRESS,
  else: {
    if: { type: 'array' },
    // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema.
    then: { ...list(ref('revocation'), MAX_REVOCATION_REQUESTS), minItems: 1 },
    else: ref('revocation'),
  },
}
const EXCHANGE = { url: ADDRESS, params: ref('templates') }

const OAUTH2 = object<EntryOAuth2>(
  {
    ...AUTH_OPTIONS,
    authorize: ADDRESS,
    token: ADDRESS,
    scopes: ref('scopes'),
    grantedScopes: GRANTED_SCOPES,
    requiredScopes: SCOPE_LIST,
    scopeErrors: list(
      object<NonNullable<EntryOAuth2['scopeErrors']>[number]>({ ...AUTH_ERROR, scopes: PATH }, [
        'scopes',
      ]),
      20,
    ),
    incremental: { const: true },
    pkce: { const: false },
    authorizeParams: ref('params'),
    tokenParams: ref('params'),
    refreshParams: ref('params'),
    refreshUrl: ADDRESS,
    renew: object<NonNullable<EntryOAuth2['renew']>>(
      {
        ...EXCHANGE,
        first: object<typeof EXCHANGE>(EXCHANGE, ['url', 'params']),
      },
      ['url', 'params'],
    ),
    revoke: REVOKE,
    revokes: { enum: ['token', 'grant'] },
    par: ADDRESS,
    callbackParams: NAMES,
    tokenResponse: NAMES,
    paramNames: object<NonNullable<EntryOAuth2['paramNames']>>({
      client_id: PARAM_NAME,
      client_secret: PARAM_NAME,
      code: PARAM_NAME,
      redirect_uri: PARAM_NAME,
      refresh_token: PARAM_NAME,
    }),
    redirectName: text(50),
    appSetup: list(text(300, { pattern: '\\S' }), 10),
    client: CLIENT,
    body: BODY,
    issuer: HTTPS,
    refresh: { const: 'always' },
    refreshErrors: list(
      object<NonNullable<EntryOAuth2['refreshErrors']>[number]>(
        { ...AUTH_ERROR, means: { enum: ['temporary', 'ended', 'client'] } },
        ['means'],
      ),
      20,
    ),
  },
  ['authorize', 'token'],
)

const MCP = object<EntryMcp>(
  {
    ...AUTH_OPTIONS,
    mcp: text(1_000, { pattern: '^(?:https://|\\$\\{)[^?#\\s]+$' }),
    scopes: ref('scopes'),
  },
  ['mcp'],
)

const BASIC = object<EntryBasic>({ ...METHOD_OPTIONS, basic: text(500, { pattern: ':' }) }, [
  'basic',
])

const CLIENT_CREDENTIALS = object<EntryClientCredentials>(
  {
    ...AUTH_OPTIONS,
    clientCredentials: object<EntryClientCredentials['clientCredentials']>(
      {
        token: ADDRESS,
        scopes: ref('scopes'),
        params: ref('templates'),
        client: CLIENT,
        body: BODY,
      },
      ['token'],
    ),
  },
  ['clientCredentials'],
)

const LOGIN = object<EntryLogin>(
  {
    ...AUTH_OPTIONS,
    login: object<EntryLogin['login']>({ ...REQUEST, basic: text(500), token: PATH }),
  },
  ['login'],
)

const KEY_OR_NOTHING = object<typeof AUTH_OPTIONS>(AUTH_OPTIONS)

/** `properties` decides which method an authentication is, so that an error names what is wrong with that one. */
function choose(
  choices: readonly (readonly [property: string, schema: JsonSchema])[],
  rest: JsonSchema,
): JsonSchema {
  return choices.reduceRight<JsonSchema>(
    (otherwise, [property, schema]) => ({
      if: { type: 'object', required: [property] },
      // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema.
      then: schema,
      else: otherwise,
    }),
    rest,
  )
}

const DEFINITIONS: Readonly<Record<Shared, JsonSchema>> = {
  after: FACTS,
  check: CHECK,
  expected: EXPECTED,
  fields: FIELDS,
  headers: HEADERS,
  identity: IDENTITY,
  params: PARAMS,
  revocation: REVOCATION,
  scopes: SCOPES,
  templates: TEMPLATES,
}

/** The JSON Schema of an entry. What it cannot say, such as hosts that cover a URL, `lintEntry` says. */
export const ENTRY_SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'An integration of Linchpin as data',
  ...object<Entry>(
    {
      $schema: { type: 'string' },
      runtime: { type: 'integer', minimum: 1, maximum: 1_000 },
      key: text(64, { pattern: '^[a-z][a-z0-9]*(_[a-z0-9]+)*$' }),
      name: text(100),
      aliases: list(text(50), 10),
      icon: text(64, { pattern: '^[a-z0-9]+$' }),
      category: { enum: CATEGORIES },
      version: text(64, { pattern: '^\\d+\\.\\d+\\.\\d+(?:-[\\w.-]+)?$' }),
      docs: HTTPS,
      register: HTTPS,
      hosts: { anyOf: [list(text(253), 50), { const: 'any' }] },
      base: ADDRESS,
      headers: ref('headers'),
      fields: ref('fields'),
      auth: map(
        choose(
          [
            ['authorize', OAUTH2],
            ['mcp', MCP],
            ['basic', BASIC],
            ['clientCredentials', CLIENT_CREDENTIALS],
            ['login', LOGIN],
          ],
          KEY_OR_NOTHING,
        ),
        20,
      ),
      check: ref('check'),
      identity: ref('identity'),
      after: ref('after'),
      authErrors: list(object<NonNullable<Entry['authErrors']>[number]>(AUTH_ERROR), 20),
      retry: object<NonNullable<Entry['retry']>>(
        { remaining: HEADER_NAME, reset: HEADER_NAME, unit: { enum: ['epoch', 'seconds'] } },
        ['remaining'],
      ),
      // The lint says it in words.
      checkInterval: { type: 'integer', minimum: 0, maximum: 604_800 },
      getMayWrite: { const: true },
    },
    ['runtime', 'key', 'name', 'category', 'version', 'hosts', 'auth', 'check'],
  ),
  $defs: DEFINITIONS,
}
