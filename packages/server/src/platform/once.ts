/** Returns a function that creates a value at its first call and returns that value from then on. */
export function once<T extends object>(create: () => T): () => T {
  let created: T | undefined
  return () => {
    created ??= create()
    return created
  }
}
