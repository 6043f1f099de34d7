import type { SessionStorage } from './session-storage.ts'

/**
 * The visit of a frame, which has no cookies: what the server wrote into the page goes back in a header. One per link and
 * person, so that the next person at this tab starts anew.
 */
export interface FrameSession {
  /** Whether an earlier page of this tab has a visit that the page at this address was not made for. */
  has(url: URL): boolean
  headers(url: URL): Record<string, string>
  /** Takes over what a page carries. */
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

/** The link of an address of ours, whatever slashes are in it. */
export function getLinkId(pathname: string): string {
  return /\/link\/+(?:frame\/+)?([^/]+)/.exec(pathname)?.[1] ?? ''
}
