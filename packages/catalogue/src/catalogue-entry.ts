/** One version of an integration: its bundle, and what it answers to SPEC. */
export interface CatalogueVersion {
  readonly version: string
  /** SHA-256 of the bundle, in lower-case hexadecimal. */
  readonly sha256: string
  /** What SPEC answers, JSON. */
  readonly spec: string
}

/** An integration of the catalogue. */
export interface CatalogueEntry {
  readonly key: string
  readonly name: string
  /** Key of its category, such as `TICKETING`. */
  readonly category: string
  /** Key of its release stage, such as `ALPHA`. */
  readonly stage: string
  /** The page of the provider that it was written from. */
  readonly docs: string
  /** Newest first; never empty. */
  readonly versions: readonly CatalogueVersion[]
}
