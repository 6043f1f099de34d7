/** Splits a list of values into chunks that fit the parameter limit of one statement. */
export function splitIntoChunks<T>(values: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(values.length / MAX_VALUES) }, (_, index) =>
    values.slice(index * MAX_VALUES, (index + 1) * MAX_VALUES),
  )
}

const MAX_VALUES = 500
