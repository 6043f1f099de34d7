import type { Definition } from '../definition.ts'
import type { DeclaredCheck } from '../spec/check-rules.ts'

/** What is wrong with a declared check, whatever it is for: requests that cannot be sent, rules that fit everything. */
export function lintCheck(check: Definition['check']): string[] {
  if (typeof check === 'function') return []
  const { path, method = 'GET', body, form, errors = [] }: DeclaredCheck = check
  const hasBody = body !== undefined || form !== undefined
  const rules: [boolean, string][] = [
    [typeof path === 'string', 'check needs a path.'],
    [/^[A-Z]+$/.test(method), `check has "${method}" as its method.`],
    [body === undefined || form === undefined, 'check has a body and a form: one request has one.'],
    [
      !hasBody || check.method === undefined || !/^(?:GET|HEAD)$/.test(method),
      `check sends a body with ${method}: say POST, or leave the method out.`,
    ],
    [
      errors.every(({ status, match, headers }) => status ?? match ?? headers),
      'a rule fits every answer: say a status, a match or headers.',
    ],
  ]
  return rules.filter(([isValid]) => !isValid).map(([, message]) => message)
}
