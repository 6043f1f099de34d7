import { normalizeHost } from '@linchpin/runner'
import { type AgentRule, IGNORED, isAmbiguous } from '../../access/workspaces/agent-rules.ts'
import { decodeText } from '../../activity/requests/debug-exchange.ts'
import type { Account } from '../accounts/account.ts'

/** A request of an agent, as it would be sent to the provider. */
export interface AgentRequest {
  readonly method: string
  readonly host: string
  /** Path and query in the spelling that is sent. */
  readonly requestTarget: string
  /** Flat list of names and values. */
  readonly rawHeaders: readonly string[]
  readonly body: Uint8Array | undefined
  readonly definitionId: string
  /** Whether the account is at an MCP server. */
  readonly isMcpServer: boolean
  /** The tool of the MCP server that is called. Undefined: a request of the agent's own. */
  readonly tool: string | undefined
  /** Whether the integration declares that a GET may write, as APIs in the style of RPC do. */
  readonly getMayWrite: boolean
  /** How far the customer restricts what agents do with the account; null: not. */
  readonly agentAccess: Account['agentAccess']
}

/** What the policy says of a request; `reason` is a sentence for the agent. */
export type Decision =
  | { readonly effect: 'allow' | 'approve' }
  | { readonly effect: 'deny'; readonly reason: string }

/**
 * Decides by the rules of a session. Deny wins over approve, and approve over allow; without a rule that matches, GET and HEAD are
 * allowed, unless a GET may write. What the customer restricts is denied first. A path that servers may read differently than it is written is denied, whatever the rules say, and so is a request that asks
 * for another method or path than its own.
 */
export function decide(rules: readonly AgentRule[], request: AgentRequest): Decision {
  const reads = !mayWrite(request)
  if (request.agentAccess === 'paused')
    return deny('The customer has paused this account for agents.')
  if (request.agentAccess === 'read_only' && !reads)
    return deny('The customer lets agents only read this account.')
  const { tool } = request
  if (tool !== undefined) return decideTool(rules, { ...request, tool })
  if (request.isMcpServer && !isRead(request.method))
    return deny('The account is at an MCP server, whose tools are called by their names.')
  const [path = ''] = request.requestTarget.split('?', 1)
  if (isAmbiguous(path))
    return deny('The path has an empty or encoded part that servers read in different ways.')
  if (isOverridden(request))
    return deny('The request asks for another method or path than its own.')
  if (isUnreadable(request))
    return deny(
      'The body is compressed or not the text in UTF-8 that its type says, so that it cannot be checked.',
    )
  const readings = readPath(path)
  const matches = (rule: AgentRule) => matchesRule(rule, request, readings)
  const effects = new Set(rules.filter(matches).map(({ effect }) => effect))
  if (effects.has('deny')) return deny('A rule of the agent session denies it.')
  if (effects.has('approve')) return { effect: 'approve' }
  if (effects.has('allow')) return { effect: 'allow' }
  return reads
    ? { effect: 'allow' }
    : deny('No rule of the agent session allows it, and it may write.')
}

/** What rules know of a request. */
type RuleSubject = Pick<AgentRequest, 'method' | 'host' | 'requestTarget' | 'definitionId' | 'tool'>

interface CallOfTool extends RuleSubject {
  readonly tool: string
}

/**
 * Decides whether a tool of an MCP server is called. Only rules that name tools allow it, whatever the server says of the tool; those that
 * name none can still deny it or require an approval.
 */
export function decideTool(rules: readonly AgentRule[], request: CallOfTool): Decision {
  const [path = ''] = request.requestTarget.split('?', 1)
  const readings = readPath(path)
  const matching = rules.filter((rule) => matchesRule(rule, request, readings))
  const effects = new Set(matching.map(({ effect }) => effect))
  if (effects.has('deny')) return deny('A rule of the agent session denies the tool.')
  if (!matching.some(({ effect, tools }) => tools !== undefined && effect !== 'deny'))
    return deny(`No rule of the agent session allows the tool ${JSON.stringify(request.tool)}.`)
  return { effect: effects.has('approve') ? 'approve' : 'allow' }
}

/** Whether a request may change something at the provider, which some APIs also do with a GET. */
export function mayWrite({ method, getMayWrite }: Pick<AgentRequest, 'method' | 'getMayWrite'>) {
  return getMayWrite || !isRead(method)
}

/** Whether a method is safe (RFC 9110 section 9.2.1) and used to read resources. */
export function isRead(method: string): boolean {
  return method === 'GET' || method === 'HEAD'
}

function deny(reason: string): Decision {
  return { effect: 'deny', reason }
}

/**
 * Whether servers may read another body than the rules and people do: a compressed one, or one in a charset of which `_method` has other
 * bytes, such as UTF-16.
 */
function isUnreadable({ rawHeaders, body }: AgentRequest): boolean {
  if (body === undefined || body.length === 0) return false
  return rawHeaders.some((text, index) => {
    const value = rawHeaders[index + 1] ?? ''
    if (index % 2 === 1) return false
    if (/^content[-_]encoding$/i.test(text)) return value.trim().toLowerCase() !== 'identity'
    if (!/^content[-_]type$/i.test(text)) return false
    if (/charset/i.test(value.replace(READABLE_CHARSET, ''))) return true
    return TEXT_TYPES.test(value) && decodeText(body, value.toLowerCase(), false) === undefined
  })
}

/** A person who approves would see such a body as a file: one wrong byte in JSON would hide all of it. */
const TEXT_TYPES = /json|xml|^\s*text\/|x-www-form-urlencoded|graphql|yaml/i

const READABLE_CHARSET =
  /;\s*charset="?(?:utf-?8|us-ascii|iso-8859-1|windows-1252)"?(?=\s*(?:;|$))/i

/** Header fields by which frameworks and proxies replace the method or the path, and the other path of COPY and MOVE (RFC 4918). */
const OVERRIDE_HEADERS =
  /^x[-_](?:http[-_])?(?:method|verb)(?:[-_]override)?$|^(?:http[-_])?method[-_]override$|^x[-_](?:original|rewrite)[-_](?:url|uri|path|method|host)$|^x[-_]forwarded[-_](?:uri|path|prefix|method)$|^destination$/i

function isOverridden({ method, rawHeaders, requestTarget, body }: AgentRequest): boolean {
  if (rawHeaders.some((text, index) => index % 2 === 0 && OVERRIDE_HEADERS.test(text))) return true
  const query = requestTarget.split('?').slice(1).join('?')
  if (hasOverrideParameter(query, method)) return true
  if (body === undefined || body.length === 0) return false
  // Without the byte order mark, which parsers of forms ignore.
  const text = Buffer.from(body)
    .toString('latin1')
    .replace(/^\xef\xbb\xbf/, '')
  // Whatever the media type says: frameworks guess it.
  return hasOverrideParameter(text, method) || hasOverrideField(text)
}

function hasOverrideField(text: string): boolean {
  const readings = [readEscapes(text)]
  // Multipart, whose names may have escaped characters (RFC 822), or be encoded or in parts (RFC 2231).
  if (/content-disposition/i.test(text))
    readings.push(
      text.replace(/\\(.)/g, '$1'),
      decodeBytes(text.replace(/"?;\s*name\*[1-9]\d?\*?\s*=\s*"?/gi, '')).replace(
        /name\*0\*?\s*=/gi,
        'name=',
      ),
    )
  return readings.some((reading) => OVERRIDE_FIELDS.test(reading))
}

/** Fields of JSON and of `multipart/form-data`. */
const OVERRIDE_FIELDS =
  /["'][^a-z0-9"'\r\n]+(?:http_?)?method[^a-z0-9"'\r\n]*["']\s*[:;\r\n]|name\*?[ \t]*=(?:[\w-]{1,40}'[^'\r\n]{0,40}')?[^a-z0-9"'\r\n]+(?:http_?)?method\b|["']x[-_](?:http[-_])?method[-_]override["']\s*[:;\r\n]/i

/**
 * As Salesforce, Rails, Symfony, WordPress, ASP.NET and others name the parameter that replaces the method; PHP and Rack read some
 * punctuation before a name as `_`, or not at all.
 */
const OVERRIDE_PARAMETERS =
  /^(?:[\s._$[\]-]+(?:http_?)?method(?:[\s[\]].*)?|x[-_](?:http[-_])?method(?:[-_]override)?)$/is

/** Facebook's Graph API takes `method`, which elsewhere means other things. */
const METHOD_PARAMETER = /^(?:http_?)?method$/i
const METHODS = /^(?:get|head|options|post|put|patch|delete)$/i

/** Parameters whose names have `method`, of which every character may be encoded. */
const METHOD_PAIRS = new RegExp(
  `(?:^|[&;?])([^&;?=]*?${[...'method'].map(toEncodable).join('')}[^&;?=]*)=?([^&;?]*)`,
  'gi',
)

function toEncodable(letter: string): string {
  const [lower, upper] = [letter, letter.toUpperCase()].map((each) =>
    each.charCodeAt(0).toString(16),
  )
  return `(?:${letter}|%(?:u00)?(?:${lower}|${upper}))`
}

function hasOverrideParameter(form: string, method: string): boolean {
  for (const [, received = '', value = ''] of form.matchAll(METHOD_PAIRS)) {
    // C strings end there, for one in PHP.
    const [name = ''] = decodeBytes(received).split('\0', 1)
    if (OVERRIDE_PARAMETERS.test(name)) return true
    if (!METHOD_PARAMETER.test(name)) continue
    const named = decodeBytes(value).trim()
    if (METHODS.test(named) && named.toUpperCase() !== method) return true
  }
  return false
}

/** The bytes of a text of forms, each as a character, also in the escapes of ASP.NET. */
function decodeBytes(text: string): string {
  if (!/[%+]/.test(text)) return text
  return text
    .replaceAll('+', ' ')
    .replace(/%(?:u00)?([0-9a-f]{2})/gi, (_match, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    )
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Names of members of JSON may be written with escapes. */
function readEscapes(text: string): string {
  return text.replace(/\\u00([0-9a-f]{2})/gi, (_match, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
}

/** A path as it is sent, and as a lenient server may read it. */
interface PathReadings {
  readonly exact: Segments
  /** In the form of `fold`. */
  readonly lenient: readonly Segments[]
}

type Segments = readonly string[]

/**
 * What is denied or has to be approved is so in every spelling that servers understand, such as `/items/7.json` of Rails and
 * `/items('7')` of OData for `/items/7`, and what is before an encoded question mark, where some proxies end the path.
 */
function readPath(path: string): PathReadings {
  const exact = normalize(path)
  const whole = exact.map(fold)
  const end = whole.findIndex((segment) => /[?#]/.test(segment))
  const ends = end < 0 ? [whole] : [whole, whole.slice(0, end + 1).map(cutQuery)]
  return {
    exact,
    lenient: ends.flatMap((segments) => listNames(segments, /(?<=.)\.[a-z0-9]{1,8}$/)),
  }
}

/** The names that a resource has beside this one: with a key as a segment, and without the format at the end. */
function listNames(segments: Segments, format: RegExp): Segments[] {
  const last = segments.at(-1) ?? ''
  const short = last.replace(format, '')
  const all = short === last ? [segments] : [segments, [...segments.slice(0, -1), short]]
  return all.flatMap((each) => {
    const keyed = each.flatMap(splitKey)
    return keyed.length === each.length && keyed.at(-1) === each.at(-1) ? [each] : [each, keyed]
  })
}

function cutQuery(segment: string): string {
  return trimEnd(segment.split(/[?#]/, 1)[0] ?? '')
}

/** `items('7')` is the item 7, and `items()` all of them (OData URL Conventions 4.01, section 4.3.1). */
function splitKey(segment: string): string[] {
  const [, name = '', key = ''] = /^([^()]+)\(([^()]*)\)$/.exec(segment) ?? []
  if (name === '') return [segment]
  const value = key.replace(/^'(.*)'$/s, '$1')
  return value === '' ? [name] : [name, value]
}

/** The segments of a path, in the normal form of RFC 3986 section 6.2.2, without a slash at the end. */
function normalize(path: string): string[] {
  const segments = path.split('/').slice(1)
  if (segments.length > 1 && segments.at(-1) === '') segments.pop()
  return segments.map((segment) =>
    segment.replace(/%[0-9a-f]{2}/gi, (escaped) => {
      const character = String.fromCharCode(Number.parseInt(escaped.slice(1), 16))
      return /[A-Za-z0-9._~-]/.test(character) ? character : escaped.toUpperCase()
    }),
  )
}

function matchesRule(
  { effect, methods, path, hosts, integrationDefinitionIds, tools }: AgentRule,
  request: RuleSubject,
  { exact, lenient }: PathReadings,
): boolean {
  // What is denied or has to be approved is so in every spelling that a lenient server would understand.
  const isLenient = effect !== 'allow'
  return (
    (tools === undefined || coversTool(tools, request.tool, isLenient)) &&
    (methods === undefined || methods.some((method) => coversMethod(method, request.method))) &&
    (hosts === undefined ||
      hosts.some((host) => normalizeHost(host) === normalizeHost(request.host))) &&
    (integrationDefinitionIds === undefined ||
      integrationDefinitionIds.some((id) => id === request.definitionId)) &&
    (path === undefined ||
      (isLenient ? matchesLeniently(path, lenient) : matchesPath(normalize(path), exact)))
  )
}

/** A rule for tools is for no other requests. */
function coversTool(
  tools: readonly string[],
  called: string | undefined,
  isLenient: boolean,
): boolean {
  if (called === undefined) return false
  const toForm = (name: string) => (isLenient ? fold(name) : name)
  return tools.some((name) => name === ANY_TOOL || toForm(name) === toForm(called))
}

/** In place of the name of a tool. */
const ANY_TOOL = '*'

/** HEAD is a GET without the body (RFC 9110 section 9.3.2). */
function coversMethod(named: string, method: string): boolean {
  return named === method || (named === 'GET' && method === 'HEAD')
}

function matchesLeniently(path: string, lenient: readonly Segments[]): boolean {
  const patterns = listNames(normalize(path).map(fold), /(?<=.)\.(?:json|xml)$/)
  return patterns.some((pattern) => lenient.some((segments) => matchesPath(pattern, segments)))
}

function matchesPath(pattern: Segments, segments: Segments): boolean {
  const isOpen = pattern.at(-1) === '**'
  const fixed = isOpen ? pattern.slice(0, -1) : pattern
  if (isOpen ? segments.length < fixed.length : segments.length !== fixed.length) return false
  return fixed.every((part, index) => part === '*' || part === segments[index])
}

/** Without case, compatible forms of characters, and the dots and spaces at the end that some servers ignore. */
function fold(segment: string): string {
  const compatible = decode(segment).normalize('NFKC').replace(IGNORED, '')
  // By upper case, as some servers compare: that of the dotless i, for one, is I.
  return trimEnd(compatible.toUpperCase().toLowerCase().replaceAll('\u0307', ''))
}

/** A regular expression would begin again at each of them. */
function trimEnd(segment: string): string {
  let end = segment.length
  while (end > 0 && (segment[end - 1] === '.' || segment[end - 1] === ' ')) end -= 1
  return segment.slice(0, end)
}
