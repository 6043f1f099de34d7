/** A set of functions that are called together. */
export function createListeners<Args extends readonly unknown[] = []>() {
  const listeners = new Set<(...args: Args) => void>()
  return {
    /** Returns a function that removes the listener. */
    add(listener: (...args: Args) => void): () => void {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    call(...args: Args): void {
      for (const listener of listeners) listener(...args)
    },
  }
}
