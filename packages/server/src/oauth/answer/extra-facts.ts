import { type AnswerFields, asFields } from './answer-body.ts'

/**
 * Plain facts of a token answer beside the tokens: at most 20 texts (up to 500 characters), numbers and booleans; those
 * one level down get a name with a dot (`team.id`). Tokens, secrets and names of our own are left out.
 */
export function extraFacts(answers: readonly AnswerFields[]): Record<string, Fact> {
  const facts = new Map<string, Fact>()
  for (const fields of answers) {
    for (const [name, value] of Object.entries(fields).flatMap(flattened)) {
      if (facts.size >= MOST || facts.has(name)) continue
      if (isName(name) && isFact(value)) facts.set(name, value)
    }
  }
  return Object.fromEntries(facts)
}

type Fact = string | number | boolean

const MOST = 20
const LONGEST = 500
const OURS: ReadonlySet<string> = new Set([
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

function flattened([name, value]: [string, unknown]): [string, unknown][] {
  const inner = asFields(value)
  if (inner === undefined) return [[name, value]]
  return Object.entries(inner).map(([last, each]) => [`${name}.${last}`, each])
}

function isName(name: string): boolean {
  if (!/^[A-Za-z][\w.-]{0,63}$/.test(name) || name in Object.prototype) return false
  const last = name.slice(name.lastIndexOf('.') + 1).toLowerCase()
  return !OURS.has(last) && !/token|secret|password|assertion|jwt|api_?key/.test(last)
}

function isFact(value: unknown): value is Fact {
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value === 'boolean') return true
  return typeof value === 'string' && /^[^\p{Cc}\p{Cs}]*$/u.test(value) && value.length <= LONGEST
}
