/** A set of functions without arguments that are called together. */
export function createListeners() {
  const listeners = new Set<() => void>()
  return {
    /** Returns a function that removes the listener. */
    add(listener: () => void): () => void {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    call(): void {
      for (const listener of listeners) listener()
    },
  }
}
