/** What this tab keeps over a reload; where the browser keeps nothing, until then. */
export interface Kept {
  get(key: string): string | undefined
  set(key: string, value: string): void
  delete(key: string): void
}

/** Frames in strict browsers may have no storage at all: asking for it throws. */
export function createKept(): Kept {
  const memory = new Map<string, string>()
  const stored = <Result>(act: (storage: Storage) => Result): Result | undefined => {
    try {
      return act(sessionStorage)
    } catch {
      return undefined
    }
  }
  return {
    get: (key) => memory.get(key) ?? stored((storage) => storage.getItem(key)) ?? undefined,
    set(key, value) {
      memory.set(key, value)
      stored((storage) => storage.setItem(key, value))
    },
    delete(key) {
      memory.delete(key)
      stored((storage) => storage.removeItem(key))
    },
  }
}
