import type { InputProperty } from '@linchpin/runner'
import { choiceName } from '../../definition/spec/choice-name.ts'

/** One value that a field may have. */
export interface Choice {
  readonly value: unknown
  /** What people call it, where the spec says so. */
  readonly label?: unknown
}

/**
 * The values that a field may have, when the spec lists them: by `enum`, by `const`, or by a `oneOf` or `anyOf` of nothing
 * but constants, each with a title. Undefined when any value may do.
 */
export function choicesOf(property: InputProperty): readonly Choice[] | undefined {
  const { enum: values, const: only, 'x-labels': labels = {}, oneOf, anyOf } = property
  if (Array.isArray(values) && values.length > 0)
    return values.map((value) => {
      const name = choiceName(value)
      return { value, label: Object.hasOwn(labels, name) ? labels[name] : undefined }
    })
  if (only !== undefined) return [{ value: only }]
  return constants(oneOf) ?? constants(anyOf)
}

function constants(given: unknown): Choice[] | undefined {
  if (!Array.isArray(given) || given.length === 0) return undefined
  const choices = given.flatMap((one: unknown) => {
    const isConstant = typeof one === 'object' && one !== null && Object.hasOwn(one, 'const')
    return isConstant ? [one as { const: unknown; title?: unknown }] : []
  })
  return choices.length === given.length
    ? choices.map(({ const: value, title }) => ({ value, label: title }))
    : undefined
}
