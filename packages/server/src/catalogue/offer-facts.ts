import { compareVersions } from '@linchpin/catalogue'
import { knownCategory } from '../definition/category.ts'
import type { DefinitionRow } from '../storage/tables.ts'
import type { SharedRow } from './catalogue-store.ts'
import { isOurs, type Offer } from './offer.ts'

/** What an offer says of a definition beside its versions. */
export type Facts = Pick<
  DefinitionRow,
  'name' | 'icon' | 'release_stage' | 'type_key' | 'type_name'
>

/**
 * What is to be shown of a definition. Whoever offers the newest version describes it, at the same version we and not a
 * registry; and an icon that we serve never gives way to an address elsewhere, which connect pages could not show.
 */
export function offerFacts(offer: Offer, row: SharedRow | undefined): Facts {
  if (row === undefined) return told(offer)
  const { name, icon, release_stage, type_key, type_name } = row
  if (!describes(offer, row)) return { name, icon, release_stage, type_key, type_name }
  const facts = told(offer)
  return isOurs(icon) && !isOurs(facts.icon) ? { ...facts, icon } : facts
}

function describes(
  { versions: [newest] }: Offer,
  { version, latest_version, latest_source_url }: SharedRow,
): boolean {
  if (newest === undefined) return false
  const ahead = compareVersions(newest.version, latest_version ?? version)
  return ahead > 0 || (ahead === 0 && (isOurs(newest.sourceUrl) || !isOurs(latest_source_url)))
}

function told({ name, icon, stage, category }: Offer): Facts {
  const type_name = knownCategory(category)?.name ?? category
  return { name, icon, release_stage: stage, type_key: category, type_name }
}
