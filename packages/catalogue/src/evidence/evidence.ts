/** Where a fact of an integration was read. */
export interface EvidenceSource {
  /** The page or file. */
  readonly url: string
  /**
   * provider: a document of the provider; sdk, openapi, discovery: code, a description of the API or metadata (RFC 8414) that the
   * provider publishes; library: public code of someone else.
   */
  readonly kind: 'provider' | 'sdk' | 'openapi' | 'discovery' | 'library'
  /** Of code: owner and name of the repository. */
  readonly repo?: string
  readonly commit?: string
  /** The day, as `2026-11-27`. */
  readonly seen: string
  /** The literal as it stands there: a URL, a name, a header; never a sentence or code. */
  readonly found: string
}

/** What proves one fact. */
export interface EvidenceRow {
  /** The names of the properties that lead to the value in the entry, joined by dots. */
  readonly path: string
  /** The value as the entry has it. */
  readonly value: unknown
  readonly sources: readonly EvidenceSource[]
  /** Why the entry is right where sources disagree. */
  readonly note?: string
}

/** The largest number of characters of `found`: a literal, not a text of someone else. */
export const MAX_FOUND = 120

/** Who publishes what one says is the same as what the other says: the same owner, or a fork with the same name. */
function areOneMaker(one: string, other: string): boolean {
  const [owner, name] = one.toLowerCase().split('/')
  const [otherOwner, otherName] = other.toLowerCase().split('/')
  return owner === otherOwner || (name !== undefined && name === otherName)
}

/** How many sources are independent of each other. Sources of the provider count as one. */
export function countIndependent(sources: readonly EvidenceSource[]): number {
  const makers: string[] = []
  for (const source of sources) {
    const maker = isOfProvider(source) ? 'provider' : (source.repo ?? new URL(source.url).host)
    if (!makers.some((each) => areOneMaker(each, maker))) makers.push(maker)
  }
  return makers.length
}

export function isOfProvider({ kind }: EvidenceSource): boolean {
  return kind !== 'library'
}

/** A document of the provider, or two that do not know of each other. */
export function isProven(sources: readonly EvidenceSource[]): boolean {
  return sources.some(isOfProvider) || countIndependent(sources) >= 2
}
