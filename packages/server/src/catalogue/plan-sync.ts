import { compareVersions } from '@linchpin/catalogue'
import type { CatalogueVersionRow } from '../storage/tables.ts'
import { catalogueDefinitionId } from './catalogue-definition-id.ts'
import type { SharedRow } from './catalogue-store.ts'
import type { Offer, OfferedVersion } from './offer.ts'

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
  /** Versions whose bytes are other ones than were known. */
  readonly changed: readonly OfferedVersion[]
  /** The newest version of all that are known. */
  readonly latest: { readonly version: string; readonly sourceUrl: string }
}

/**
 * Compares an offer with what is there. A shared definition only ever moves to a newer version, so that nodes of two releases
 * agree; a version whose bytes have changed counts for nothing.
 */
export function planOffer(
  offer: Offer,
  row: SharedRow | undefined,
  known: readonly CatalogueVersionRow[],
): OfferPlan {
  const digests = new Map(known.map((each) => [each.version, each.bundle_sha256]))
  const isChanged = ({ version, sha256 }: OfferedVersion) =>
    (digests.get(version) ?? sha256) !== sha256
  const sound = offer.versions.filter((each) => !isChanged(each))
  const [newest] = sound
  const isNewer =
    newest !== undefined && (row === undefined || compareVersions(newest.version, row.version) > 0)
  const latest = [
    ...known.map(({ version, source_url }) => ({ version, sourceUrl: source_url })),
    ...sound,
  ].toSorted((one, other) => compareVersions(other.version, one.version))[0]
  return {
    offer,
    definitionId: catalogueDefinitionId(offer.key),
    row,
    moveTo: isNewer ? newest : undefined,
    added: sound.filter(({ version }) => !digests.has(version)),
    changed: offer.versions.filter(isChanged),
    latest: latest ?? { version: '0.0.0', sourceUrl: '' },
  }
}
