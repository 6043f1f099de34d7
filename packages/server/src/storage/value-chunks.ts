/** Cuts a list for statements that take all its values: databases bound how many one statement may have. */
export function valueChunks<T>(values: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(values.length / MOST) }, (_, index) =>
    values.slice(index * MOST, (index + 1) * MOST),
  )
}

const MOST = 500
