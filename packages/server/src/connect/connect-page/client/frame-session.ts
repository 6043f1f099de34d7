/**
 * The session of an embedded page, which has no cookies: the token that the server rendered into the page is sent back in a
 * header. There is one per link and account identifier, so that the next user of this tab gets a new one.
 */
export interface FrameSession {
  /** Whether this tab already has a session for this URL, from an earlier page. */
  has(url: URL): boolean
  headers(url: URL): Record<string, string>
  /** Stores the token of a page. */
  store(url: URL, page: HTMLElement): void
}

export function createFrameSession(storage: SessionStorage): FrameSession {
  const getStorageKey = ({ pathname, searchParams }: URL) =>
    `linchpin:visit:${getPagePath(pathname)}:${searchParams.get('accountIdentifier') ?? ''}`
  return {
    has: (url) => storage.get(getStorageKey(url)) !== undefined,
    headers(url): Record<string, string> {
      const token = storage.get(getStorageKey(url))
      return token === undefined ? {} : { 'x-linchpin-visit': token }
    },
    store(url, { dataset: { visit } }) {
      if (visit !== undefined) storage.set(getStorageKey(url), visit)
    },
  }
}

/**
 * The path of the page of a link or of a connect session, without `frame`; a page URL may contain duplicate slashes. It starts
 * with the path of the public URL, if that has one.
 */
export function getPagePath(pathname: string): string {
  const [, prefix = '', folder = '', id = ''] =
    /^(.*)\/(link|connect)\/+(?:frame\/+)?([^/]+)/.exec(pathname) ?? []
  return `${prefix.replace(/\/+$/, '')}/${folder}/${id}`
}

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
