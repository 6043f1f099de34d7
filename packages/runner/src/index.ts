export {
  type AllowEntry,
  isPublicAddress,
  parseAddress,
  parseAllowList,
} from './egress/address.ts'
export { isListed, normalizeHost } from './egress/address-policy.ts'
export type { CircuitEvent } from './egress/circuit/circuit-breaker.ts'
export { createNameResolver } from './egress/dns/name-resolver.ts'
export type * from './egress/egress.ts'
export type { Purpose, Tenant } from './egress/egress.ts'
export { CircuitOpenError, EgressError } from './egress/egress.ts'
export { createEgressGateway, type EgressGatewayOptions } from './egress/egress-gateway.ts'
export { getHeader, MAX_REQUEST_HEADER_BYTES } from './egress/headers.ts'
export type { LocalHost, LocalHosts } from './egress/local-host.ts'
export type { BundleImageStore } from './images/image-store.ts'
export { createMemoryImageStore } from './images/image-store.ts'
export { DEFAULT_LIMITS, type Limits } from './limits.ts'
export { createRunner } from './pool/create-runner.ts'
export { ActivityTracker as Presence, FairQueue } from './pool/fair-queue.ts'
export { openImageFolder } from './pool/sandbox-files.ts'
export { detectSandboxSupport, type SandboxSupport } from './pool/spawn-child.ts'
export type * from './protocol.ts'
export {
  createScrubber,
  listEncodings,
  redactSecrets as scrub,
  type Scrubber,
} from './redact-secrets.ts'
export type * from './runner.ts'
export { RunnerError } from './runner.ts'
export type { IssuedToken } from './tokens/issued-token.ts'
export {
  containsSecret as carriesSecret,
  type GuardedSecret,
  parseFormFields,
} from './tokens/searchable-request.ts'
export {
  findRefreshTokens,
  isRefreshTokenName,
  listStringEntries as stringEntries,
  type ObservedTokens,
  TokenObserver,
} from './tokens/token-observer.ts'
export { getJwtExpiry, getTokenExpiry } from './tokens/token-response.ts'
