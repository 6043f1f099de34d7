import { runInNewContext } from 'node:vm'
import type { InputProperty, Spec } from '@linchpin/runner/protocol'

/**
 * Lints the fields of any spec: missing texts, unmarked secrets, harmful patterns. `inHost`: names of fields that are
 * part of host names.
 */
export function lintFields(
  spec: Spec,
  hostFields: ReadonlySet<string> = new Set(),
  runsPatterns = true,
): string[] {
  const shared = spec.other_inputs?.input_specification?.properties ?? {}
  const authTypeFields = Object.entries(spec.auth_specification).map(
    ([name, auth]) => [name, auth.input_specification?.properties ?? {}] as const,
  )
  return [['inputs', shared] as const, ...authTypeFields].flatMap(([location, fields]) =>
    Object.entries(fields).flatMap(([name, field]) =>
      [
        ...lintField(name, field, hostFields.has(name)),
        ...(runsPatterns ? lintPatterns(field, hostFields.has(name)) : []),
      ].map((error) => `${location}: field ${name} ${error}`),
    ),
  )
}

function lintField(name: string, field: InputProperty, isInHost: boolean): string[] {
  const isHidden = field.format === 'password' || field.writeOnly === true
  const isSecret = isHidden || field['x-secret'] === true
  const help = field['x-help-url']
  const rules: [boolean, string][] = [
    [/^[a-z][a-z0-9_]*$/i.test(name), 'must be named with letters, digits and _.'],
    [Boolean(field.title?.trim()), 'has no title.'],
    [
      isSecret ||
        !(SECRET_NAME.test(toSnakeCase(name)) || SECRET_TITLE.test(field.title?.trim() ?? '')),
      'looks like a secret: declare it with secret(…), or set isSecret.',
    ],
    [
      !(isHidden || (isInHost && field.enum === undefined)) ||
        Boolean(field.description?.trim() || help),
      'has no help: explain where to find it.',
    ],
    [
      !isHidden || field.default === undefined,
      'is a secret with a default, which all users would share.',
    ],
    [field.enum?.length !== 0, 'is a list without values.'],
    [name !== 'authType', 'has a name that Linchpin reserves.'],
    [help === undefined || /^https:\/\//.test(help), 'has a helpUrl that is not https.'],
    [!(Number(field.minLength) > Number(field.maxLength)), 'has a minLength above its maxLength.'],
  ]
  return [
    ...lintTranslations(field),
    ...rules.filter(([isValid]) => !isValid).map(([, message]) => message),
  ]
}

function lintPatterns(field: InputProperty, isInHost: boolean): string[] {
  const { pattern, default: value, 'x-placeholder': placeholder } = field
  return [
    ...(matchesPattern(placeholder, pattern)
      ? []
      : ['has a placeholder that does not match its pattern.']),
    ...(matchesPattern(value, pattern) ? [] : ['has a default that does not match its pattern.']),
    ...lintPattern(pattern, isInHost),
  ]
}

/** Translations that would never be shown. */
function lintTranslations({ 'x-i18n': i18n = {}, enum: values = [] }: InputProperty): string[] {
  return Object.entries(i18n).flatMap(([language, { 'x-labels': labels = {}, ...texts }]) => {
    const unknown = Object.keys(labels).filter((value) => !values.map(String).includes(value))
    const all = [...Object.values(texts), ...Object.values(labels)]
    const rules: [boolean, string][] = [
      [/^[a-z]{2,3}$/.test(language), 'is not a language such as de or pt.'],
      [all.some((text) => text !== undefined), 'has no texts.'],
      [all.every((text) => text === undefined || text.trim() !== ''), 'has an empty text.'],
      [unknown.length === 0, `names values that the field does not have: ${unknown.join(', ')}.`],
    ]
    return rules
      .filter(([isValid]) => !isValid)
      .map(([, message]) => `has i18n.${language}, which ${message}`)
  })
}

const SECRET_NAME =
  /(?:^|_)(?:api_?key|key|token|secret|password|passwd|pwd|passphrase|credentials?|pat|pin)$/i
const SECRET_TITLE = /(?:^|\s)(?:api key|token|secret|password|passphrase|private key)$/i

/** `accessToken` as `access_token`. */
function toSnakeCase(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/g, '$1_$2')
}

function matchesPattern(sample: unknown, pattern: string | undefined): boolean {
  if (typeof sample !== 'string' || pattern === undefined || /…/.test(sample)) return true
  return !isPattern(pattern) || new RegExp(pattern, 'u').test(sample)
}

/** Lints the pattern of a field; empty if it is valid. `isInHost`: the field is part of a host name. */
function lintPattern(pattern: string | undefined, isInHost: boolean): string[] {
  if (pattern === undefined) return []
  if (!isPattern(pattern)) return ['has a pattern that is not a regular expression.']
  if (isSlow(pattern))
    return ['has a pattern that takes exponential time for some values: avoid nested repetition.']
  const allowsHostEscape =
    isInHost && HOST_ESCAPES.some((value) => new RegExp(pattern, 'u').test(value))
  return allowsHostEscape
    ? ['has a pattern that matches more than a host label: start it with ^ and end it with $.']
    : []
}

/** Returns true for a valid regular expression. */
function isPattern(pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u') instanceof RegExp
  } catch {
    return false
  }
}

const HOST_ESCAPES = ['acme/x', 'acme@x', 'acme?x', 'acme#x', 'acme x', 'acme\\x', 'a.b/c']

/** Measured, not estimated: runs the pattern with texts that almost match, with a timeout. */
function isSlow(pattern: string): boolean {
  const sandbox = { pattern, texts: ALMOST_MATCHING }
  try {
    runInNewContext('texts.some((text) => new RegExp(pattern, "u").test(text))', sandbox, {
      timeout: TIMEOUT_MS,
    })
    return false
  } catch {
    return true
  }
}

const REPEATS = 64

/** Texts that almost match a pattern: one with nested repetition takes exponential time for some of them. */
export const ALMOST_MATCHING: readonly string[] = [
  'a',
  'A',
  '0',
  'a.',
  'a-',
  '-',
  '.',
  '_',
  ' ',
  'aA0',
  '0a',
  'a@',
  '/',
  'é',
  'x.a',
].map((piece) => `${piece.repeat(REPEATS)}\u0000`)

const TIMEOUT_MS = 1_000
