import type { InputProperty, Spec } from '@linchpin/runner/protocol'

/** What is wrong with the fields of any spec: words that people miss, secrets that nobody marked. */
export function lintFields(spec: Spec): string[] {
  const shared = spec.other_inputs?.input_specification?.properties ?? {}
  const places = Object.entries(spec.auth_specification).map(
    ([name, auth]) => [name, auth.input_specification?.properties ?? {}] as const,
  )
  return [['inputs', shared] as const, ...places].flatMap(([place, fields]) =>
    Object.entries(fields).flatMap(([name, field]) =>
      lintField(name, field).map((fault) => `${place}: field ${name} ${fault}`),
    ),
  )
}

function lintField(name: string, field: InputProperty): string[] {
  const isHidden = field.format === 'password' || field.writeOnly === true
  const isSecret = isHidden || field['x-secret'] === true
  const shown = field['x-placeholder']
  const help = field['x-help-url']
  const faults: [boolean, string][] = [
    [/^[a-z][a-z0-9_]*$/i.test(name), 'must be named with letters, digits and _.'],
    [Boolean(field.title?.trim()), 'has no title.'],
    [
      isSecret || !SECRET_NAME.test(name),
      'sounds like a secret: make it secret(…), or say isSecret.',
    ],
    [!isHidden || Boolean(field.description || help), 'has no help: say where people find it.'],
    [help === undefined || /^https:\/\//.test(help), 'has a helpUrl that is not https.'],
    [
      field.pattern === undefined || isPattern(field.pattern),
      'has a pattern that is no regular expression.',
    ],
    [fits(shown, field.pattern), 'has a placeholder that its pattern refuses.'],
  ]
  return faults.filter(([isFine]) => !isFine).map(([, fault]) => fault)
}

const SECRET_NAME = /(?:^|_)(?:api_?key|key|token|secret|password|passphrase|pat)$/i

function isPattern(pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u') instanceof RegExp
  } catch {
    return false
  }
}

function fits(shown: string | undefined, pattern: string | undefined): boolean {
  if (shown === undefined || pattern === undefined || /…/.test(shown)) return true
  return !isPattern(pattern) || new RegExp(pattern, 'u').test(shown)
}
