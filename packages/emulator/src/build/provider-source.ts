import type { EvidenceFact } from './facts.ts'

/** What is known about a provider. */
export interface ProviderSource {
  readonly key: string
  readonly name: string
  /** The names of the authentication methods. */
  readonly authTypes: readonly string[]
  /** Those with a sign-in: without evidence, nothing else says which. */
  readonly signInTypes: readonly string[]
  /** Empty for an integration in code: its fixtures are the only description then. */
  readonly facts: readonly EvidenceFact[]
  /** The fixtures, as `loadFixtures` returns them. */
  readonly fixtures: Fixture & { readonly types?: Readonly<Record<string, Partial<Fixture>>> }
}

/** The properties of fixtures that are used here. */
export interface Fixture {
  readonly endpoint: string
  readonly sends: string | readonly string[]
  readonly good: unknown
  readonly bad?: unknown
  readonly insufficient?: unknown
  readonly limited?: unknown
  readonly login?: {
    readonly endpoint: string
    readonly sends?: string | readonly string[]
    readonly json?: Readonly<Record<string, unknown>>
    readonly form?: Readonly<Record<string, string>>
    readonly good?: unknown
    readonly bad?: unknown
  }
  readonly signIn?: Readonly<Record<string, unknown>>
  readonly endpoints?: Readonly<Record<string, unknown>>
  readonly config?: Readonly<Record<string, unknown>>
}
