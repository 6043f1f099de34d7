import { hash, type KeyObject } from 'node:crypto'
import {
  type EgressGateway,
  type EgressResponse,
  getHeader,
  type Runner,
  type Tenant,
} from '@linchpin/runner'
import { runJob } from '../../../platform/http/log.ts'
import { type Rounds, startRounds } from '../../../platform/rounds.ts'
import { loadSpec } from '../../definitions/spec/validate-spec.ts'
import { type Registry, registryStore } from '../catalogue-store.ts'
import {
  DigestMismatchError,
  type LoadVersionDeps,
  loadVersion,
  type OfferedIntegration,
} from '../offered-integration.ts'
import { type SyncDeps, syncCatalogue } from '../sync-catalogue.ts'
import {
  parseRegistryDocument,
  type RegistryDefinition,
  type RegistryDocument,
} from './parse-registry-document.ts'
import {
  assertCurrent,
  RegistryRejectedError,
  type VerifiedRegistry,
  verifyRegistry,
} from './registry-signature.ts'

interface FetchRegistryDeps extends SyncDeps, LoadVersionDeps {
  readonly runner: Runner
  /** LINCHPIN_REGISTRY_URL. */
  readonly registryUrl: string
  /** LINCHPIN_REGISTRY_KEY: one of these keys must have signed the document. */
  readonly registryKeys: readonly KeyObject[]
  /** Called when the integrations of a document are stored. */
  readonly afterSync: () => Promise<unknown>
}

/**
 * The outcome of a fetch. `refused`: the document is unsigned, has a wrong signature, is stale or older than the previous
 * one. `not_due`: too early, or another node is fetching.
 */
type FetchOutcome = 'ok' | 'unchanged' | 'failed' | 'refused' | 'not_due'

/** Interval between fetches of all nodes together, in milliseconds. */
const FETCH_INTERVAL_MS = 3_600_000
const RETRY_DELAY_MS = 300_000
/** A starting node fetches immediately, unless there was a fetch within this time. */
const MIN_START_INTERVAL_MS = 60_000
const MAX_BYTES = 4 * 1024 * 1024
/** Registry bundles belong to no workspace and have a resource share of their own. */
const REGISTRY_TENANT: Tenant = { workspaceId: 'registry' }

/**
 * Fetches the registry if it is due, and stores its integrations. A document that cannot be fetched, is invalid, or is
 * not validly signed by a known key changes nothing: the last valid document stays in effect.
 */
export async function fetchRegistry(
  deps: FetchRegistryDeps,
  options: { readonly isStart: boolean },
): Promise<FetchOutcome> {
  const now = deps.now()
  const dueBefore = options.isStart ? now + FETCH_INTERVAL_MS - MIN_START_INTERVAL_MS : now
  const nextAt = now + FETCH_INTERVAL_MS
  const registry = await deps.database.transaction((trx) =>
    registryStore.claim(trx, deps.registryUrl, dueBefore, nextAt),
  )
  if (registry === undefined) return 'not_due'
  try {
    return await fetchAndSync(deps, registry)
  } catch (error) {
    const isRejected = error instanceof RegistryRejectedError
    deps.log.warn({ err: error }, isRejected ? DOCUMENT_REJECTED : FETCH_FAILED)
    const retryAt = now + RETRY_DELAY_MS
    await deps.database.transaction((trx) =>
      registryStore.reschedule(trx, deps.registryUrl, retryAt),
    )
    return isRejected ? 'refused' : 'failed'
  }
}

const FETCH_FAILED = 'the registry could not be fetched: keeping the last valid document'
const DOCUMENT_REJECTED = 'the registry document was rejected: keeping the last valid document'

async function fetchAndSync(deps: FetchRegistryDeps, registry: Registry): Promise<FetchOutcome> {
  const storedRegistry = verifyStoredDocument(deps, registry)
  const response = await requestDocument(deps, registry, storedRegistry)
  const isUnchanged = response.status === 304 && registry.document !== null
  if (!isUnchanged && response.status !== 200)
    throw new Error(`the registry responded with status ${response.status}`)
  const text = isUnchanged
    ? registry.document
    : new TextDecoder('utf-8', { fatal: true }).decode(response.body)
  const verified = verifyRegistry(text ?? '', deps.registryKeys)
  assertCurrent(verified, deps.now(), storedRegistry?.issuedAt)
  const document = parseRegistryDocument(verified.text)
  if (typeof document === 'string') throw new Error(document)
  if (!isUnchanged) {
    const fetched = { url: registry.url, etag: getEtag(response), document: text }
    await deps.database.transaction((trx) => registryStore.saveDocument(trx, fetched, deps.now()))
  }
  await syncCatalogue(deps, registryIntegrations(deps, document))
  await deps.afterSync()
  return isUnchanged ? 'unchanged' : 'ok'
}

/** The stored document, if a current key has signed it. An older document is a replay. */
function verifyStoredDocument(deps: FetchRegistryDeps, { document }: Registry) {
  try {
    return document === null ? undefined : verifyRegistry(document, deps.registryKeys)
  } catch {
    return undefined
  }
}

function requestDocument(
  deps: FetchRegistryDeps,
  { url, etag }: Registry,
  storedRegistry: VerifiedRegistry | undefined,
): Promise<EgressResponse> {
  // An expired document, or one signed with a replaced key, must be fetched again in full.
  const isReusable = storedRegistry !== undefined && storedRegistry.expiresAt > deps.now()
  const condition = etag === null || !isReusable ? {} : { 'if-none-match': etag }
  return deps.egressGateway.request(
    { method: 'GET', url, headers: { accept: 'application/json', ...condition } },
    {
      purpose: 'source',
      timeoutMs: 20_000,
      maxResponseBytes: MAX_BYTES,
      maxRedirects: 3,
      decompress: true,
    },
  )
}

/** An ETag as it is stored; null for none, or one that is too long. */
function getEtag({ rawHeaders }: EgressResponse): string | null {
  const etag = getHeader(rawHeaders, 'etag')
  return etag !== undefined && etag.length <= 200 ? etag : null
}

function registryIntegrations(
  deps: FetchRegistryDeps,
  { definitions }: RegistryDocument,
): OfferedIntegration[] {
  return definitions.map((definition: RegistryDefinition) => ({
    key: definition.key,
    name: definition.name,
    icon: definition.icon,
    category: definition.integrationType.key,
    stage: definition.releaseStage.key,
    versions: definition.versions,
    async load(version) {
      const code = await loadVersion(deps, definition.key, version, REGISTRY_TENANT)
      const actualSha256 = hash('sha256', code)
      if (actualSha256 !== version.sha256)
        throw new DigestMismatchError(`${definition.key} ${version.version}`, actualSha256)
      const { json } = await loadSpec(deps.runner, version.sha256, code, REGISTRY_TENANT)
      return { code, spec: json }
    },
  }))
}

/** Number of fetches by this node, by outcome. */
export type RegistryFetches = Record<Exclude<FetchOutcome, 'not_due'>, number>

/** Fetches the registry at startup and whenever it is due, until the service stops. */
export function startRegistryRounds(deps: FetchRegistryDeps, fetches: RegistryFetches): Rounds {
  let isStart = true
  const round = async (signal: AbortSignal) => {
    // Abort the fetch on shutdown instead of waiting for a slow registry.
    const egressGateway: EgressGateway = {
      ...deps.egressGateway,
      request: (request, policy) => deps.egressGateway.request(request, { ...policy, signal }),
    }
    const outcome = await fetchRegistry({ ...deps, egressGateway }, { isStart }).catch((error) => {
      deps.log.warn({ err: error }, 'background work failed')
      return 'failed' as const
    })
    isStart = false
    if (outcome !== 'not_due') fetches[outcome] += 1
    return false
  }
  return startRounds({
    round: (signal) => runJob('registry', () => round(signal)),
    onError: (error) => deps.log.warn({ err: error }, 'background work failed'),
    pollMs: POLL_INTERVAL_MS,
    firstMs: 0,
    isJittered: true,
  })
}

/** The database decides which node fetches. */
const POLL_INTERVAL_MS = 60_000
