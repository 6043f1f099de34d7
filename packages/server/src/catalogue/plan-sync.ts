import { compareVersions } from '@linchpin/catalogue'
import { catalogueDefinitionId } from './catalogue-definition-id.ts'
import type { KnownVersion, SharedRow } from './catalogue-store.ts'
import { isOurs, type Offer, type OfferedVersion } from './offer.ts'

/** What an offer changes in storage. */
export interface OfferPlan {
  readonly offer: Offer
  readonly definitionId: string
  /** The shared definition as it is; undefined: there is none yet. */
  readonly row: SharedRow | undefined
  /** The version that the shared definition moves to; undefined: it stays. */
  readonly moveTo: OfferedVersion | undefined
  /** Versions that nobody knew. */
  readonly added: readonly OfferedVersion[]
  /** Known versions that are now told with another address, or with another digest while their bytes were never had. */
  readonly corrected: readonly OfferedVersion[]
  /** Versions whose bytes are other ones than were known. */
  readonly changed: readonly OfferedVersion[]
  /** The newest version that is offered now. */
  readonly latest: Latest
}

type Latest = Pick<OfferedVersion, 'version' | 'sourceUrl'>

/**
 * Compares an offer with what is there. A shared definition only ever moves to a newer version, so that nodes of two releases
 * agree; a version whose bytes have changed counts for nothing.
 */
export function planOffer(
  offer: Offer,
  row: SharedRow | undefined,
  known: readonly KnownVersion[],
): OfferPlan {
  const before = new Map(known.map((each) => [each.version, each]))
  const isChanged = (each: OfferedVersion) => differs(before.get(each.version), each)
  const sound = offer.versions.filter((each) => !isChanged(each))
  const [newest] = sound
  const isNewer =
    newest !== undefined && (row === undefined || compareVersions(newest.version, row.version) > 0)
  return {
    offer,
    definitionId: catalogueDefinitionId(offer.key),
    row,
    moveTo: isNewer ? newest : undefined,
    added: sound.filter(({ version }) => !before.has(version)),
    corrected: sound.filter((each) => isCorrected(before.get(each.version), each)),
    changed: offer.versions.filter(isChanged),
    latest: latestOf(offer, row, known, sound),
  }
}

/** A digest that was told wrongly may be told anew; one whose bytes were had stands, and ours before that of a registry. */
function differs(known: KnownVersion | undefined, { sha256, sourceUrl }: OfferedVersion): boolean {
  if (known === undefined || known.bundle_sha256 === sha256) return false
  return known.kept_sha256 !== null || (isOurs(known.source_url) && !isOurs(sourceUrl))
}

function isCorrected(
  known: KnownVersion | undefined,
  { sha256, sourceUrl }: OfferedVersion,
): boolean {
  if (known === undefined) return false
  const isElsewhere = known.source_url !== sourceUrl && !isOurs(known.source_url)
  return isElsewhere || known.bundle_sha256 !== sha256
}

/**
 * A registry that takes a version back offers it no more; then what comes with us, or what else the registry has, is the
 * newest. What comes with us says nothing about versions of a registry. First come those whose address is the one to tell.
 */
function latestOf(
  { versions }: Offer,
  row: SharedRow | undefined,
  known: readonly KnownVersion[],
  sound: readonly OfferedVersion[],
): Latest {
  const last: Latest | undefined = row && {
    version: row.latest_version ?? row.version,
    sourceUrl: row.latest_source_url ?? row.source_url,
  }
  const numbers = new Set(versions.map(({ version }) => version))
  const before = known.map(({ version, source_url }) => ({ version, sourceUrl: source_url }))
  const all = isOurs(versions[0]?.sourceUrl)
    ? [...sound, ...(last ? [last] : [])]
    : [
        ...before.filter(({ sourceUrl }) => isOurs(sourceUrl)),
        ...sound,
        ...before.filter(({ version }) => numbers.has(version)),
      ]
  const [latest = last] = all.toSorted((one, other) => compareVersions(other.version, one.version))
  return latest ?? { version: '0.0.0', sourceUrl: '' }
}
