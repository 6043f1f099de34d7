import type { InputProperty, Spec } from '@linchpin/runner'

/** What a spec asks for with one auth type: its own fields and the inputs that all share. */
export interface ConfigFields {
  readonly properties: ReadonlyMap<string, InputProperty>
  readonly required: readonly string[]
  /** Whether the spec says at all what is required: many in the wild do not. */
  readonly declaresRequired: boolean
}

/** The fields of an auth type; undefined when the spec has no such type. Spelled as in the spec. */
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

/** Whether an auth type can be gone through at a provider's own page: what `preferOAuth` asks for. */
export function isOAuthType(spec: Spec, authType: string): boolean {
  if (!Object.hasOwn(spec.auth_specification, authType)) return false
  const auth = spec.auth_specification[authType]
  return Boolean(auth?.authorization_url && auth.token_url)
}

/** A field that two places name is secret as soon as one of them marks it so. */
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
