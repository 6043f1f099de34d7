import { Resolver } from 'node:dns/promises'
import { networkInterfaces } from 'node:os'
import { isPublic, parseAddress } from '../address.ts'
import { GateError } from '../gate-error.ts'
import type { Resolve } from '../resolve.ts'
import { errorCode, queryAddresses } from './dns-query.ts'
import { parseHosts } from './hosts-file.ts'
import { createLookupSlots, type LookupSlots } from './lookup-slots.ts'
import { candidatesOf, parseResolvConf, type ResolvConf } from './resolv-conf.ts'
import { watchedFile } from './watched-file.ts'

/** What a resolver asks. Everything has the system's default. */
export interface NameResolverOptions {
  /** Name servers as `address:port`. Default: those of resolv.conf. */
  readonly servers?: readonly string[] | undefined
  readonly hostsFile?: string | undefined
  readonly resolvConf?: string | undefined
  readonly slots?: LookupSlots | undefined
  /** How long one name server has, in milliseconds. Default: 1,500. */
  readonly timeoutMs?: number | undefined
  /** Milliseconds of a clock. Default: Date.now. */
  readonly now?: (() => number) | undefined
}

/**
 * Finds addresses as the system does, by `/etc/hosts` and the name servers of `/etc/resolv.conf` with its search domains,
 * but through c-ares: `dns.lookup` has two of libuv's threads, and a silent name server holds one for as long as it likes.
 *
 * A name server has 1.5 s and one try. Look-ups of one name at the same time are one; what they find is cached for 2 s, and
 * so are failures. Look-ups in flight are bounded per link, per workspace and in all.
 */
export function createNameResolver(options: NameResolverOptions = {}): Resolve {
  const now = options.now ?? Date.now
  const hosts = watchedFile(options.hostsFile ?? '/etc/hosts', parseHosts, now)
  const conf = watchedFile(options.resolvConf ?? '/etc/resolv.conf', parseResolvConf, now)
  const channel = createChannel(options, now)
  const slots = options.slots ?? createLookupSlots()
  const cache = createCache(now)

  return async (host, tenant) => {
    const name = host.toLowerCase()
    const listed = hosts().get(name) ?? (isLocal(name) ? LOOPBACK : undefined)
    if (listed !== undefined) return inOrder(listed)
    const known = cache.get(name)
    if (known !== undefined) return await known
    const free = slots.take(tenant)
    if (free === undefined) throw tooMany(name)
    const found = lookUp(channel(conf()), name, conf()).finally(free)
    cache.set(name, found)
    return await found
  }
}

const LOOPBACK: readonly string[] = ['127.0.0.1', '::1']
const TIMEOUT_MS = 1_500

function isLocal(name: string): boolean {
  return name === 'localhost' || name.endsWith('.localhost')
}

function tooMany(name: string): GateError {
  const detail = `${name} was not looked up: too many look-ups are in flight`
  return new GateError('unreachable', detail, 'EAI_AGAIN')
}

/**
 * c-ares reads resolv.conf once per channel, so another text needs another channel. A channel sends from one port: it is
 * replaced every 10 s, so that nobody can learn the port and forge answers at leisure (RFC 5452 section 9.2).
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

async function lookUp(resolver: Resolver, host: string, conf: ResolvConf): Promise<Addresses> {
  let failure: unknown
  for (const name of candidatesOf(host, conf)) {
    try {
      return (await queryAddresses(resolver, name, hasIPv6())).map(withFamily)
    } catch (error) {
      failure = error
      if (!GOES_ON.has(errorCode(error) ?? '')) break
    }
  }
  throw failure
}

/** A server that is silent for one name is not asked for the next. */
const GOES_ON: ReadonlySet<string> = new Set(['ENOTFOUND', 'ENODATA', 'ESERVFAIL'])

type Addresses = Awaited<ReturnType<Resolve>>

function inOrder(addresses: readonly string[]): Addresses {
  const first = hasIPv6() ? 6 : 4
  const found = addresses.map(withFamily)
  return [
    ...found.filter(({ family }) => family === first),
    ...found.filter(({ family }) => family !== first),
  ]
}

function withFamily(address: string): { address: string; family: number } {
  return { address, family: address.includes(':') ? 6 : 4 }
}

/** RFC 6724 section 6, as far as it matters here: IPv6 goes first where this machine has a public IPv6 address. */
function hasIPv6(): boolean {
  return Object.values(networkInterfaces()).some((list) =>
    list?.some(({ address, family, internal }) => {
      if (family !== 'IPv6' || internal) return false
      const parsed = parseAddress(address)
      return parsed !== undefined && isPublic(parsed)
    }),
  )
}

interface Cache {
  get(name: string): Promise<Addresses> | undefined
  set(name: string, found: Promise<Addresses>): void
}

/** Look-ups in flight, and what they found for 2 s after. */
function createCache(now: () => number): Cache {
  const entries = new Map<string, { found: Promise<Addresses>; until: number }>()
  return {
    get(name) {
      const entry = entries.get(name)
      if (entry !== undefined && now() < entry.until) return entry.found
      entries.delete(name)
      return undefined
    },
    set(name, found) {
      const entry = { found, until: Number.POSITIVE_INFINITY }
      entries.set(name, entry)
      const settle = (): void => {
        entry.until = now() + CACHE_MS
        for (const [oldest, { until }] of entries) {
          if (entries.size <= MOST_CACHED) break
          if (until !== Number.POSITIVE_INFINITY) entries.delete(oldest)
        }
      }
      found.then(settle, settle)
    },
  }
}

const CACHE_MS = 2_000
const MOST_CACHED = 1_000
