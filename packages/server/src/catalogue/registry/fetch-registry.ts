import { hash, type KeyObject } from 'node:crypto'
import type { GateResponse, Runner, Tenant } from '@linchpin/runner'
import { readSpec } from '../../definition/spec/read-spec.ts'
import type { RegistryRow } from '../../storage/tables.ts'
import { type LoadVersionDeps, loadVersion } from '../load-version.ts'
import { type Offer, OtherBytes } from '../offer.ts'
import { type SyncDeps, syncCatalogue } from '../sync-catalogue.ts'
import { judgeRegistry, type RegistryDefinition, type RegistryDocument } from './judge-registry.ts'
import { registryStore } from './registry-store.ts'
import {
  RegistryRefusal,
  refuseTimes,
  type VerifiedRegistry,
  verifyRegistry,
} from './verify-registry.ts'

export interface FetchRegistryDeps extends SyncDeps, LoadVersionDeps {
  readonly runner: Runner
  /** LINCHPIN_REGISTRY_URL. */
  readonly registryUrl: string
  /** LINCHPIN_REGISTRY_KEY: one of them has to have signed the document. */
  readonly registryKeys: readonly KeyObject[]
}

/**
 * What came of it. `refused`: its document is unsigned, wrongly signed, stale or older than the one before. `early`: it
 * was not time, or another node's turn.
 */
export type FetchOutcome = 'ok' | 'unchanged' | 'failed' | 'refused' | 'early'

/** Between fetches of all nodes together, in milliseconds. */
const EVERY_MS = 3_600_000
const AFTER_FAILURE_MS = 300_000
/** A start asks at once, unless somebody has asked just now. */
const JUST_NOW_MS = 60_000
const MAX_BYTES = 4 * 1024 * 1024
/** Bundles of the registry belong to no workspace; they get a share of their own. */
const REGISTRY: Tenant = { workspaceId: 'registry' }

/**
 * Fetches the registry when it is time, and brings what it offers into storage. A document that cannot be fetched, is not
 * valid, or is not signed by a known key for this time changes nothing: the last good document stays.
 */
export async function fetchRegistry(
  deps: FetchRegistryDeps,
  when: { readonly isStart: boolean },
): Promise<FetchOutcome> {
  const now = deps.now()
  const due = when.isStart ? now + EVERY_MS - JUST_NOW_MS : now
  const nextAt = now + EVERY_MS
  const known = await deps.database.transaction((trx) =>
    registryStore.claim(trx, deps.registryUrl, due, nextAt),
  )
  if (known === undefined) return 'early'
  try {
    return await take(deps, known)
  } catch (error) {
    const isRefused = error instanceof RegistryRefusal
    deps.log.warn({ err: error }, isRefused ? REFUSED : FAILED)
    const sooner = { next_at: now + AFTER_FAILURE_MS }
    await deps.database.transaction((trx) => registryStore.update(trx, deps.registryUrl, sooner))
    return isRefused ? 'refused' : 'failed'
  }
}

const FAILED = 'the registry was not had: the last good document stays'
const REFUSED = 'the registry document was refused: the last good document stays'

async function take(deps: FetchRegistryDeps, known: RegistryRow): Promise<FetchOutcome> {
  const newest = lastVerified(deps, known)
  const answer = await ask(deps, known, newest)
  const isUnchanged = answer.status === 304 && known.document !== null
  if (!isUnchanged && answer.status !== 200)
    throw new Error(`the registry answered ${answer.status}`)
  const text = isUnchanged
    ? known.document
    : new TextDecoder('utf-8', { fatal: true }).decode(answer.body)
  const verified = verifyRegistry(text ?? '', deps.registryKeys)
  refuseTimes(verified, deps.now(), newest?.issuedAt)
  const document = judgeRegistry(verified.text)
  if (typeof document === 'string') throw new Error(document)
  if (!isUnchanged) {
    const change = { etag: headerOf(answer, 'etag'), document: text, fetched_at: deps.now() }
    await deps.database.transaction((trx) => registryStore.update(trx, known.url, change))
  }
  await syncCatalogue(deps, registryOffers(deps, document))
  return isUnchanged ? 'unchanged' : 'ok'
}

/** The stored document, as far as a present key signed it: an older one is a replay. */
function lastVerified(deps: FetchRegistryDeps, { document }: RegistryRow) {
  try {
    return document === null ? undefined : verifyRegistry(document, deps.registryKeys)
  } catch {
    return undefined
  }
}

function ask(
  deps: FetchRegistryDeps,
  { url, etag }: RegistryRow,
  newest: VerifiedRegistry | undefined,
): Promise<GateResponse> {
  // One that has expired, or that no present key signed, is no answer to "unchanged".
  const isGood = newest !== undefined && newest.expiresAt > deps.now()
  const condition = etag === null || !isGood ? {} : { 'if-none-match': etag }
  return deps.gate.request(
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

function headerOf({ rawHeaders }: GateResponse, name: string): string | null {
  const at = rawHeaders.findIndex((each, index) => index % 2 === 0 && each.toLowerCase() === name)
  const value = at === -1 ? undefined : rawHeaders[at + 1]
  return value !== undefined && value.length <= 200 ? value : null
}

function registryOffers(deps: FetchRegistryDeps, { definitions }: RegistryDocument): Offer[] {
  return definitions.map((definition: RegistryDefinition) => ({
    key: definition.key,
    name: definition.name,
    icon: definition.icon,
    category: definition.integrationType.key,
    stage: definition.releaseStage.key,
    versions: definition.versions,
    async load(version) {
      const code = await loadVersion(deps, definition.key, version, REGISTRY)
      const came = hash('sha256', code)
      if (came !== version.sha256)
        throw new OtherBytes(`${definition.key} ${version.version}`, came)
      const { json } = await readSpec(deps.runner, version.sha256, code, REGISTRY)
      return { code, spec: json }
    },
  }))
}
