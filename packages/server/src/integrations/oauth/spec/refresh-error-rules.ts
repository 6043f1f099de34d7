import type { RefreshErrorRule } from '@linchpin/runner'
import {
  AUTH_ERROR_LIMITS,
  type CompiledResponseRule,
  compileResponseRule,
  matchesResponseRule,
} from './response-rules.ts'

/** The compiled rules of `x-refresh-errors`, in their order. */
export type RefreshErrorRules = readonly (CompiledResponseRule & {
  readonly means: RefreshErrorRule['means']
})[]

/** Compiles `x-refresh-errors` of an auth type. Skips invalid rules, because older stored specs were not validated. */
export function compileRefreshErrors(rules: unknown): RefreshErrorRules {
  const list: readonly (Partial<RefreshErrorRule> | null)[] = Array.isArray(rules) ? rules : []
  return list.slice(0, AUTH_ERROR_LIMITS.rules).flatMap((rule) => {
    const compiled = compileResponseRule(rule)
    const means = MEANINGS.find((each) => each === rule?.means)
    return compiled === undefined || means === undefined ? [] : [{ ...compiled, means }]
  })
}

/** What the first matching rule says; undefined if none matches. The rules of the integration come before ours. */
export function getDeclaredMeaning(
  rules: RefreshErrorRules | undefined,
  status: number,
  body: unknown,
): RefreshErrorRule['means'] | undefined {
  if (rules === undefined) return undefined
  return [...rules, ...COMMON_RULES].find((rule) => matchesResponseRule(rule, status, body))?.means
}

const MEANINGS = ['temporary', 'ended', 'client'] as const

/**
 * Meta's numeric codes, for Facebook, Instagram and Threads: the same in every product of it, and `OAuthException` is the type of
 * all errors. 102 and 190: the token or the session has ended. 101: the app. The others are outages and limits.
 */
const COMMON_RULES: RefreshErrorRules = compileRefreshErrors([
  { match: { 'error.is_transient': true }, means: 'temporary' },
  {
    match: { 'error.type': 'OAuthException', 'error.code': [2, 4, 17, 32, 341, 613] },
    means: 'temporary',
  },
  { match: { 'error.type': 'OAuthException', 'error.code': [102, 190] }, means: 'ended' },
  { match: { 'error.type': 'OAuthException', 'error.code': 101 }, means: 'client' },
])
