import { type EgressStream, getHeader, type ScopeErrorRule, type Spec } from '@linchpin/runner'
import { readBearerChallenges } from '../../integrations/oauth/challenge.ts'
import {
  AUTH_ERROR_LIMITS,
  type CompiledResponseRule,
  compileResponseRule,
  matchesResponseRule,
  parseFieldPath,
  readFieldPath,
} from '../../integrations/oauth/spec/parse-oauth-type.ts'

/** A compiled rule of `x-scope-errors`. */
interface CompiledScopeRule extends CompiledResponseRule {
  /** Where the body names the scopes. */
  readonly names: readonly string[]
}

/**
 * The scopes for whose lack the provider refuses a request; undefined if that is not the reason. It says it with 403 and
 * the challenge of RFC 6750 section 3.1; in the headers of GitHub, on 403 and on 404, which it prefers for what is private; or as
 * the rules of the integration declare.
 *
 * @param peek parses the body, which only a rule with a condition needs
 */
export async function findScopeErrors(
  { status, rawHeaders }: Pick<EgressStream, 'status' | 'rawHeaders'>,
  rules: readonly CompiledScopeRule[],
  peek: () => Promise<unknown>,
): Promise<MissingScopes | undefined> {
  const named = status === 403 ? readChallenge(rawHeaders) : []
  if (named.length > 0) return { scopes: named, isAny: false }
  const accepted = status === 403 || status === 404 ? readAcceptedScopes(rawHeaders) : []
  if (accepted.length > 0) return { scopes: accepted, isAny: true }
  if (!rules.some(({ statuses }) => statuses === undefined || statuses.includes(status)))
    return undefined
  const body = await peek()
  const rule = rules.find((each) => matchesResponseRule(each, status, body))
  const scopes = rule && toNames(readFieldPath(body, rule.names).flatMap(splitNames))
  return scopes === undefined || scopes.length === 0 ? undefined : { scopes, isAny: false }
}

/** What a request lacks, in the words of the provider: at most 20 names, each a scope-token of RFC 6749. */
export interface MissingScopes {
  readonly scopes: readonly string[]
  /** Whether one of them is enough. */
  readonly isAny: boolean
}

/** Names that fit in a header; a hostile provider could send any number. */
const MAX_NAMES = 20

/** scope-token (RFC 6749, appendix A.4), at most as long as a stored scope. */
const NAME = /^[!#-[\]-~]{1,255}$/

function toNames(names: readonly unknown[]): string[] {
  const valid = names.filter((name): name is string => typeof name === 'string' && NAME.test(name))
  return [...new Set(valid)].slice(0, MAX_NAMES)
}

function splitNames(value: unknown): readonly string[] {
  return typeof value === 'string' ? value.slice(0, MAX_TEXT).split(/[\s,]+/) : []
}

const MAX_TEXT = 8_192

/** `WWW-Authenticate: Bearer error="insufficient_scope", scope="a b"`. */
function readChallenge(rawHeaders: readonly string[]): string[] {
  const meant = readBearerChallenges(rawHeaders).find(
    (params) => params.get('error') === 'insufficient_scope',
  )
  return toNames((meant?.get('scope') ?? '').split(/\s+/))
}

/** GitHub: any one of these scopes is enough, and `X-OAuth-Scopes` has those of the token. */
function readAcceptedScopes(rawHeaders: readonly string[]): string[] {
  const accepted = toNames(splitNames(getHeader(rawHeaders, 'x-accepted-oauth-scopes')))
  const held = getHeader(rawHeaders, 'x-oauth-scopes')
  // Without it, the token has no scopes at all, such as that of a GitHub app.
  if (held === undefined) return []
  const names = new Set(splitNames(held))
  return accepted.some((scope) => names.has(scope)) ? [] : accepted
}

/** The rules of `x-scope-errors` of an auth type, compiled once. Skips invalid ones, because older stored specs were not validated. */
export function getScopeRules(spec: Spec, authType: string): readonly CompiledScopeRule[] {
  const rules: unknown = Object.hasOwn(spec.auth_specification, authType)
    ? spec.auth_specification[authType]?.['x-scope-errors']
    : undefined
  if (!Array.isArray(rules)) return NO_RULES
  const compiled = compiledRules.get(rules) ?? compileScopeRules(rules)
  compiledRules.set(rules, compiled)
  return compiled
}

const NO_RULES: readonly CompiledScopeRule[] = []
const compiledRules = new WeakMap<object, readonly CompiledScopeRule[]>()

function compileScopeRules(rules: readonly (Partial<ScopeErrorRule> | null)[]) {
  return rules.slice(0, AUTH_ERROR_LIMITS.rules).flatMap((rule): CompiledScopeRule[] => {
    const compiled = compileResponseRule(rule)
    if (compiled === undefined || typeof rule?.scopes !== 'string') return []
    return [{ ...compiled, names: parseFieldPath(rule.scopes) }]
  })
}
