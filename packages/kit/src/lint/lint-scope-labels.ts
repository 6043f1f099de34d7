import type { AuthMethod } from '../auth/auth-method.ts'

/** Limits of the server: a spec beyond them is rejected. */
const MAX_LABELS = 100
const MAX_LENGTH = 200

/** Lints the labels of scopes: limits, empty texts, and requested scopes that would be shown by their name. */
export function lintScopeLabels({ spec, scopes }: AuthMethod): string[] {
  const { 'x-scope-labels': labels, 'x-i18n': i18n = {} } = spec
  const unlabelled = (scopes?.names ?? []).filter(
    (scope) => !TECHNICAL_SCOPES.has(scope) && !Object.hasOwn(labels ?? {}, scope),
  )
  return [
    ...(labels === undefined ? [] : lintLabels('scopeLabels', labels)),
    ...(labels === undefined ? [] : unlabelled.map((scope) => `scope ${scope} has no label.`)),
    ...Object.entries(i18n).flatMap(([language, texts]) => [
      ...(/^[a-z]{2,3}$/.test(language)
        ? []
        : [`i18n.${language} is not a language such as de or pt.`]),
      ...lintLabels(`i18n.${language}`, texts['x-scope-labels'] ?? {}),
    ]),
  ]
}

function lintLabels(name: string, labels: Readonly<Record<string, string>>): string[] {
  const entries = Object.entries(labels)
  return [
    ...(entries.length <= MAX_LABELS ? [] : [`${name} has more than ${MAX_LABELS} scopes.`]),
    ...entries
      .filter(([scope, label]) => scope === '' || label.trim() === '')
      .map(([scope]) => `${name} has an empty text for scope "${scope}".`),
    ...entries
      .filter(([scope, label]) => Math.max(scope.length, label.length) > MAX_LENGTH)
      .map(([scope]) => `${name} has more than ${MAX_LENGTH} characters for scope ${scope}.`),
  ]
}

/** Scopes of the protocol that the connect page shows only with a label. */
const TECHNICAL_SCOPES: ReadonlySet<string> = new Set([
  'oauth',
  'offline',
  'offline_access',
  'openid',
  'refresh_token',
])
