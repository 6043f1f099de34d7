import type { InputProperty } from '@linchpin/runner'
import { getOptionKey } from '../../definitions/spec/get-option-key.ts'

/** An allowed value of a field. */
export interface EnumOption {
  readonly value: unknown
  /** Its display name, if the spec has one. */
  readonly label?: unknown
}

/**
 * The allowed values of a field if the spec lists them: by `enum`, by `const`, or by a `oneOf` or `anyOf` that
 * consists of constants with titles. Undefined if any value is allowed.
 */
export function listEnumOptions(property: InputProperty): readonly EnumOption[] | undefined {
  const { enum: values, const: constant, 'x-labels': labels = {}, oneOf, anyOf } = property
  if (Array.isArray(values) && values.length > 0)
    return values.map((value) => {
      const name = getOptionKey(value)
      return { value, label: Object.hasOwn(labels, name) ? labels[name] : undefined }
    })
  if (constant !== undefined) return [{ value: constant }]
  return listConstOptions(oneOf) ?? listConstOptions(anyOf)
}

function listConstOptions(schemas: unknown): EnumOption[] | undefined {
  if (!Array.isArray(schemas) || schemas.length === 0) return undefined
  const options = schemas.flatMap((schema: unknown) => {
    const isConstant =
      typeof schema === 'object' && schema !== null && Object.hasOwn(schema, 'const')
    return isConstant ? [schema as { const: unknown; title?: unknown }] : []
  })
  return options.length === schemas.length
    ? options.map(({ const: value, title }) => ({ value, label: title }))
    : undefined
}
