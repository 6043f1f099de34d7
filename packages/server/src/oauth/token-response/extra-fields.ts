import { asObject, type ResponseFields } from './parse-response-body.ts'

/**
 * Plain values of a token response besides the tokens: at most 20 strings (up to 500 characters), numbers and booleans.
 * Values one level down get a dotted name (`team.id`). Tokens, secrets and reserved names are dropped.
 */
export function extraFields(responses: readonly ResponseFields[]): Record<string, ExtraValue> {
  const extra = new Map<string, ExtraValue>()
  for (const fields of responses) {
    for (const [name, value] of Object.entries(fields).flatMap(flattenField)) {
      if (extra.size >= MAX_FIELDS || extra.has(name)) continue
      if (isAllowedName(name) && isExtraValue(value)) extra.set(name, value)
    }
  }
  return Object.fromEntries(extra)
}

type ExtraValue = string | number | boolean

const MAX_FIELDS = 20
const MAX_VALUE_LENGTH = 500
const RESERVED_NAMES: ReadonlySet<string> = new Set([
  'api_key',
  'authtype',
  'client_id',
  'code',
  'error',
  'error_description',
  'expires',
  'expires_at',
  'expires_in',
  'expiresat',
  'expiresin',
  'ok',
  'redirect_uri',
  'scope',
  'scopes',
  'state',
  'success',
])

function flattenField([name, value]: [string, unknown]): [string, unknown][] {
  const inner = asObject(value)
  if (inner === undefined) return [[name, value]]
  return Object.entries(inner).map(([last, each]) => [`${name}.${last}`, each])
}

function isAllowedName(name: string): boolean {
  if (!/^[A-Za-z][\w.-]{0,63}$/.test(name) || name in Object.prototype) return false
  const last = name.slice(name.lastIndexOf('.') + 1).toLowerCase()
  return !RESERVED_NAMES.has(last) && !/token|secret|password|assertion|jwt|api_?key/.test(last)
}

function isExtraValue(value: unknown): value is ExtraValue {
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value === 'boolean') return true
  return (
    typeof value === 'string' &&
    /^[^\p{Cc}\p{Cs}]*$/u.test(value) &&
    value.length <= MAX_VALUE_LENGTH
  )
}
