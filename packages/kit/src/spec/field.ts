import type { InputProperty } from '@linchpin/runner/protocol'

/** One form field. `T` is its type in `config`; with `O` it is optional there. */
export interface Field<T = unknown, O extends boolean = boolean> {
  readonly property: InputProperty
  readonly optional: O
  /** Never set: it carries the type of the value. */
  readonly value?: T
}

/** Fields by their name in `config`. */
export type Fields = Readonly<Record<string, Field>>

/** Whether the values of a field are secret. */
export function isSecretField(field: Field | undefined): boolean {
  return field?.property.format === 'password' || field?.property['x-secret'] === true
}

/** The type of `config` for these fields. */
export type Values<F extends Fields> = {
  readonly [K in keyof F as F[K] extends Field<unknown, true> ? never : K]: ValueOf<F[K]>
} & {
  readonly [K in keyof F as F[K] extends Field<unknown, true> ? K : never]?: ValueOf<F[K]>
}

type ValueOf<F> = F extends Field<infer T, boolean> ? T : never

/** Options of a field. */
export interface FieldOptions<T = string> {
  /** One or two sentences below the field: where to find the value. */
  readonly help?: string
  /** The provider's page where the value is created or shown. */
  readonly helpUrl?: string
  /** An example. Tests use it as the value, so it should match the pattern. */
  readonly placeholder?: string
  /** A regular expression for the whole value. Required for a field inside a host name. */
  readonly pattern?: string
  /** May be left empty. */
  readonly optional?: boolean
  /** The default value. Code finds it in `config` if the user entered nothing. */
  readonly default?: T
  /** Position in the form; smaller is first. Default: the order of declaration. */
  readonly order?: number
  /** In characters. */
  readonly minLength?: number
  /** In characters. */
  readonly maxLength?: number
  /** The texts in other languages, by language: `{ de: { label: 'API-Schlüssel' } }`. Absent texts are the field's own. */
  readonly i18n?: Readonly<Record<string, Translation>>
  /** Overrides the kind of the field: `secret` is secret, all others are not. */
  readonly isSecret?: boolean
}

/** The texts of a field in one language. */
export interface Translation {
  readonly label?: string
  readonly help?: string
  readonly placeholder?: string
  /** Display names of the values of `select`, by value. */
  readonly values?: Readonly<Record<string, string>>
}

/** Whether options make a field optional, as a type. */
export type IsOptional<O> = O extends { readonly optional: true }
  ? O extends { readonly default: unknown }
    ? false
    : true
  : false
