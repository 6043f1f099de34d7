import type { SessionStorage } from './session-storage.ts'

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
    `linchpin:visit:${getLinkId(pathname)}:${searchParams.get('accountIdentifier') ?? ''}`
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

/** The link ID in a page URL, which may contain duplicate slashes. */
export function getLinkId(pathname: string): string {
  return /\/link\/+(?:frame\/+)?([^/]+)/.exec(pathname)?.[1] ?? ''
}
