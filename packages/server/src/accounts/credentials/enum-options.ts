import type { InputProperty } from '@linchpin/runner'
import { optionKey } from '../../definitions/spec/option-key.ts'

/** One value that a field may have. */
export interface EnumOption {
  readonly value: unknown
  /** What people call it, where the spec says so. */
  readonly label?: unknown
}

/**
 * The values that a field may have, when the spec lists them: by `enum`, by `const`, or by a `oneOf` or `anyOf` of nothing
 * but constants, each with a title. Undefined when any value may do.
 */
export function enumOptions(property: InputProperty): readonly EnumOption[] | undefined {
  const { enum: values, const: constant, 'x-labels': labels = {}, oneOf, anyOf } = property
  if (Array.isArray(values) && values.length > 0)
    return values.map((value) => {
      const name = optionKey(value)
      return { value, label: Object.hasOwn(labels, name) ? labels[name] : undefined }
    })
  if (constant !== undefined) return [{ value: constant }]
  return constOptions(oneOf) ?? constOptions(anyOf)
}

function constOptions(schemas: unknown): EnumOption[] | undefined {
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
