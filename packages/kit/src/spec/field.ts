import type { InputProperty } from '@linchpin/runner/protocol'

/**
 * One thing that a person fills in. `T` is the type that it has in `config`; with `O` it may be missing there.
 */
export interface Field<T = unknown, O extends boolean = boolean> {
  readonly property: InputProperty
  readonly optional: O
  /** Never there: it carries the type of the value. */
  readonly value?: T
}

/** Fields by their name in `config`. */
export type Fields = Readonly<Record<string, Field>>

/** What `config` holds for these fields. */
export type Values<F extends Fields> = {
  readonly [K in keyof F as F[K] extends Field<unknown, true> ? never : K]: ValueOf<F[K]>
} & {
  readonly [K in keyof F as F[K] extends Field<unknown, true> ? K : never]?: ValueOf<F[K]>
}

type ValueOf<F> = F extends Field<infer T, boolean> ? T : never

/** What a field may say of itself. */
export interface FieldOptions<T = string> {
  /** One or two sentences below the field: where to find the value. */
  readonly help?: string
  /** The provider's page where the value is made or found. */
  readonly helpUrl?: string
  /** An example. Tests use it as the value, so let it fit the pattern. */
  readonly placeholder?: string
  /** A regular expression for the whole value. A field inside a host name needs one. */
  readonly pattern?: string
  /** May be left empty. */
  readonly optional?: boolean
  /** Filled in already. Code finds it in `config` when nothing was given. */
  readonly default?: T
  /** Place in the form; smaller comes first. Without it, the order of writing. */
  readonly order?: number
  /** In characters. */
  readonly minLength?: number
  /** In characters. */
  readonly maxLength?: number
  /** Says otherwise than the kind of the field: `secret` is, all others are not. */
  readonly isSecret?: boolean
}

/** Whether options make a field optional, as a type. */
export type IsOptional<O> = O extends { readonly optional: true }
  ? O extends { readonly default: unknown }
    ? false
    : true
  : false
