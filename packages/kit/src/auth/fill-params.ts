import type { Fields } from '../spec/field.ts'
import { type Config, fillDeep } from '../values/fill.ts'

/** Replaces each `${name}` in parameters, and omits those that contain an optional, empty field. */
export function fillParams<V>(
  params: Readonly<Record<string, V>> = {},
  fields: Fields = {},
  config: Config,
): Readonly<Record<string, V>> {
  const isEmpty = ([, name = '']: readonly string[]) =>
    fields[name]?.optional === true && (config[name] ?? '') === ''
  const used = Object.entries(params).filter(
    ([, value]) => ![...JSON.stringify(value).matchAll(NAMES)].some(isEmpty),
  )
  return fillDeep(Object.fromEntries(used), config)
}

const NAMES = /\$\{([\w.-]+)\}/g
