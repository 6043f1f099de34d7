/** Storage of this tab that survives a reload where the browser allows it. */
export interface SessionStorage {
  get(key: string): string | undefined
  set(key: string, value: string): void
  delete(key: string): void
}

/**
 * Uses `sessionStorage`. Strict browsers block it in third-party frames (access throws); the history entry's state is used
 * instead, which other sites cannot read either.
 */
export function createSessionStorage(): SessionStorage {
  const storage = getBrowserStorage()
  if (storage !== undefined)
    return {
      get: (key) => storage.getItem(key) ?? undefined,
      set: (key, value) => storage.setItem(key, value),
      delete: (key) => storage.removeItem(key),
    }
  const memory = new Map<string, string>(Object.entries(readHistoryState()))
  const write = () => history.replaceState(Object.fromEntries(memory), '')
  return {
    get: (key) => memory.get(key),
    set(key, value) {
      memory.set(key, value)
      write()
    },
    delete(key) {
      memory.delete(key)
      write()
    },
  }
}

function getBrowserStorage(): Storage | undefined {
  try {
    return sessionStorage
  } catch {
    return undefined
  }
}

function readHistoryState(): Record<string, string> {
  const state: unknown = history.state
  return typeof state === 'object' && state !== null ? { ...state } : {}
}
