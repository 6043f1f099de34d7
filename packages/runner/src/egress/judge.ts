import type { Tenant } from '../tenant.ts'
import { type Address, isPublic, isSelf, parseAddress } from './address.ts'
import { type AllowEntry, isAllowed } from './allow-list.ts'
import { GateError } from './gate-error.ts'
import type { Purpose } from './gate-types.ts'
import { isListed, plainHost } from './host-list.ts'
import { type Resolve, resolveHost } from './resolve.ts'

/** What the judgement is based on. */
export interface JudgeRules {
  readonly allow: readonly AllowEntry[]
  /** Ports that this service listens on: never reachable on this machine, allowed or not. */
  readonly ownPorts: () => readonly number[]
  /** Addresses of this machine's interfaces, in canonical notation. */
  readonly ownAddresses: () => ReadonlySet<string>
  readonly resolve: Resolve
  /** A proxy resolves and judges names; only literal addresses are judged here. */
  readonly proxyResolves: boolean
}

/** One URL to judge. */
export interface JudgeCase {
  readonly url: string
  readonly purpose: Purpose
  readonly hosts?: readonly string[] | undefined
  /** On whose behalf: look-ups of names are bounded by it. */
  readonly tenant?: Tenant | undefined
  readonly signal: AbortSignal
}

/** A URL that passed, and where to dial. */
export interface Target {
  /** Without user, password and fragment. */
  readonly url: URL
  /** The host as certificates name it: no brackets, no dot at the end. */
  readonly host: string
  readonly port: number
  /** Judged addresses in the resolver's order. Empty: the proxy resolves the host. */
  readonly addresses: readonly string[]
  /** Basic credentials that stood in the URL. */
  readonly authorization: string | undefined
}

/**
 * Judges one URL. Every address of its name must be public or on the allow list; the answer names exactly the
 * addresses that were judged, so no second look-up can lead elsewhere.
 *
 * Rules: http and https only; http only to allowed addresses; addresses that are not listed only on 443, 80 and 8443;
 * no user or password in a source URL; this service's own ports never.
 *
 * @throws GateError `refused`
 */
export async function judge(rules: JudgeRules, asked: JudgeCase): Promise<Target> {
  const url = readUrl(asked.url)
  const authorization = takeCredentials(url, asked.purpose)
  const host = plainHost(url.hostname)
  if (host === '' || host.split('.').includes('')) throw refused('the host has an empty label')
  if (asked.hosts && !isListed(host, asked.hosts)) throw refused(`${host} is not a listed host`)
  const port = Number(url.port || DEFAULT_PORTS.get(url.protocol))
  const addresses = await judgeHost(rules, asked, { url, host, port })
  return { url, host, port, addresses, authorization }
}

const DEFAULT_PORTS: ReadonlyMap<string, number> = new Map([
  ['https:', 443],
  ['http:', 80],
])
const PUBLIC_PORTS: readonly number[] = [443, 80, 8443]
const LONGEST_URL = 16_384

function refused(detail: string, cause?: unknown): GateError {
  return new GateError('refused', detail, undefined, cause)
}

function readUrl(text: string): URL {
  if (text.length > LONGEST_URL) throw refused('the URL is too long')
  const url = URL.parse(text)
  if (!url) throw refused('the URL is not valid')
  if (!DEFAULT_PORTS.has(url.protocol)) throw refused(`the scheme ${url.protocol} is not allowed`)
  url.hash = ''
  return url
}

/** As Node's `http` does with user and password in a URL: they become Basic credentials. */
function takeCredentials(url: URL, purpose: Purpose): string | undefined {
  const { username, password } = url
  if (username === '' && password === '') return undefined
  if (purpose === 'source') throw refused('a source URL must not carry user or password')
  url.username = ''
  url.password = ''
  try {
    const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
    return `Basic ${Buffer.from(pair).toString('base64')}`
  } catch (cause) {
    throw refused('user or password are not valid in the URL', cause)
  }
}

interface Place {
  readonly url: URL
  readonly host: string
  readonly port: number
}

async function judgeHost(rules: JudgeRules, asked: JudgeCase, place: Place): Promise<string[]> {
  const { host } = place
  const literal = parseAddress(host)
  if (literal) return [judgeAddress(rules, asked, place, literal)]
  if (host === 'localhost' || host.endsWith('.localhost')) return judgeLoopback(rules, asked, place)
  if (rules.proxyResolves) {
    judgeOpenPlace(place, host)
    return []
  }
  const found = await resolveHost(host, rules.resolve, asked)
  const judged = found.map((text) => {
    const address = parseAddress(text)
    if (!address) throw refused(`${host} resolves to ${text}, which is no address`)
    return judgeAddress(rules, asked, place, address)
  })
  return [...new Set(judged)]
}

/** RFC 6761 section 6.3: these names mean loopback, whatever a resolver says. One allowed loopback address is enough. */
function judgeLoopback(rules: JudgeRules, asked: JudgeCase, place: Place): string[] {
  const judged = ['127.0.0.1', '::1'].flatMap((text) => {
    const address = parseAddress(text)
    return address && isOpen(rules, asked, place, address) ? [text] : []
  })
  if (judged.length === 0) throw refused(`${place.host} is this machine`)
  return judged
}

function isOpen(rules: JudgeRules, asked: JudgeCase, place: Place, address: Address): boolean {
  return (
    !isOwnPort(rules, address, place.port) &&
    isAllowed(rules.allow, address, place.port, asked.purpose)
  )
}

function judgeAddress(rules: JudgeRules, asked: JudgeCase, place: Place, address: Address): string {
  const text = address.toString()
  const where = `${place.host} (${text}, port ${place.port})`
  if (isOwnPort(rules, address, place.port)) throw refused(`${where} is this service itself`)
  if (isAllowed(rules.allow, address, place.port, asked.purpose)) return text
  if (!isPublic(address)) throw refused(`${where} is ${address.range()}, not public`)
  if (rules.ownAddresses().has(text)) throw refused(`${where} is this machine`)
  judgeOpenPlace(place, where)
  return text
}

/** What holds for every place that the allow list does not name. */
function judgeOpenPlace(place: Place, where: string): void {
  if (place.url.protocol !== 'https:') throw refused(`${where} is not on the list that http needs`)
  if (!PUBLIC_PORTS.includes(place.port)) throw refused(`${where} has a port that is not allowed`)
}

function isOwnPort(rules: JudgeRules, address: Address, port: number): boolean {
  if (!rules.ownPorts().includes(port)) return false
  return isSelf(address) || rules.ownAddresses().has(address.toString())
}
