import type { Entry } from '@linchpin/kit/build'

/** How what a source says is compared with the value of an entry. */
export type FactKind =
  /** An absolute URL, or a host. */
  | 'url'
  /** The path of a request below the base URL. */
  | 'path'
  /** A header or parameter with its template: the name and the fixed parts count. */
  | 'template'
  /** A name or value that stands there as a word. */
  | 'word'
  /** User name and password (RFC 7617). */
  | 'basic'
  /** A rule for responses: one of the values that it looks for. */
  | 'rule'
  /** A regular expression: the source has an example. */
  | 'pattern'
  /** A switch, such as `pkce`: the source names what it is about. */
  | 'choice'

/** A value of an entry that the provider decides: it needs evidence. */
export interface Fact {
  readonly path: string
  readonly value: unknown
  readonly kind: FactKind
}

/** What the maker of an entry writes: texts, its version, and how a form looks. */
const OWN = [
  /^(?:\$schema|runtime|key|name|aliases|icon|category|version)(?:\.|$)/,
  /(?:^|\.)after\.\d+\.(?:name|title|hint|pick|i18n)(?:\.|$)/,
  /\.appSetup(?:\.|$)/,
  // Who is calling is for us to say.
  /(?:^|\.)headers\.User-Agent$/,
  /(?:^|\.)fields\.[^.]+\.(?:title|type|secret|help|placeholder|optional|order|i18n|minLength|maxLength|default)(?:\.|$)/,
]

const KINDS: readonly (readonly [path: RegExp, kind: FactKind])[] = [
  [/^(?:docs|register|base)$/, 'url'],
  [/^hosts(?:\.\d+)?$/, 'url'],
  [/\.helpUrl$/, 'url'],
  [/^auth\.[^.]+\.(?:base|authorize|token|refreshUrl|revoke|par|issuer|mcp)$/, 'url'],
  [/\.clientCredentials\.token$/, 'url'],
  [/\.login\.token$/, 'word'],
  [/(?:^|\.)(?:get|post|delete)$/, 'path'],
  // Names and templates, of which each is a fact.
  [/\.revoke(?:\.\d+)?\.json(?:\.[^.]+)?$/, 'template'],
  [/(?:^|\.)(?:headers|query|form|params)\.[^.]+$/, 'template'],
  [/\.(?:authorizeParams|tokenParams|refreshParams)\.[^.]+$/, 'template'],
  [/\.basic$/, 'basic'],
  [/(?:^|\.)(?:errors|authErrors|refreshErrors|scopeErrors)\.\d+$/, 'rule'],
  [/\.grantedScopes\.implied\..+[^.\d]$/, 'rule'],
  [/(?:^|\.)(?:expect|ok|json)$/, 'rule'],
  [/(?:^|\.)identity\.(?:id|label|avatarUrl)(?:\.\d+)?$/, 'word'],
  [/(?:^|\.)after\.\d+\.(?:claim|list|value|label(?:\.\d+)?)$/, 'word'],
  [/\.renew\.(?:first\.)?url$/, 'url'],
  [/\.(?:paramNames\.[^.]+|redirectName)$/, 'word'],
  [/\.(?:callbackParams|tokenResponse)\.\d+$/, 'word'],
  [/\.scopes\.default\.\d+$/, 'word'],
  [/(?:^|\.)fields\.[^.]+\.pattern$/, 'pattern'],
  [/(?:^|\.)after\.\d+\.where$/, 'rule'],
  [/\.(?:pkce|refresh|revokes|client|body|separator|unit|incremental)$/, 'choice'],
  [/^(?:checkInterval|getMayWrite)$/, 'choice'],
  [/\.grantedScopes\.prefix$/, 'choice'],
]

/** A path or name of one label, such as that of a customer's subdomain, is no claim about the provider. */
const ANY_LABEL = '^[a-z0-9][a-z0-9-]{0,62}$'

/** The facts of an entry, in its order. What is not known here is a fact, so that a new property of entries needs evidence, too. */
export function listFacts(entry: Entry): readonly Fact[] {
  const facts: Fact[] = []
  collect(entry, [], facts)
  return facts.filter((fact) => !isImplied(fact, facts))
}

function collect(value: unknown, names: readonly string[], facts: Fact[]): void {
  const path = names.join('.')
  if (OWN.some((own) => own.test(path)) || value === undefined || value === ANY_LABEL) return
  const kind = KINDS.find(([pattern]) => pattern.test(path))?.[1]
  const isWhole = kind === 'rule' || typeof value !== 'object' || value === null
  if (isWhole) facts.push({ path, value, kind: kind ?? 'word' })
  // The values of a field are its keys: the rest are names for people.
  else if (/(?:^|\.)fields\.[^.]+\.values$/.test(path))
    for (const each of Array.isArray(value) ? value : Object.keys(value))
      facts.push({ path: `${path}.${each}`, value: each, kind: 'word' })
  else for (const [name, each] of Object.entries(value)) collect(each, [...names, name], facts)
}

/** A host that a URL of the entry has needs no evidence of its own. `any` is a decision about a self-hosted provider. */
function isImplied({ path, value }: Fact, all: readonly Fact[]): boolean {
  if (!path.startsWith('hosts')) return false
  if (value === 'any') return true
  const host = String(value).toLowerCase()
  const isOf = (other: string) =>
    host.startsWith('*.') ? other.endsWith(host.slice(1)) : other === host
  return all.some(
    (fact) =>
      (fact.kind === 'url' || /\.revoke\./.test(fact.path)) &&
      !/^hosts|^docs$|^register$|helpUrl$/.test(fact.path) &&
      isOf(hostOf(fact.value)),
  )
}

function hostOf(value: unknown): string {
  return /^https:\/\/([^/?#]*)/.exec(String(value))?.[1]?.toLowerCase() ?? ''
}
