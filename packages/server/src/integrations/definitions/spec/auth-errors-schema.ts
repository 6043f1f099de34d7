import { AUTH_ERROR_LIMITS, parseFieldPath } from '../../oauth/spec/response-rules.ts'

const scalarTypes = ['string', 'number', 'boolean', 'null']
const valueLength = { minLength: 1, maxLength: AUTH_ERROR_LIMITS.characters }
/** Without a condition for the body: any other status would make every such response an invalid credential. */
const clientError = { minimum: 400, maximum: 499, items: { minimum: 400, maximum: 499 } }
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
export const AUTH_ERRORS_SCHEMA = {
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
export const REFRESH_ERRORS_SCHEMA = {
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

/** Whether the text is a valid path of a rule. */
export function isAuthErrorPath(path: string): boolean {
  if (path === '' || path.length > AUTH_ERROR_LIMITS.characters) return false
  const steps = parseFieldPath(path)
  return steps.length <= AUTH_ERROR_LIMITS.steps && steps.every((step) => step !== '')
}
