import { Resolver } from 'node:dns/promises'
import { readFileSync, statSync } from 'node:fs'
import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import { isPublicAddress, parseAddress } from '../address.ts'
import type { HostResolver } from '../address-policy.ts'
import { withTimeout } from '../deadline.ts'
import { EgressError } from '../egress.ts'
import { createLookupLimiter, type LookupLimiter } from './lookup-limiter.ts'

/** Options of a resolver. All default to the system's configuration. */
export interface NameResolverOptions {
  /** Name servers as `address:port`. Default: those of resolv.conf. */
  readonly servers?: readonly string[] | undefined
  readonly hostsFile?: string | undefined
  readonly resolvConf?: string | undefined
  readonly limiter?: LookupLimiter | undefined
  /** Timeout of one name server, in milliseconds. Default: 1,500. */
  readonly timeoutMs?: number | undefined
  /** A clock in milliseconds. Default: Date.now. */
  readonly now?: (() => number) | undefined
}

/**
 * Resolves names like the system, using `/etc/hosts` and the name servers and search domains of `/etc/resolv.conf`, but
 * through c-ares: `dns.lookup` has two of libuv's threads, and an unresponsive name server can block one indefinitely.
 *
 * A name server gets 1.5 s and one attempt. Concurrent lookups of one name are combined; results and failures are
 * cached for 2 s. Lookups in flight are limited per link, per workspace and in total.
 *
 * Rejects with EgressError `egress_unavailable` if the name servers cannot be reached, otherwise with the error of c-ares.
 */
export function createNameResolver(options: NameResolverOptions = {}): HostResolver {
  const now = options.now ?? Date.now
  const hosts = createWatchedFile(options.hostsFile ?? '/etc/hosts', parseHosts, now)
  const currentConf = createWatchedFile(
    options.resolvConf ?? '/etc/resolv.conf',
    parseResolvConf,
    now,
  )
  const channel = createChannel(options, now)
  const limiter = options.limiter ?? createLookupLimiter()
  const cache = createCache(now)
  let answeredAt = Number.NEGATIVE_INFINITY
  const recordAnswer = (addresses: Addresses): Addresses => {
    answeredAt = now()
    return addresses
  }
  // If the name servers have just answered for another name, or answer for the root, they work: the servers of this
  // name are broken.
  const hasAnswered = async (): Promise<boolean> => {
    if (now() - answeredAt <= ANSWER_MEMORY_MS) return true
    if (!(await doesRootRespond(channel(currentConf())))) return false
    answeredAt = now()
    return true
  }
  const throwFailure = async (name: string, error: unknown): Promise<never> => {
    const code = getDnsErrorCode(error) ?? ''
    if (code === 'ENOTFOUND' || code === 'ENODATA') answeredAt = now()
    const isSilent = NO_ANSWER_CODES.has(code) && !(await hasAnswered())
    throw isSilent || code === 'ECONNREFUSED'
      ? createNameServersUnavailableError(name, error)
      : error
  }

  return async (host, tenant) => {
    const name = host.toLowerCase()
    const listed = hosts().get(name) ?? (isLocal(name) ? LOOPBACK : undefined)
    if (listed !== undefined) return sortByFamily(listed)
    const cached = cache.get(name)
    if (cached !== undefined) return await cached
    const release = limiter.acquire(tenant)
    if (release === undefined) throw createTooManyLookupsError(name)
    const lookup = resolveName(channel(currentConf()), name, currentConf())
      .then(recordAnswer, (error) => throwFailure(name, error))
      .finally(release)
    cache.set(name, lookup)
    return await lookup
  }
}

const LOOPBACK: readonly string[] = ['127.0.0.1', '::1']
const TIMEOUT_MS = 1_500

/** What c-ares reports when a name server sends no usable response, possibly because of the servers of the name itself. */
const NO_ANSWER_CODES: ReadonlySet<string> = new Set(['EREFUSED', 'ESERVFAIL', 'ETIMEOUT'])
const ANSWER_MEMORY_MS = 60_000

function createNameServersUnavailableError(name: string, cause: unknown): EgressError {
  const detail = `${name} was not looked up: no name server answers: ${String(cause)}`
  return new EgressError('egress_unavailable', detail, 'EAI_AGAIN', cause)
}

function isLocal(name: string): boolean {
  return name === 'localhost' || name.endsWith('.localhost')
}

function createTooManyLookupsError(name: string): EgressError {
  const detail = `${name} was not looked up: too many lookups are in flight`
  return new EgressError('unreachable', detail, 'EAI_AGAIN')
}

/**
 * c-ares reads resolv.conf once per channel, so a changed file requires a new channel. A channel sends from one port:
 * it is replaced every 10 s, so an attacker has little time to discover the port and forge responses (RFC 5452 section
 * 9.2).
 */
function createChannel(
  { servers, timeoutMs = TIMEOUT_MS }: NameResolverOptions,
  now: () => number,
): (conf: ResolvConf) => Resolver {
  let current: { resolver: Resolver; text: string; until: number } | undefined
  return ({ text }) => {
    if (current !== undefined && current.text === text && now() < current.until)
      return current.resolver
    const resolver = new Resolver({ timeout: timeoutMs, tries: 1 })
    if (servers !== undefined) resolver.setServers(servers)
    current = { resolver, text, until: now() + CHANNEL_MS }
    return resolver
  }
}

const CHANNEL_MS = 10_000

async function resolveName(resolver: Resolver, host: string, conf: ResolvConf): Promise<Addresses> {
  let failure: unknown
  for (const name of listCandidateNames(host, conf)) {
    try {
      return (await queryAddresses(resolver, name, hasIPv6())).map(withFamily)
    } catch (error) {
      failure = error
      if (!CONTINUE_CODES.has(getDnsErrorCode(error) ?? '')) break
    }
  }
  throw failure
}

/** A server that does not respond for one name is not queried for the next. */
const CONTINUE_CODES: ReadonlySet<string> = new Set(['ENOTFOUND', 'ENODATA', 'ESERVFAIL'])

type Addresses = Awaited<ReturnType<HostResolver>>

function sortByFamily(addresses: readonly string[]): Addresses {
  const first = hasIPv6() ? 6 : 4
  const results = addresses.map(withFamily)
  return [
    ...results.filter(({ family }) => family === first),
    ...results.filter(({ family }) => family !== first),
  ]
}

function withFamily(address: string): { address: string; family: number } {
  return { address, family: address.includes(':') ? 6 : 4 }
}

/** The relevant part of RFC 6724 section 6: IPv6 comes first if this machine has a public IPv6 address. */
function hasIPv6(): boolean {
  return Object.values(networkInterfaces()).some((list) =>
    list?.some(({ address, family, internal }) => {
      if (family !== 'IPv6' || internal) return false
      const parsed = parseAddress(address)
      return parsed !== undefined && isPublicAddress(parsed)
    }),
  )
}

interface Cache {
  get(name: string): Promise<Addresses> | undefined
  set(name: string, lookup: Promise<Addresses>): void
}

/** Lookups in flight, and their results for 2 s afterwards. */
function createCache(now: () => number): Cache {
  const entries = new Map<string, { lookup: Promise<Addresses>; until: number }>()
  return {
    get(name) {
      const entry = entries.get(name)
      if (entry !== undefined && now() < entry.until) return entry.lookup
      entries.delete(name)
      return undefined
    },
    set(name, lookup) {
      const entry = { lookup, until: Number.POSITIVE_INFINITY }
      entries.set(name, entry)
      const settle = (): void => {
        entry.until = now() + CACHE_MS
        for (const [oldest, { until }] of entries) {
          if (entries.size <= MAX_CACHED) break
          if (until !== Number.POSITIVE_INFINITY) entries.delete(oldest)
        }
      }
      lookup.then(settle, settle)
    },
  }
}

const CACHE_MS = 2_000
const MAX_CACHED = 1_000

/** Addresses by lower-case name. */
type Hosts = ReadonlyMap<string, readonly string[]>

/** Parses `/etc/hosts` (hosts(5)): an address and its names per line, comments after `#`. */
function parseHosts(text: string): Hosts {
  const hosts = new Map<string, string[]>()
  for (const line of text.split('\n')) {
    const [address = '', ...names] = line.replace(/#.*$/, '').trim().split(/\s+/)
    if (isIP(address) === 0) continue
    for (const name of names) {
      const hostname = name.toLowerCase().replace(/\.$/, '')
      hosts.set(hostname, [...(hosts.get(hostname) ?? []), address])
    }
  }
  return hosts
}

/** The settings of `/etc/resolv.conf` for names. c-ares reads its servers. */
interface ResolvConf {
  /** Domains that are appended to a short name. */
  readonly search: readonly string[]
  /** A name with at least this many dots is first tried unchanged. */
  readonly ndots: number
  /** The whole text: a changed text requires another c-ares channel. */
  readonly text: string
}

/** Parses `search`, `domain` (the last one applies) and `options ndots:` of resolv.conf(5). */
function parseResolvConf(text: string): ResolvConf {
  let search: readonly string[] = []
  let ndots = 1
  for (const line of text.split('\n')) {
    const [keyword, ...values] = line
      .replace(/[#;].*$/, '')
      .trim()
      .split(/\s+/)
    if (keyword === 'search' || keyword === 'domain') search = values.slice(0, MAX_SEARCH_DOMAINS)
    if (keyword !== 'options') continue
    for (const value of values) {
      const ndotsText = /^ndots:(\d{1,3})$/.exec(value)?.[1]
      if (ndotsText !== undefined) ndots = Math.min(Number(ndotsText), MAX_NDOTS)
    }
  }
  const domains = search.map((domain) => domain.toLowerCase().replace(/^\.+|\.+$/g, ''))
  return { search: domains.filter((domain) => domain !== ''), ndots, text }
}

/** The names to query in turn, in the order of the system's resolver. */
function listCandidateNames(host: string, { search, ndots }: ResolvConf): readonly string[] {
  const dots = host.split('.').length - 1
  const searchNames = search.map((domain) => `${host}.${domain}`)
  return dots >= ndots ? [host, ...searchNames] : [...searchNames, host]
}

const MAX_SEARCH_DOMAINS = 6
const MAX_NDOTS = 15

/**
 * The parsed text of a small system file, read again after a change. The file is checked at most once a second. An
 * unreadable file counts as empty.
 *
 * Deliberately synchronous: it takes microseconds, and must not wait for libuv's threads.
 */
function createWatchedFile<T>(
  path: string,
  parse: (text: string) => T,
  now: () => number,
): () => T {
  let current = parse('')
  let version: string | undefined
  let checkedAt = Number.NEGATIVE_INFINITY
  return () => {
    if (Math.abs(now() - checkedAt) < CHECK_MS) return current
    checkedAt = now()
    const currentVersion = getFileFingerprint(path)
    if (currentVersion !== version) {
      version = currentVersion
      current = parse(readOrEmpty(path))
    }
    return current
  }
}

const CHECK_MS = 1_000

function getFileFingerprint(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false, bigint: true })
  return stat === undefined ? 'none' : `${stat.ino} ${stat.mtimeNs} ${stat.size}`
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

/** The part of a c-ares resolver that is used here. */
export type AddressResolver = Pick<Resolver, 'resolve4' | 'resolve6'>

/**
 * Queries the A and AAAA records of a name concurrently. Addresses of the preferred family come first, at most 64 of
 * each. Once one family has responded, the other has 300 ms left; later addresses are ignored.
 *
 * @throws the error of the failed query, with c-ares' code; ENODATA if the name has neither record
 */
async function queryAddresses(
  resolver: AddressResolver,
  name: string,
  prefersIPv6: boolean,
): Promise<string[]> {
  const v4 = settleQuery(resolver.resolve4(name))
  const v6 = settleQuery(resolver.resolve6(name))
  const firstResult = await Promise.race([v4, v6])
  const inTime = (query: Promise<QueryResult>) =>
    firstResult.addresses.length > 0 ? withTimeout(GRACE_MS, query, { addresses: [] }) : query
  const [ipv4Result, ipv6Result] = await Promise.all([inTime(v4), inTime(v6)])
  const [preferred, other] = prefersIPv6 ? [ipv6Result, ipv4Result] : [ipv4Result, ipv6Result]
  const addresses = [...preferred.addresses, ...other.addresses]
  if (addresses.length > 0) return addresses
  throw chooseMoreSpecificError(ipv4Result.error, ipv6Result.error)
}

/** Whether the name servers answer for the root. This is independent of any other name. */
async function doesRootRespond(resolver: Pick<Resolver, 'resolveNs'>): Promise<boolean> {
  try {
    await resolver.resolveNs('.')
    return true
  } catch (error) {
    return ['ENOTFOUND', 'ENODATA'].includes(getDnsErrorCode(error) ?? '')
  }
}

interface QueryResult {
  readonly addresses: readonly string[]
  readonly error?: unknown
}

const GRACE_MS = 300
const MAX_ADDRESSES = 64

async function settleQuery(query: Promise<string[]>): Promise<QueryResult> {
  try {
    return { addresses: (await query).slice(0, MAX_ADDRESSES) }
  } catch (error) {
    return { addresses: [], error }
  }
}

/** A missing record of one family is less informative than any other failure of the other. */
function chooseMoreSpecificError(one: unknown, other: unknown): unknown {
  return getDnsErrorCode(one) === 'ENODATA' ? (other ?? one) : one
}

/** Such as ENOTFOUND, ENODATA, ESERVFAIL, ETIMEOUT. */
function getDnsErrorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined
}
