import { getOptionKey } from '../../../integrations/definitions/spec/get-option-key.ts'
import type { FormField } from './form-field.ts'

/**
 * A field of an account that is reconnected, with its stored value: only for the session of this account, in the browser that
 * it is bound to. Both the spec and what was stored must say that the value is no secret. Secrets are always entered again, so
 * that none is sent to a host that the form names (decision 021).
 */
export function withStoredValue(
  field: FormField,
  publicConfig: Readonly<Record<string, unknown>> | undefined,
): FormField {
  const initial = field.isSecret ? undefined : toInitial(field, getValue(publicConfig, field))
  return initial === undefined ? field : { ...field, initial, isStored: true }
}

function getValue(config: unknown, { name, group }: FormField): unknown {
  if (group === undefined) return getMember(config, name)
  return getMember(getMember(config, group.name), name.slice(group.name.length + 1))
}

function getMember(value: unknown, name: string): unknown {
  const isObject = typeof value === 'object' && value !== null
  return isObject && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined
}

function toInitial({ kind, options }: FormField, value: unknown): string | undefined {
  if (kind === 'select') {
    const key = value === undefined ? undefined : getOptionKey(value)
    return options.find((option) => option.value === key)?.value
  }
  return ['string', 'number', 'boolean'].includes(typeof value) && value !== ''
    ? String(value)
    : undefined
}
