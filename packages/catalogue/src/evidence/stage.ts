import type { Entry } from '@linchpin/kit/build'
import { checkEvidence } from './check-evidence.ts'
import { countIndependent, type EvidenceRow, isOfProvider } from './evidence.ts'
import { listFacts } from './list-facts.ts'
import { matchesFound } from './match-found.ts'

/**
 * How well the facts of an integration are proven. documented: each by a document of the provider or two independent sources;
 * corroborated: what a sign-in or a key is sent to, besides, by the provider or three independent sources, all read in the last
 * 180 days. No integration was connected to a real account.
 */
export type Stage = 'unproven' | 'documented' | 'corroborated'

const MAX_AGE_MS = 180 * 24 * 60 * 60 * 1_000
const CORROBORATED = 3

/** Computes the stage of an entry from its evidence. */
export function computeStage(entry: Entry, rows: readonly EvidenceRow[], now: number): Stage {
  if (checkEvidence(entry, rows).length > 0) return 'unproven'
  const byPath = new Map(rows.map((row) => [row.path, row]))
  const isCorroborated = listFacts(entry)
    .filter(({ path }) => isDecisive(path))
    .every((fact) => {
      const sources = (byPath.get(fact.path)?.sources ?? []).filter(
        ({ found, seen }) =>
          matchesFound(entry, fact, found) && now - Date.parse(seen) < MAX_AGE_MS,
      )
      return sources.some(isOfProvider) || countIndependent(sources) >= CORROBORATED
    })
  return isCorroborated ? 'corroborated' : 'documented'
}

/** Where customers and their secrets are sent. */
function isDecisive(path: string): boolean {
  return /^(?:base|hosts\.\d+)$|^auth\..*\.(?:base|authorize|token|refreshUrl|basic)$|headers\.[^.]+$/.test(
    path,
  )
}
