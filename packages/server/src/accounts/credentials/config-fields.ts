import type { InputProperty, Spec } from '@linchpin/runner'

/** The fields that a spec defines for one auth type: its own inputs and the inputs shared by all types. */
export interface ConfigFields {
  readonly properties: ReadonlyMap<string, InputProperty>
  readonly required: readonly string[]
  /** Whether the spec has a `required` list at all: many published specs have none. */
  readonly declaresRequired: boolean
}

/** The fields of an auth type, with names as in the spec; undefined if the spec has no such type. */
export function configFields(spec: Spec, authType: string): ConfigFields | undefined {
  if (!Object.hasOwn(spec.auth_specification, authType)) return undefined
  const specifications = [
    spec.auth_specification[authType]?.input_specification,
    spec.other_inputs?.input_specification,
  ]
  return {
    properties: mergeProperties(
      specifications.flatMap((specification) => Object.entries(specification?.properties ?? {})),
    ),
    required: specifications.flatMap((specification) => specification?.required ?? []),
    declaresRequired: specifications.some((specification) => specification?.required !== undefined),
  }
}

/** Whether an auth type uses OAuth with an authorization page, as `preferOAuth` requires. */
export function isOAuthType(spec: Spec, authType: string): boolean {
  if (!Object.hasOwn(spec.auth_specification, authType)) return false
  const auth = spec.auth_specification[authType]
  return Boolean(auth?.authorization_url && auth.token_url)
}

/** A field that is declared twice is secret if either declaration marks it so. */
function mergeProperties(
  fields: readonly [string, InputProperty][],
): ReadonlyMap<string, InputProperty> {
  const properties = new Map<string, InputProperty>()
  for (const [name, property] of fields) {
    const existing = properties.get(name)
    properties.set(name, existing === undefined ? property : mergeProperty(existing, property))
  }
  return properties
}

function mergeProperty(one: InputProperty, other: InputProperty): InputProperty {
  const isSecret = isMarkedSecret(one) || isMarkedSecret(other)
  return { ...one, ...other, ...(isSecret ? { 'x-secret': true } : {}) }
}

function isMarkedSecret(property: InputProperty): boolean {
  return (
    property.format === 'password' || property.writeOnly === true || property['x-secret'] === true
  )
}
