import type { ApiKeyOptions } from '../auth/api-key.ts'
import type { AuthOptions } from '../auth/auth-method.ts'
import type { BasicOptions } from '../auth/basic.ts'
import type { BearerOptions } from '../auth/bearer.ts'
import type { ClientCredentialsOptions } from '../auth/client-credentials.ts'
import type { JwtBearerOptions } from '../auth/jwt-bearer.ts'
import type { LoginRequest } from '../auth/log-in.ts'
import type { McpServerOptions } from '../auth/mcp-server.ts'
import type { OAuth2Options } from '../auth/oauth2.ts'
import type { RevocationTemplate } from '../auth/revocation.ts'
import type { TwoStepLoginOptions } from '../auth/two-step-login.ts'
import type { Definition } from '../definition.ts'
import type {
  DeclaredCheck,
  DeclaredIdentity,
  ErrorRule,
  RequestTemplate,
} from '../spec/check-rules.ts'
import type { DeclaredFact } from '../spec/facts.ts'
import type { FieldOptions, Fields, Translation } from '../spec/field.ts'
import type { KeyTree } from './find-unknown-keys.ts'

/** A tree with every key of a type: a key that the type gains or loses is a type error here. */
type KeysOf<T> = Record<keyof Required<T>, true | KeyTree>

const REQUEST = {
  method: true,
  path: true,
  query: true,
  headers: true,
  body: true,
  form: true,
} as const satisfies KeysOf<RequestTemplate>

const ERROR_RULE = {
  status: true,
  match: true,
  headers: true,
  code: true,
  field: true,
  hint: true,
} as const satisfies KeysOf<ErrorRule>

const CHECK = {
  ...REQUEST,
  expect: true,
  ok: { path: true, equals: true },
  errors: ERROR_RULE,
} as const satisfies KeysOf<DeclaredCheck>

const IDENTITY = {
  ...REQUEST,
  id: true,
  label: true,
  avatarUrl: true,
  scopes: true,
} as const satisfies KeysOf<DeclaredIdentity>

const FACT = {
  ...REQUEST,
  name: true,
  title: true,
  claim: true,
  list: true,
  value: true,
  label: true,
  where: true,
  pick: true,
  hint: true,
  i18n: { '*': { title: true, hint: true } },
} as const satisfies KeysOf<DeclaredFact>

const REVOCATION = {
  method: true,
  url: true,
  query: true,
  headers: true,
  body: true,
  form: true,
  clientAuthentication: true,
  expect: true,
  ok: { path: true, equals: true },
} as const satisfies KeysOf<RevocationTemplate>

const LOGIN = {
  url: true,
  method: true,
  headers: true,
  basic: true,
  body: true,
  form: true,
} as const satisfies KeysOf<LoginRequest>

const AUTH = {
  apiBaseUrl: true,
  check: CHECK,
  identity: IDENTITY,
  after: FACT,
} as const satisfies KeysOf<AuthOptions>

const TRANSLATION = {
  label: true,
  help: true,
  placeholder: true,
  values: true,
} as const satisfies KeysOf<Translation>

/** The options of fields. */
export const FIELD_KEYS = {
  help: true,
  helpUrl: true,
  placeholder: true,
  pattern: true,
  optional: true,
  default: true,
  order: true,
  minLength: true,
  maxLength: true,
  isSecret: true,
  i18n: { '*': TRANSLATION },
} as const satisfies KeysOf<FieldOptions>

/** The options of each authentication method. */
export const AUTH_KEYS = {
  apiKey: {
    ...AUTH,
    in: true,
    name: true,
    prefix: true,
    fields: true,
    headers: true,
    query: true,
  } as const satisfies KeysOf<ApiKeyOptions<Fields>>,
  basic: {
    ...AUTH,
    fields: true,
    username: true,
    password: true,
  } as const satisfies KeysOf<BasicOptions<Fields>>,
  bearer: { ...AUTH, fields: true } as const satisfies KeysOf<BearerOptions<Fields>>,
  clientCredentials: {
    ...AUTH,
    headers: true,
    query: true,
    fields: true,
    tokenUrl: true,
    scopes: true,
    scopeSeparator: true,
    params: true,
    clientAuthentication: true,
    bodyFormat: true,
  } as const satisfies KeysOf<ClientCredentialsOptions<Fields>>,
  jwtBearer: {
    ...AUTH,
    headers: true,
    query: true,
    fields: true,
    algorithm: true,
    claims: true,
    header: true,
    lifetime: true,
    keyFile: true,
    tokenUrl: true,
    exchange: LOGIN,
    token: true,
  } as const satisfies KeysOf<JwtBearerOptions<Fields>>,
  mcpServer: {
    ...AUTH,
    headers: true,
    query: true,
    fields: true,
    serverUrl: true,
    scopes: true,
    scopeSeparator: true,
  } as const satisfies KeysOf<McpServerOptions<Fields>>,
  none: { ...AUTH, fields: true } as const satisfies KeysOf<AuthOptions & { fields: Fields }>,
  oauth2: {
    ...AUTH,
    headers: true,
    query: true,
    fields: true,
    prefix: true,
    issuer: true,
    authorizationUrl: true,
    tokenUrl: true,
    refreshUrl: true,
    renew: { url: true, params: true, first: { url: true, params: true } },
    revocationUrl: true,
    revocation: REVOCATION,
    parUrl: true,
    authorizationParams: true,
    tokenParams: true,
    refreshParams: true,
    callbackParams: true,
    tokenResponseParams: true,
    paramNames: {
      client_id: true,
      client_secret: true,
      code: true,
      redirect_uri: true,
      refresh_token: true,
    },
    redirectName: true,
    clientAuthentication: true,
    bodyFormat: true,
    pkce: true,
    refresh: true,
    refreshErrors: true,
    revokes: true,
    scopes: true,
    scopeSeparator: true,
    grantedScopes: { separator: true, prefix: true, implied: true, unreported: true },
    requiredScopes: true,
    appSetup: true,
    scopeErrors: true,
    incremental: true,
    scopeLabels: true,
    i18n: { '*': { 'x-scope-labels': true } },
  } as const satisfies KeysOf<OAuth2Options<Fields, string>>,
  twoStepLogin: {
    ...AUTH,
    headers: true,
    query: true,
    fields: true,
    token: true,
    login: LOGIN,
  } as const satisfies KeysOf<TwoStepLoginOptions<Fields>>,
}

/** The keys of a definition. Its fields and authentication methods are checked where they are created. */
export const DEFINITION_KEYS = {
  key: true,
  name: true,
  icon: true,
  category: true,
  version: true,
  stage: true,
  hosts: true,
  docs: true,
  auth: true,
  inputs: true,
  apiBaseUrl: true,
  headers: true,
  authErrors: true,
  retry: true,
  checkInterval: true,
  getMayWrite: true,
  check: CHECK,
  identity: IDENTITY,
  after: FACT,
  connected: true,
} as const satisfies KeysOf<Definition>
