import type { InputProperty } from '@linchpin/runner'
import type { ConfigFields } from '../../../accounts/accounts/credentials/find-value-errors.ts'
import { isMasked, listNestedFields } from '../../../accounts/accounts/credentials/is-masked.ts'
import { getFieldLabel } from './field-property.ts'
import { type FormField, getTypes, type RawField, toFormField } from './form-field.ts'

/**
 * The form fields of an auth type, those with an `x-order` first. An object with known properties is rendered as a group of
 * fields.
 */
export function createFormFields({
  properties,
  required,
  declaresRequired,
}: ConfigFields): FormField[] {
  /** Without `required` in the spec, a secret that is the only field is still required. */
  const getRequirement = (name: string): RawField['requirement'] => {
    if (declaresRequired) return required.includes(name) ? 'required' : 'optional'
    return properties.size === 1 && isMasked(name, properties.get(name) ?? {})
      ? 'required'
      : 'unspecified'
  }
  return sortByOrder([...properties])
    .map(([name, property]): RawField => ({ name, property, requirement: getRequirement(name) }))
    .flatMap((rawField) => nestedRawFields(rawField, properties) ?? [rawField])
    .map(toFormField)
}

/** The fields inside an object; undefined when it is a single field, or when names would collide. */
function nestedRawFields(
  { name, property, requirement }: RawField,
  all: ConfigFields['properties'],
): RawField[] | undefined {
  const nested = Object.entries(listNestedFields(property))
  const isObject = getTypes(property).every((type) => type === 'object' || type === 'null')
  if (
    !isObject ||
    nested.length === 0 ||
    nested.some(([nestedName]) => all.has(`${name}.${nestedName}`))
  )
    return undefined
  const { format, writeOnly, 'x-secret': isMarkedSecret, description } = property
  const isSecret = format === 'password' || writeOnly === true || isMarkedSecret === true
  const { required } = property as { readonly required?: unknown }
  const group = {
    name,
    label: getFieldLabel(name, property),
    help: description,
    isOptional: requirement === 'optional',
    isRequired: requirement === 'required',
    property,
  }
  return sortByOrder(nested).map(([nestedName, one]) => ({
    name: nestedName,
    property: isSecret ? { ...one, 'x-secret': true } : one,
    requirement: nestedRequirement(nestedName, requirement, required),
    group,
  }))
}

/** In an optional object no field is required. */
function nestedRequirement(
  nestedName: string,
  requirement: RawField['requirement'],
  required: unknown,
): RawField['requirement'] {
  if (requirement !== 'required' || !Array.isArray(required)) return 'unspecified'
  return required.includes(nestedName) ? 'required' : 'optional'
}

function sortByOrder(fields: readonly [string, InputProperty][]): [string, InputProperty][] {
  return fields.toSorted(([, one], [, other]) => getOrder(one) - getOrder(other))
}

function getOrder(property: InputProperty): number {
  const order = property['x-order']
  return typeof order === 'number' && Number.isFinite(order) ? order : Number.MAX_SAFE_INTEGER
}
