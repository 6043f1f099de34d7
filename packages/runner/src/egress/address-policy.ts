import { domainToASCII } from 'node:url'
import {
  type Address,
  type AllowEntry,
  isAllowed,
  isPublicAddress,
  isSelfAddress,
  parseAddress,
} from './address.ts'
import { untilAborted } from './deadline.ts'
import { EgressError, type Purpose, type Tenant } from './egress.ts'
import type { LocalHost, LocalHosts } from './local-host.ts'

/** The rules that outgoing requests are validated against. */
export interface AddressPolicy {
  readonly allow: readonly AllowEntry[]
  /** Ports that this service listens on: never reachable on this machine, even if allowed. */
  readonly listeningPorts: () => readonly number[]
  /** Addresses of this machine's interfaces, in canonical notation. */
  readonly selfAddresses: () => ReadonlySet<string>
  readonly resolve: HostResolver
  /** True if a proxy resolves and validates names; only literal addresses are validated here. */
  readonly proxyResolves: boolean
  readonly localHosts?: LocalHosts | undefined
  /** The origin of an emulator that answers instead of all providers. */
  readonly emulator?: URL | undefined
}

/** One URL to validate. */
export interface TargetRequest {
  readonly url: string
  readonly purpose: Purpose
  readonly hosts?: readonly string[] | undefined
  /** The tenant that sends the request; DNS lookups are limited per tenant. */
  readonly tenant?: Tenant | undefined
  readonly signal: AbortSignal
}

/** A validated URL and the addresses to dial. */
export interface Target {
  /** Without user, password and fragment. */
  readonly url: URL
  /** The host as certificates name it: without brackets and trailing dot. */
  readonly host: string
  readonly port: number
  /** Validated addresses in the resolver's order. Empty if the proxy resolves the host. */
  readonly addresses: readonly string[]
  /** Basic credentials that the URL contained. */
  readonly authorization: string | undefined
  /** Answers the request instead of an address. */
  readonly localHost?: LocalHost | undefined
  /** Where the request is sent instead of its URL: the emulator's path for it. */
  readonly emulated?: EmulatedTarget | undefined
}

/** A place of the emulator. */
export interface EmulatedTarget {
  readonly origin: URL
  /** What comes before the path of the URL. */
  readonly pathPrefix: string
}

/**
 * Validates one URL. Every address of its name must be public or on the allow list. The result contains exactly the
 * validated addresses, so a second lookup cannot lead elsewhere.
 *
 * Rules: http and https only; http only to allowed addresses; unlisted addresses only on ports 443, 80 and 8443; no
 * user or password in a source URL; never a port of this service.
 *
 * @throws EgressError `refused`
 */
export async function resolveTarget(
  policy: AddressPolicy,
  request: TargetRequest,
): Promise<Target> {
  const url = parseHttpUrl(request.url)
  const authorization = extractCredentials(url, request.purpose)
  const host = normalizeHost(url.hostname)
  if (host === '' || host.split('.').includes(''))
    throw createAddressRefusedError('the host has an empty label')
  if (request.hosts && !isListed(host, request.hosts))
    throw createAddressRefusedError(`${host} is not on the host list`)
  const port = Number(url.port || DEFAULT_PORTS.get(url.protocol))
  const localHost = url.protocol === 'https:' && port === 443 && policy.localHosts?.get(host)
  if (localHost) return { url, host, port, addresses: [], authorization, localHost }
  const emulated = findEmulated(policy, request, { url, host, port })
  if (emulated) return { url, host, port, addresses: ['127.0.0.1'], authorization, emulated }
  const addresses = await resolveAddresses(policy, request, { url, host, port })
  return { url, host, port, addresses, authorization }
}

/** By protocol; other protocols are not sent. */
export const DEFAULT_PORTS: ReadonlyMap<string, number> = new Map([
  ['https:', 443],
  ['http:', 80],
])
const PUBLIC_PORTS: readonly number[] = [443, 80, 8443]
const MAX_URL_LENGTH = 16_384

function createAddressRefusedError(detail: string, cause?: unknown): EgressError {
  return new EgressError('refused', detail, undefined, cause)
}

function parseHttpUrl(text: string): URL {
  if (text.length > MAX_URL_LENGTH) throw createAddressRefusedError('the URL is too long')
  const url = URL.parse(text)
  if (!url) throw createAddressRefusedError('the URL is not valid')
  if (!DEFAULT_PORTS.has(url.protocol))
    throw createAddressRefusedError(`the scheme ${url.protocol} is not allowed`)
  url.hash = ''
  return url
}

/** Converts user and password in a URL to Basic credentials, like Node's `http`. */
function extractCredentials(url: URL, purpose: Purpose): string | undefined {
  const { username, password } = url
  if (username === '' && password === '') return undefined
  if (purpose === 'source')
    throw createAddressRefusedError('a source URL must not contain a user or password')
  url.username = ''
  url.password = ''
  try {
    return formatBasicCredentials({ username, password })
  } catch (cause) {
    throw createAddressRefusedError('the user or password in the URL is malformed', cause)
  }
}

/** HTTP Basic (RFC 7617) of the user and password in a URL. @throws URIError when they are malformed */
export function formatBasicCredentials({
  username,
  password,
}: Pick<URL, 'username' | 'password'>): string {
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return `Basic ${Buffer.from(pair).toString('base64')}`
}

/** Requests to providers, which have public names. A name of this machine and a literal address are dialled as always. */
function findEmulated(
  { emulator }: AddressPolicy,
  { purpose }: TargetRequest,
  { url, host, port }: Endpoint,
): EmulatedTarget | undefined {
  const isOfProvider = purpose === 'bundle' || purpose === 'oauth'
  const isPublicName = url.protocol === 'https:' && port === 443 && host.includes('.')
  if (!emulator || !isOfProvider || !isPublicName || parseAddress(host)) return undefined
  return { origin: emulator, pathPrefix: `/_hosts/${host}` }
}

interface Endpoint {
  readonly url: URL
  readonly host: string
  readonly port: number
}

async function resolveAddresses(
  policy: AddressPolicy,
  request: TargetRequest,
  endpoint: Endpoint,
): Promise<string[]> {
  const { host } = endpoint
  const literal = parseAddress(host)
  if (literal) return [validateAddress(policy, request, endpoint, literal)]
  if (host === 'localhost' || host.endsWith('.localhost'))
    return resolveLoopback(policy, request, endpoint)
  if (policy.proxyResolves) {
    validatePublicEndpoint(endpoint, host)
    return []
  }
  const resolved = await resolveHost(host, policy.resolve, request)
  const validated = resolved.map((text) => {
    const address = parseAddress(text)
    if (!address)
      throw createAddressRefusedError(`${host} resolves to ${text}, which is not an IP address`)
    return validateAddress(policy, request, endpoint, address)
  })
  return [...new Set(validated)]
}

/**
 * RFC 6761 section 6.3: these names always mean loopback, whatever a resolver returns. One allowed loopback address is
 * sufficient.
 */
function resolveLoopback(
  policy: AddressPolicy,
  request: TargetRequest,
  endpoint: Endpoint,
): string[] {
  const validated = ['127.0.0.1', '::1'].flatMap((text) => {
    const address = parseAddress(text)
    return address && isAllowedEndpoint(policy, request, endpoint, address) ? [text] : []
  })
  if (validated.length === 0) throw createAddressRefusedError(`${endpoint.host} is this machine`)
  return validated
}

function isAllowedEndpoint(
  policy: AddressPolicy,
  request: TargetRequest,
  endpoint: Endpoint,
  address: Address,
): boolean {
  return (
    !isListeningPort(policy, address, endpoint.port) &&
    isAllowed(policy.allow, address, endpoint.port, request.purpose)
  )
}

function validateAddress(
  policy: AddressPolicy,
  request: TargetRequest,
  endpoint: Endpoint,
  address: Address,
): string {
  const text = address.toString()
  const description = `${endpoint.host} (${text}, port ${endpoint.port})`
  if (isListeningPort(policy, address, endpoint.port))
    throw createAddressRefusedError(`${description} is this service itself`)
  if (isAllowed(policy.allow, address, endpoint.port, request.purpose)) return text
  if (!isPublicAddress(address))
    throw createAddressRefusedError(`${description} is ${address.range()}, not public`)
  if (policy.selfAddresses().has(text))
    throw createAddressRefusedError(`${description} is this machine`)
  validatePublicEndpoint(endpoint, description)
  return text
}

/** Rules for targets that the allow list does not contain. */
function validatePublicEndpoint(endpoint: Endpoint, description: string): void {
  if (endpoint.url.protocol !== 'https:')
    throw createAddressRefusedError(`${description} is not on the allow list, which http requires`)
  if (!PUBLIC_PORTS.includes(endpoint.port))
    throw createAddressRefusedError(`${description} uses a port that is not allowed`)
}

function isListeningPort(policy: AddressPolicy, address: Address, port: number): boolean {
  if (!policy.listeningPorts().includes(port)) return false
  return isSelfAddress(address) || policy.selfAddresses().has(address.toString())
}

/** Normalizes a host name for comparison: lower case, without brackets or trailing dot. */
export function normalizeHost(hostname: string): string {
  return hostname
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '')
}

/**
 * Returns true if a normalized host is on a list of hosts; `*.example.com` covers subdomains, not example.com itself.
 */
export function isListed(host: string, hosts: readonly string[]): boolean {
  return hosts.some((entry) => {
    const wildcard = entry.startsWith('*.')
    const name = wildcard ? entry.slice(2) : entry
    const listed = normalizeHost(domainToASCII(name) || name)
    if (listed === '') return false
    return wildcard ? host.endsWith(`.${listed}`) : host === listed
  })
}

/** Resolves the addresses of a name, for a tenant or for the service itself. */
export type HostResolver = (
  host: string,
  tenant?: Tenant | undefined,
) => Promise<readonly { address: string; family: number }[]>

/** Options of a lookup. */
export interface ResolveOptions {
  readonly tenant?: Tenant | undefined
  readonly signal: AbortSignal
}

/**
 * The addresses of a host, resolved once.
 *
 * @throws EgressError `refused` when there are none, `egress_unavailable` when no name server responds, `unreachable`
 * when the tenant has too many lookups in flight, or the signal's reason when it fires first
 */
async function resolveHost(
  host: string,
  resolve: HostResolver,
  { tenant, signal }: ResolveOptions,
): Promise<string[]> {
  const addresses = await untilAborted(signal, lookUpAddresses(host, resolve, tenant))
  if (addresses.length === 0) throw new EgressError('refused', `${host} has no address`)
  return addresses
}

async function lookUpAddresses(
  host: string,
  resolve: HostResolver,
  tenant: Tenant | undefined,
): Promise<string[]> {
  try {
    return [...new Set((await resolve(host, tenant)).map((record) => record.address))]
  } catch (cause) {
    if (cause instanceof EgressError) throw cause
    throw new EgressError('refused', `${host} does not resolve: ${String(cause)}`, undefined, cause)
  }
}
