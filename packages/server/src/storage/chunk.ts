/** Cuts a list for statements that take all its values: databases bound how many one statement may have. */
export function chunk<T>(values: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(values.length / MAX_VALUES) }, (_, index) =>
    values.slice(index * MAX_VALUES, (index + 1) * MAX_VALUES),
  )
}

const MAX_VALUES = 500
