import type { Definition } from '../definition.ts'
import type { DeclaredCheck } from '../spec/check-rules.ts'

/** Lints a declared check: requests that cannot be sent, rules that match everything. */
export function lintCheck(check: Definition['check']): string[] {
  if (typeof check === 'function') return []
  const { path, method = 'GET', body, form, errors = [] }: DeclaredCheck = check
  const hasBody = body !== undefined || form !== undefined
  const rules: [boolean, string][] = [
    [typeof path === 'string', 'check needs a path.'],
    [/^[A-Z]+$/.test(method), `check has the invalid method "${method}".`],
    [
      body === undefined || form === undefined,
      'check has both a body and a form: use one of them.',
    ],
    [
      !hasBody || check.method === undefined || !/^(?:GET|HEAD)$/.test(method),
      `check sends a body with ${method}: use POST, or omit the method.`,
    ],
    [
      errors.every(({ status, match, headers }) => status ?? match ?? headers),
      'a rule matches every response: add a status, a match or headers.',
    ],
  ]
  return rules.filter(([isValid]) => !isValid).map(([, message]) => message)
}
