import type { InputProperty } from '@linchpin/runner'
import type { ConfigFields } from '../../account/config/config-fields.ts'
import { fieldLabel } from './field-label.ts'
import { type FormField, type Question, toField, typesOf } from './form-field.ts'
import { innerFields } from './inner-fields.ts'
import { isMasked } from './is-masked.ts'

/**
 * The questions of an auth type, in the order that the spec wishes: those with an `x-order` first. An object whose inside is
 * known is asked for field by field.
 */
export function formFields({ properties, required, tellsRequired }: ConfigFields): FormField[] {
  /** Where nothing is said, a key that is all there is to a way is required all the same. */
  const needOf = (name: string): Question['need'] => {
    if (tellsRequired) return required.includes(name) ? 'required' : 'optional'
    return properties.size === 1 && isMasked(name, properties.get(name) ?? {}) ? 'required' : 'open'
  }
  return inOrder([...properties])
    .map(([name, property]): Question => ({ name, property, need: needOf(name) }))
    .flatMap((question) => questionsInside(question, properties) ?? [question])
    .map(toField)
}

/** The questions inside an object; undefined where it is one question, or names would meet. */
function questionsInside(
  { name, property, need }: Question,
  all: ConfigFields['properties'],
): Question[] | undefined {
  const inner = Object.entries(innerFields(property))
  const isObject = typesOf(property).every((type) => type === 'object' || type === 'null')
  if (!isObject || inner.length === 0 || inner.some(([own]) => all.has(`${name}.${own}`)))
    return undefined
  const { format, writeOnly, 'x-secret': mark, description } = property
  const isSecret = format === 'password' || writeOnly === true || mark === true
  const { required } = property as { readonly required?: unknown }
  const group = {
    name,
    label: fieldLabel(name, property),
    help: description,
    isOptional: need === 'optional',
    isNeeded: need === 'required',
  }
  return inOrder(inner).map(([own, one]) => ({
    name: own,
    property: isSecret ? { ...one, 'x-secret': true } : one,
    need: innerNeed(own, need, required),
    group,
  }))
}

/** Of an object that may be left out, everything may be. */
function innerNeed(own: string, need: Question['need'], required: unknown): Question['need'] {
  if (need !== 'required' || !Array.isArray(required)) return 'open'
  return required.includes(own) ? 'required' : 'optional'
}

function inOrder(fields: readonly [string, InputProperty][]): [string, InputProperty][] {
  return fields.toSorted(([, one], [, other]) => orderOf(one) - orderOf(other))
}

function orderOf(property: InputProperty): number {
  const order = property['x-order']
  return typeof order === 'number' && Number.isFinite(order) ? order : Number.MAX_SAFE_INTEGER
}
