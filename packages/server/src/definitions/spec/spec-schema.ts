import { AUTH_ERROR_LIMITS } from './auth-error-path.ts'
import { MAX_CALLBACK_PARAMS } from './callback-param-name.ts'

const text = { type: 'string', maxLength: 4_096 }
const shortText = { type: 'string', maxLength: 100 }
const nameLength = { minLength: 1, maxLength: 100 }
/** A URL in which `${name}` may stand; an empty one counts as absent. */
const url = { ...text, format: 'url-template' }
/** Values that are texts are capped here, everything else by the caps of the whole spec. */
const params = {
  type: 'object',
  maxProperties: 50,
  propertyNames: nameLength,
  additionalProperties: { maxLength: 4_096 },
}

const scalarTypes = ['string', 'number', 'boolean', 'null']
const valueLength = { minLength: 1, maxLength: AUTH_ERROR_LIMITS.characters }
/** Answers that say that credentials do not work any more. A member that is not known would make a rule wider. */
const AUTH_ERRORS_SCHEMA = {
  type: 'array',
  maxItems: AUTH_ERROR_LIMITS.rules,
  items: {
    type: 'object',
    required: ['match'],
    additionalProperties: false,
    properties: {
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
    },
  },
}

/** A field that a person fills in. */
export const PROPERTY_SCHEMA = {
  type: 'object',
  properties: {
    type: {},
    title: text,
    description: text,
    enum: { type: 'array' },
    const: {},
    // Of these, lists of constants are read; whatever else stands there passes.
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
  },
}

/** The fields of an auth type, or those that every auth type needs. */
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

/** One way to authenticate. */
export const AUTH_SCHEMA = {
  type: 'object',
  properties: {
    input_specification: INPUT_SCHEMA,
    headers: { type: 'object', additionalProperties: text },
    api_base_url: url,
    authorization_url: url,
    token_url: url,
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
    default_scopes: { type: 'array', maxItems: 500, items: text },
    scope_separator: shortText,
    scope_seperator: shortText,
    token_request_auth_method: shortText,
    authorization_method: shortText,
    body_format: shortText,
    disable_pkce: { enum: [true, false, 'true', 'false'] },
    'x-issuer': text,
    'x-refresh': { enum: ['always'] },
    'x-auth-errors': AUTH_ERRORS_SCHEMA,
    'x-headers': { enum: ['complete'] },
    'x-revokes': { enum: ['token', 'grant'] },
  },
  if: { required: ['x-headers'], properties: { 'x-headers': { const: 'complete' } } },
  // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
  then: { required: ['headers'] },
}

/** What SPEC answers (design section 3). Fields that are not named here pass and are not read. */
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
    // An odd one counts as none.
    version: {},
    api_base_url: url,
    'x-auth-errors': AUTH_ERRORS_SCHEMA,
    'x-hosts': { type: 'array', maxItems: 100, items: { type: 'string', maxLength: 253 } },
  },
}
