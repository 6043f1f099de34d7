import { MAX_REVOCATION_REQUESTS } from '@linchpin/kit/entry'
import type { InputProperty } from '@linchpin/runner'
import { MAX_CALLBACK_PARAMS } from '../../oauth/authorize/authorization-response.ts'
import {
  AUTH_ERROR_LIMITS,
  PARAM_NAMES,
  parseFieldPath,
} from '../../oauth/spec/parse-oauth-type.ts'

const text = { type: 'string', maxLength: 4_096 }
const translation = { ...text, pattern: '\\S' }
const truncateText = { type: 'string', maxLength: 100 }
const nameLength = { minLength: 1, maxLength: 100 }
/** A URL that may contain `${name}`. Empty counts as absent. */
const url = { ...text, format: 'url-template' }
/** Maximum length of strings. Everything else is limited by the size of the whole spec. */
const paramName = { type: 'string', pattern: '^[A-Za-z][A-Za-z0-9_.-]{0,63}$' }
const params = {
  type: 'object',
  maxProperties: 50,
  propertyNames: nameLength,
  additionalProperties: { maxLength: 4_096 },
}

/** Limits of the labels of scopes. */
export const SCOPE_LABEL_LIMITS = { scopes: 100, characters: 200 }

const scopeLabels = {
  type: 'object',
  maxProperties: SCOPE_LABEL_LIMITS.scopes,
  propertyNames: { minLength: 1, maxLength: SCOPE_LABEL_LIMITS.characters },
  additionalProperties: { ...translation, maxLength: SCOPE_LABEL_LIMITS.characters },
}

/** Texts in other languages. A misspelled member would never be shown. */
function translations(properties: object) {
  return {
    type: 'object',
    maxProperties: 50,
    propertyNames: { pattern: '^[a-z]{2,3}$' },
    additionalProperties: {
      type: 'object',
      minProperties: 1,
      additionalProperties: false,
      properties,
    },
  }
}

/** A field of a form. */
export const PROPERTY_SCHEMA = {
  type: 'object',
  properties: {
    type: {},
    title: text,
    description: text,
    enum: { type: 'array' },
    const: {},
    // Lists of constants are read; other values are allowed but ignored.
    oneOf: {},
    anyOf: {},
    format: text,
    pattern: text,
    default: {},
    minLength: { type: 'integer', minimum: 0 },
    maxLength: { type: 'integer', minimum: 0 },
    minimum: { type: 'number' },
    maximum: { type: 'number' },
    writeOnly: { type: 'boolean' },
    'x-placeholder': text,
    'x-help-url': text,
    'x-order': { type: 'number' },
    'x-secret': { type: 'boolean' },
    'x-labels': { type: 'object', additionalProperties: text },
    'x-i18n': translations({
      title: translation,
      description: translation,
      'x-placeholder': translation,
      'x-labels': { type: 'object', additionalProperties: translation },
    }),
  },
}

/** The fields of an auth type, or the fields shared by all auth types. */
export const INPUT_SCHEMA = {
  type: 'object',
  properties: {
    type: { const: 'object' },
    required: { type: 'array', items: text },
    properties: {
      type: 'object',
      propertyNames: nameLength,
      additionalProperties: PROPERTY_SCHEMA,
    },
  },
}

/** Without a condition for the body: any other status would make every such response an invalid credential. */
const clientError = { minimum: 400, maximum: 499, items: { minimum: 400, maximum: 499 } }

const scalarTypes = ['string', 'number', 'boolean', 'null']

const valueLength = { minLength: 1, maxLength: AUTH_ERROR_LIMITS.characters }

const ruleProperties = {
  status: {
    type: ['integer', 'array'],
    minimum: 100,
    maximum: 599,
    minItems: 1,
    maxItems: AUTH_ERROR_LIMITS.values,
    items: { type: 'integer', minimum: 100, maximum: 599 },
  },
  match: {
    type: 'object',
    minProperties: 1,
    maxProperties: AUTH_ERROR_LIMITS.paths,
    propertyNames: { format: 'auth-error-path' },
    additionalProperties: {
      type: [...scalarTypes, 'array', 'object'],
      ...valueLength,
      minItems: 1,
      maxItems: AUTH_ERROR_LIMITS.values,
      items: { type: scalarTypes, ...valueLength },
      required: ['startsWith'],
      properties: { startsWith: { type: 'string', ...valueLength } },
      additionalProperties: false,
    },
  },
}

/** Responses that mean invalid credentials. Unknown members are rejected, because ignoring one would widen the rule. */
const AUTH_ERRORS_SCHEMA = {
  type: 'array',
  maxItems: AUTH_ERROR_LIMITS.rules,
  items: {
    type: 'object',
    anyOf: [{ required: ['match'] }, { required: ['status'], properties: { status: clientError } }],
    additionalProperties: false,
    properties: ruleProperties,
  },
}

/** What responses to a refresh mean. A rule has a status, a match, or both. */
const REFRESH_ERRORS_SCHEMA = {
  type: 'array',
  maxItems: AUTH_ERROR_LIMITS.rules,
  items: {
    type: 'object',
    required: ['means'],
    anyOf: [{ required: ['match'] }, { required: ['status'] }],
    additionalProperties: false,
    properties: { ...ruleProperties, means: { enum: ['temporary', 'ended', 'client'] } },
  },
}

/** Responses that mean that scopes are missing, as for {@link AUTH_ERRORS_SCHEMA}. */
const SCOPE_ERRORS_SCHEMA = {
  ...AUTH_ERRORS_SCHEMA,
  items: {
    ...AUTH_ERRORS_SCHEMA.items,
    required: ['scopes'],
    properties: { ...ruleProperties, scopes: { type: 'string', format: 'auth-error-path' } },
  },
}

const scopeList = {
  type: 'array',
  maxItems: 200,
  items: { type: 'string', minLength: 1, maxLength: 255, pattern: '\\S' },
}

const GRANTED_SCOPES_SCHEMA = {
  type: 'object',
  additionalProperties: false,
  properties: {
    separator: { type: 'string', minLength: 1, maxLength: 10 },
    prefix: { type: 'string', minLength: 1, maxLength: 255, pattern: '\\S' },
    implied: {
      type: 'object',
      maxProperties: 200,
      propertyNames: { minLength: 1, maxLength: 255 },
      additionalProperties: scopeList,
    },
    unreported: scopeList,
  },
}

const templates = {
  type: 'object',
  maxProperties: 50,
  propertyNames: nameLength,
  additionalProperties: text,
}

/** Requests that revoke tokens. Unknown members are rejected: ignoring one would send another request. */
const REVOCATION_SCHEMA = {
  type: 'array',
  minItems: 1,
  maxItems: MAX_REVOCATION_REQUESTS,
  items: {
    type: 'object',
    required: ['url'],
    additionalProperties: false,
    properties: {
      method: { enum: ['DELETE', 'GET', 'POST'] },
      url: { ...url, minLength: 1 },
      query: templates,
      headers: { ...templates, propertyNames: { format: 'header-name' } },
      form: templates,
      json: templates,
      auth_method: { enum: ['body', 'header'] },
      ...ruleProperties,
    },
  },
}

const factTexts = {
  title: { ...translation, maxLength: 100 },
  hint: { ...translation, maxLength: 500 },
}

/** What a connection has to know after it has been made. */
const FACTS_SCHEMA = {
  type: 'array',
  maxItems: 5,
  items: {
    type: 'object',
    required: ['name', 'title'],
    additionalProperties: false,
    properties: {
      name: { type: 'string', format: 'callback-name' },
      ...factTexts,
      pick: { enum: ['ask', 'all', 'first'] },
      'x-i18n': translations(factTexts),
    },
  },
}

const exchangeProperties = {
  url,
  params: {
    type: 'object',
    maxProperties: 50,
    propertyNames: nameLength,
    additionalProperties: text,
  },
}
const exchange = { type: 'object', required: ['url', 'params'], additionalProperties: false }

/** How access tokens are exchanged for newer ones. An unknown member could be one without which the request means something else. */
const EXCHANGE_SCHEMA = {
  ...exchange,
  properties: { ...exchangeProperties, first: { ...exchange, properties: exchangeProperties } },
}

/** An auth type. */
export const AUTH_SCHEMA = {
  type: 'object',
  properties: {
    input_specification: INPUT_SCHEMA,
    headers: { type: 'object', additionalProperties: text },
    query: {
      type: 'object',
      maxProperties: 30,
      propertyNames: { minLength: 1, maxLength: 200 },
      additionalProperties: text,
    },
    api_base_url: url,
    authorization_url: url,
    token_url: url,
    discovery: { enum: ['mcp'] },
    server_url: url,
    refresh_url: url,
    revocation_url: url,
    pushed_authorization_request_url: url,
    authorization_params: params,
    token_params: params,
    refresh_params: params,
    callback_params: {
      type: 'array',
      maxItems: MAX_CALLBACK_PARAMS,
      uniqueItems: true,
      items: { type: 'string', format: 'callback-name' },
    },
    'x-renew': EXCHANGE_SCHEMA,
    'x-param-names': {
      type: 'object',
      additionalProperties: false,
      properties: Object.fromEntries(PARAM_NAMES.map((name) => [name, paramName])),
    },
    'x-redirect-name': { type: 'string', minLength: 1, maxLength: 50, pattern: '\\S' },
    default_scopes: { type: 'array', maxItems: 500, items: text },
    scope_separator: truncateText,
    scope_seperator: truncateText,
    token_request_auth_method: truncateText,
    authorization_method: truncateText,
    body_format: truncateText,
    disable_pkce: { enum: [true, false, 'true', 'false'] },
    'x-app-setup': {
      type: 'array',
      maxItems: 10,
      items: { type: 'string', minLength: 1, maxLength: 300, pattern: '\\S' },
    },
    'x-issuer': text,
    'x-refresh': { enum: ['always'] },
    'x-auth-errors': AUTH_ERRORS_SCHEMA,
    'x-refresh-errors': REFRESH_ERRORS_SCHEMA,
    'x-granted-scopes': GRANTED_SCOPES_SCHEMA,
    'x-required-scopes': scopeList,
    'x-scope-errors': SCOPE_ERRORS_SCHEMA,
    'x-incremental': { type: 'boolean' },
    'x-headers': { enum: ['complete'] },
    'x-scope-labels': scopeLabels,
    'x-i18n': translations({ 'x-scope-labels': scopeLabels }),
    'x-revokes': { enum: ['token', 'grant'] },
    'x-revocation': REVOCATION_SCHEMA,
    'x-facts': FACTS_SCHEMA,
  },
  if: { required: ['x-headers'], properties: { 'x-headers': { const: 'complete' } } },
  // biome-ignore lint/suspicious/noThenProperty: JSON Schema keyword
  then: { required: ['headers'] },
}

const HEADER_NAME = { type: 'string', pattern: "^[\\w!#$%&'*+.^`|~-]{1,100}$" }

/** The result of SPEC. Unknown fields are allowed and ignored. */
export const SPEC_SCHEMA = {
  type: 'object',
  required: ['auth_specification'],
  properties: {
    auth_specification: {
      type: 'object',
      minProperties: 1,
      propertyNames: nameLength,
      additionalProperties: AUTH_SCHEMA,
    },
    other_inputs: { type: 'object', properties: { input_specification: INPUT_SCHEMA } },
    // An invalid version counts as absent.
    version: {},
    api_base_url: url,
    'x-auth-errors': AUTH_ERRORS_SCHEMA,
    'x-rate-limit': {
      type: 'object',
      required: ['remaining'],
      properties: {
        remaining: HEADER_NAME,
        reset: HEADER_NAME,
        unit: { enum: ['epoch', 'seconds'] },
      },
    },
    'x-check-interval': {
      anyOf: [{ const: 0 }, { type: 'integer', minimum: 900, maximum: 604_800 }],
    },
    'x-get-may-write': { type: 'boolean' },
    'x-hosts': { type: 'array', maxItems: 100, items: { type: 'string', maxLength: 253 } },
  },
}

/** Whether the text is a valid path of a rule. */
export function isAuthErrorPath(path: string): boolean {
  if (path === '' || path.length > AUTH_ERROR_LIMITS.characters) return false
  const steps = parseFieldPath(path)
  return steps.length <= AUTH_ERROR_LIMITS.steps && steps.every((step) => step !== '')
}

/** Whether the spec says that the values of a field are secret. */
export function isDeclaredSecret({
  format,
  writeOnly,
  'x-secret': isSecret,
}: InputProperty): boolean {
  return format === 'password' || writeOnly === true || isSecret === true
}

/** The key of an enum value in `x-labels` and in forms. Enum values may be objects, which String() would not serialize. */
export function getOptionKey(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
