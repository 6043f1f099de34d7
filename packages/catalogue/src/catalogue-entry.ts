import type { Entry } from '@linchpin/kit/entry'

/** A version of an integration: its bundle and its spec. */
export interface CatalogueVersion {
  readonly version: string
  /** SHA-256 of the bundle, in lower-case hexadecimal. */
  readonly sha256: string
  /** The result of SPEC, as JSON. */
  readonly spec: string
  /** What the bundle is made of, if it is data. */
  readonly entry?: Entry
}

/** An integration of the catalogue. */
export interface CatalogueEntry {
  readonly key: string
  readonly name: string
  /** Key of its category, such as `TICKETING`. */
  readonly category: string
  /** Key of its release stage, such as `ALPHA`. */
  readonly stage: string
  /** The provider's documentation that it is based on. */
  readonly docs: string
  /** Whether it has an icon of its own. */
  readonly hasIcon: boolean
  /** Newest first; never empty. */
  readonly versions: readonly CatalogueVersion[]
}
