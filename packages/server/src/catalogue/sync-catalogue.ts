import { recordAudit } from '../audit/audit-store.ts'
import type { BundleStore } from '../definition/bundle-store.ts'
import type { Log } from '../http/log.ts'
import { CATALOGUE_USER, CATALOGUE_WORKSPACE } from '../storage/catalogue-owner.ts'
import type { Database } from '../storage/database.ts'
import type { CatalogueVersionRow } from '../storage/tables.ts'
import type { Transaction } from '../storage/transaction.ts'
import type { CatalogueStore, SharedRow } from './catalogue-store.ts'
import { type LoadedVersion, type Offer, type OfferedVersion, OtherBytes } from './offer.ts'
import { type Facts, offerFacts } from './offer-facts.ts'
import { type OfferPlan, planOffer } from './plan-sync.ts'

export interface SyncDeps {
  readonly database: Database
  readonly bundles: BundleStore
  readonly catalogue: CatalogueStore
  readonly log: Log
  /** Epoch milliseconds. */
  readonly now: () => number
}

/** What a round came to. */
export interface SyncResult {
  /** Definitions that were added or moved to a newer version. */
  readonly moved: number
  /** Definitions whose newest bundle could not be had; they stay as they are. */
  readonly failed: number
  /** Versions whose bytes are others than were known. They are reported and never run. */
  readonly changed: number
}

/**
 * Brings what is offered into storage, for all workspaces. Before a definition moves to a newer version, every workspace
 * that has live accounts of it is pinned to the version that it runs: no running code changes without somebody's act.
 */
export async function syncCatalogue(deps: SyncDeps, offers: readonly Offer[]): Promise<SyncResult> {
  const [rows, known] = await Promise.all([deps.catalogue.shared(), deps.catalogue.versions()])
  const byKey = new Map(rows.map((row) => [row.key, row]))
  const versions = Map.groupBy(known, ({ definition_id }) => definition_id)
  const plans = offers.map((offer) => {
    const row = byKey.get(offer.key)
    return planOffer(offer, row, versions.get(row?.definition_id ?? '') ?? [])
  })
  const wanted = plans.filter(isWork)
  const result = { moved: 0, failed: 0, changed: 0 }
  for (let from = 0; from < wanted.length; from += AT_ONCE) {
    const some = await Promise.all(
      wanted.slice(from, from + AT_ONCE).map((plan) => load(deps, plan)),
    )
    await deps.database.transaction((trx) => store(deps, trx, some), { serializable: true })
    for (const { plan, loaded, changed } of some) {
      result.changed += changed.length
      if (loaded !== undefined) result.moved += 1
      else if (plan.moveTo !== undefined) result.failed += 1
    }
  }
  return result
}

/** So many bundles are held in memory together. */
const AT_ONCE = 40

interface Loaded {
  readonly plan: OfferPlan
  /** The bundle to move to; undefined where there is none, or it cannot be had. */
  readonly loaded: LoadedVersion | undefined
  /** Versions to report: their bytes are others than were known, or than their digest says. */
  readonly changed: readonly OfferedVersion[]
}

function isWork({ offer, row, moveTo, added, corrected, changed, latest }: OfferPlan): boolean {
  return (
    moveTo !== undefined ||
    added.length + corrected.length + changed.length > 0 ||
    latest.version !== row?.latest_version ||
    latest.sourceUrl !== row.latest_source_url ||
    !hasFacts(row, offer)
  )
}

async function load(deps: SyncDeps, plan: OfferPlan): Promise<Loaded> {
  const { moveTo, offer, changed } = plan
  if (moveTo === undefined) return { plan, loaded: undefined, changed }
  try {
    return { plan, loaded: await offer.load(moveTo), changed }
  } catch (error) {
    const about = { err: error, key: offer.key, version: moveTo.version }
    deps.log.warn(about, 'an integration was not had')
    const other = error instanceof OtherBytes ? [{ ...moveTo, sha256: error.sha256 }] : []
    return { plan, loaded: undefined, changed: [...changed, ...other] }
  }
}

async function store(deps: SyncDeps, trx: Transaction, all: readonly Loaded[]): Promise<void> {
  await deps.catalogue.makeOwner(trx, deps.now())
  for (const { plan, loaded, changed } of all) {
    await storeShared(deps, trx, plan, loaded)
    const { definitionId, row, added, corrected } = plan
    if (row !== undefined || loaded !== undefined)
      for (const each of added) await deps.catalogue.insertVersion(trx, toRow(definitionId, each))
    for (const each of corrected)
      await deps.catalogue.correctVersion(trx, toRow(definitionId, each))
    for (const version of changed) await reportChanged(deps, trx, plan, version)
  }
}

function toRow(
  definition_id: string,
  { version, sourceUrl, sha256 }: OfferedVersion,
): CatalogueVersionRow {
  return { definition_id, version, source_url: sourceUrl, bundle_sha256: sha256 }
}

async function storeShared(
  deps: SyncDeps,
  trx: Transaction,
  { definitionId, offer, row, moveTo, latest }: OfferPlan,
  loaded: LoadedVersion | undefined,
): Promise<void> {
  const now = deps.now()
  const move = moveTo && loaded && movedTo(moveTo, loaded)
  if (moveTo && loaded) await deps.bundles.keep(trx, moveTo.sha256, loaded.code, now)
  const facts = {
    ...offerFacts(offer, row),
    latest_version: latest.version,
    latest_source_url: latest.sourceUrl,
  }
  const ids = { definition_id: definitionId, workspace_id: CATALOGUE_WORKSPACE, key: offer.key }
  const times = { created_at: now, updated_at: now, deleted_at: null }
  if (row === undefined) {
    if (move !== undefined)
      await deps.catalogue.insert(trx, { ...ids, ...facts, ...move, ...times })
    return
  }
  const isSame = Object.entries(facts).every(([name, value]) => row[name as keyof Facts] === value)
  if (move === undefined && isSame) return
  if (move !== undefined) await deps.catalogue.pinUsers(trx, definitionId)
  await deps.catalogue.update(trx, row, { ...facts, ...move, updated_at: now })
}

function movedTo({ version, sourceUrl, sha256 }: OfferedVersion, { spec }: LoadedVersion) {
  return { version, source_url: sourceUrl, bundle_sha256: sha256, spec }
}

function hasFacts(row: SharedRow | undefined, offer: Offer): boolean {
  const facts = Object.entries(offerFacts(offer, row))
  return row !== undefined && facts.every(([name, value]) => row[name as keyof Facts] === value)
}

/** Once for each digest, however often it is met. */
async function reportChanged(
  deps: SyncDeps,
  trx: Transaction,
  { definitionId, offer }: OfferPlan,
  { version, sha256 }: OfferedVersion,
): Promise<void> {
  const detail = { version, sha256 }
  deps.log.warn({ key: offer.key, ...detail }, 'the bundle of a known version has other bytes')
  if (await deps.catalogue.isReported(trx, definitionId, JSON.stringify(detail))) return
  const actor = { userId: CATALOGUE_USER, tokenId: null, requestId: 'catalogue' }
  await recordAudit(trx, actor, deps.now(), {
    action: 'definition.bundle_changed',
    workspaceId: CATALOGUE_WORKSPACE,
    subject: definitionId,
    detail,
  })
}
