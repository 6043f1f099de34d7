import type { GrantedScopes } from '@linchpin/runner'
import Type from 'typebox'
import type { OAuthType } from './parse-oauth-type.ts'

/** The settings of an auth type that decide which scopes are requested. */
export type ScopeSettings = Pick<
  OAuthType,
  'authorizationParams' | 'defaultScopes' | 'scopeSeparator' | 'requiredScopes'
>

/** scope-token (RFC 6749, appendix A.4), as a pattern. */
export const SCOPE_TOKEN = '^[!#-\\[\\]-~]+$'

/** How scopes of an OAuth app are combined with those of the spec: `replace` takes their place. */
export const SCOPES_MODES = ['add', 'replace'] as const
export type ScopesMode = (typeof SCOPES_MODES)[number]

/** What an OAuth app says about scopes. */
export interface AppScopes {
  readonly scopes: readonly string[]
  readonly scopesMode: ScopesMode
  /** Scopes that links and connect sessions may request, too. */
  readonly optionalScopes: readonly string[]
}

/** What an OAuth app without scopes says. */
export const NO_SCOPES: AppScopes = { scopes: [], scopesMode: 'add', optionalScopes: [] }

/** The scopes that links and connect sessions request in place of those of the OAuth app, by definition. */
export type ScopesByDefinition = Readonly<Record<string, readonly string[]>>

/** The scopes of a link or connect session, in responses. */
export const ChosenScopes = Type.Record(
  Type.String(),
  Type.Array(Type.String(), { description: 'The scopes.' }),
  {
    description:
      'The scopes that a sign-in requests in place of those of the OAuth app, by the ID of the definition. Empty: those of the app.',
  },
)

/**
 * The scopes of an authorization request, without duplicates: those that a session or link has chosen, otherwise those of the
 * OAuth app. What the integration requires is always among them.
 */
export function getRequestedScopes(
  type: ScopeSettings,
  { scopes, scopesMode }: Pick<AppScopes, 'scopes' | 'scopesMode'>,
  chosen?: readonly string[],
): string[] {
  const ofApp = scopesMode === 'replace' ? scopes : [...getSpecScopes(type), ...scopes]
  return unique([...(chosen ?? ofApp), ...type.requiredScopes])
}

/** What a sign-in requests. */
export interface ScopesPlan {
  /** The scopes that the account is to have. */
  readonly requestedScopes: readonly string[]
  /** Those of them that are requested, if the provider adds them to what it has granted; undefined: all. */
  readonly addedScopes: readonly string[] | undefined
}

/**
 * The scopes that a sign-in requests. A reconnect also requests what the account has, so that a provider that replaces grants removes
 * none of it; except for what neither the spec nor the app has now, because the provider may refuse it.
 *
 * @param grant of the account to reconnect; undefined for a new account
 */
export function planScopes(
  type: ScopeSettings & Pick<OAuthType, 'isIncremental'>,
  app: AppScopes,
  chosen: readonly string[] | undefined,
  grant: ScopeGrant | undefined,
): ScopesPlan {
  const requested = getRequestedScopes(type, app, chosen)
  if (grant === undefined) return { requestedScopes: requested, addedScopes: undefined }
  const known = new Set(listKnownScopes(type, app))
  const before = grant.requested ?? grant.granted ?? getRequestedScopes(type, app)
  const stillKnown = [...before, ...(grant.granted ?? [])].filter((scope) => known.has(scope))
  const requestedScopes = unique([...stillKnown, ...requested])
  const granted = new Set(grant.source === 'reported' ? grant.granted : [])
  const isMissing = (scope: string) => !granted.has(scope)
  const addedScopes = requestedScopes.filter(
    (scope) => isMissing(scope) || type.requiredScopes.includes(scope),
  )
  const isPart = requestedScopes.some(isMissing) && addedScopes.length < requestedScopes.length
  return { requestedScopes, addedScopes: type.isIncremental && isPart ? addedScopes : undefined }
}

/** The scopes that links and connect sessions may choose from. */
export function listKnownScopes(
  type: ScopeSettings,
  { scopes, optionalScopes }: Pick<AppScopes, 'scopes' | 'optionalScopes'>,
): string[] {
  return unique([...getSpecScopes(type), ...type.requiredScopes, ...scopes, ...optionalScopes])
}

/** The scopes of a spec: `default_scopes`, then those that older specs put in `authorization_params`, deduplicated. */
export function getSpecScopes(
  type: Pick<OAuthType, 'authorizationParams' | 'defaultScopes' | 'scopeSeparator'>,
): string[] {
  const scopesInParams = type.authorizationParams
    .filter(([name]) => name === 'scope')
    .flatMap(([, value]) => value.split(type.scopeSeparator))
  return unique([...type.defaultScopes, ...scopesInParams])
}

/** The scopes of a token response, at most 200. Some providers separate them by commas, whatever they expect. */
export function parseScopes(
  text: string,
  { grantedScopes, scopeSeparator }: ResponseScopes,
): string[] {
  const parts = text.split(grantedScopes?.separator ?? scopeSeparator ?? ' ')
  return unique(parts.length > 1 ? parts : text.split(/[\s,]+/)).slice(0, MAX_SCOPES)
}

/** Scopes that are stored for an account. */
export const MAX_SCOPES = 200

/** Scopes that name a protocol or its tokens, which providers often leave out when they report what was granted. */
export const TECHNICAL_SCOPES: ReadonlySet<string> = new Set([
  'oauth',
  'offline',
  'offline_access',
  'openid',
  'refresh_token',
])

/**
 * Whether no provider is expected to report a scope by this name: it names the protocol, or stands for whatever the app is registered
 * with, as `.default` does at Microsoft.
 */
export function isUnnamed(scope: string): boolean {
  return TECHNICAL_SCOPES.has(scope) || scope.endsWith('/.default')
}

/** What is known of a grant: `assumed` if the provider does not report it, `unknown` if only the token response of an earlier version is left. */
export const SCOPE_SOURCES = ['reported', 'assumed', 'unknown'] as const
export type ScopeSource = (typeof SCOPE_SOURCES)[number]

/** What was requested for an account, and what its customer granted. Null if unknown. */
export interface ScopeGrant {
  readonly requested: readonly string[] | null
  /** A requested scope has its spelling in the request, whatever the provider calls it. Others follow. */
  readonly granted: readonly string[] | null
  readonly source: ScopeSource
}

/** The grant of an account that was connected before grants were stored. */
export const UNKNOWN_GRANT: ScopeGrant = { requested: null, granted: null, source: 'unknown' }

/** How a provider writes the scopes of a token response. */
type ResponseScopes = Partial<Pick<OAuthType, 'grantedScopes' | 'scopeSeparator'>>

/**
 * What a provider has granted of the requested scopes: what it reports, in the terms of `x-granted-scopes`; everything if it reports
 * nothing.
 *
 * @param response `scope` of a token response, or a list
 */
export function createGrant(
  requested: readonly string[],
  response: string | readonly string[] | undefined,
  type: ResponseScopes = {},
): ScopeGrant {
  const wanted = requested.slice(0, MAX_SCOPES)
  if (response === undefined) return { requested: wanted, granted: wanted, source: 'assumed' }
  const reported = typeof response === 'string' ? parseScopes(response, type) : response
  const { grantedScopes: rules = {} } = type
  const names = new Set(withImplied(reported, rules.implied).map((scope) => toKey(scope, rules)))
  const unreported = new Set(rules.unreported)
  const isGranted = (scope: string) =>
    isUnnamed(scope) || unreported.has(scope) || names.has(toKey(scope, rules))
  const requestedKeys = new Set(wanted.map((scope) => toKey(scope, rules)))
  const added = reported.filter((scope) => !requestedKeys.has(toKey(scope, rules)))
  return {
    requested: wanted,
    granted: [...wanted.filter(isGranted), ...added].slice(0, MAX_SCOPES),
    source: 'reported',
  }
}

/** The requested scopes that were not granted. */
export function listMissingScopes({
  requested,
  granted,
}: Pick<ScopeGrant, 'requested' | 'granted'>): string[] {
  if (granted === null) return []
  const names = new Set(granted)
  return (requested ?? []).filter((scope) => !names.has(scope))
}

/** With all scopes that are implied by those, directly or indirectly. */
function withImplied(
  scopes: readonly string[],
  implied: GrantedScopes['implied'] = {},
): readonly string[] {
  const all = new Set(scopes)
  // A set also iterates over what is added meanwhile.
  for (const scope of all)
    if (Object.hasOwn(implied, scope)) for (const each of implied[scope] ?? []) all.add(each)
  return [...all]
}

/**
 * What identifies a scope in both spellings: without the prefix, in lower case. Without a declared prefix, a scope that is a URL is
 * identified by what follows its last slash, because resource servers often report that alone.
 */
function toKey(scope: string, { prefix }: GrantedScopes): string {
  const name = scope.toLowerCase()
  if (prefix !== undefined)
    return name.startsWith(prefix.toLowerCase()) ? name.slice(prefix.length) : name
  return /^https?:\/\//.test(name) ? name.slice(name.lastIndexOf('/') + 1) || name : name
}

function unique(scopes: readonly string[]): string[] {
  const trimmed = scopes.map((scope) => scope.trim())
  return [...new Set(trimmed)].filter((scope) => scope !== '')
}
