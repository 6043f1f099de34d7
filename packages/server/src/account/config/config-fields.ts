import type { InputProperty, Spec } from '@linchpin/runner'

/** What a spec asks for with one auth type: its own fields and the inputs that all share. */
export interface ConfigFields {
  readonly properties: ReadonlyMap<string, InputProperty>
  readonly required: readonly string[]
  /** Whether the spec says at all what is required: many in the wild do not. */
  readonly tellsRequired: boolean
}

/** The fields of an auth type; undefined when the spec has no such type. Spelled as in the spec. */
export function configFields(spec: Spec, authType: string): ConfigFields | undefined {
  if (!Object.hasOwn(spec.auth_specification, authType)) return undefined
  const places = [
    spec.auth_specification[authType]?.input_specification,
    spec.other_inputs?.input_specification,
  ]
  return {
    properties: merged(places.flatMap((place) => Object.entries(place?.properties ?? {}))),
    required: places.flatMap((place) => place?.required ?? []),
    tellsRequired: places.some((place) => place?.required !== undefined),
  }
}

/** Whether an auth type can be gone through at a provider's own page: what `preferOAuth` asks for. */
export function isOAuthType(spec: Spec, authType: string): boolean {
  if (!Object.hasOwn(spec.auth_specification, authType)) return false
  const auth = spec.auth_specification[authType]
  return Boolean(auth?.authorization_url && auth.token_url)
}

/** A field that two places name is secret as soon as one of them marks it so. */
function merged(fields: readonly [string, InputProperty][]): ReadonlyMap<string, InputProperty> {
  const properties = new Map<string, InputProperty>()
  for (const [name, property] of fields) {
    const before = properties.get(name)
    properties.set(name, before === undefined ? property : stricter(before, property))
  }
  return properties
}

function stricter(one: InputProperty, other: InputProperty): InputProperty {
  const isSecret = isMarked(one) || isMarked(other)
  return { ...one, ...other, ...(isSecret ? { 'x-secret': true } : {}) }
}

function isMarked(property: InputProperty): boolean {
  return (
    property.format === 'password' || property.writeOnly === true || property['x-secret'] === true
  )
}
