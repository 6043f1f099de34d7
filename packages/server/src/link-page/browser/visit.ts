import type { Kept } from './kept.ts'

/**
 * The visit of a frame, which has no cookies: what the server wrote into the page goes back in a header. One per link and
 * person, so that the next person at this tab starts anew.
 */
export interface FrameVisit {
  /** Whether an earlier page of this tab has a visit that the page at this address was not made for. */
  isKept(url: URL): boolean
  headers(url: URL): Record<string, string>
  /** Takes over what a page carries. */
  take(url: URL, page: HTMLElement): void
}

export function createFrameVisit(kept: Kept): FrameVisit {
  const keyOf = ({ pathname, searchParams }: URL) =>
    `linchpin:visit:${linkOf(pathname)}:${searchParams.get('accountIdentifier') ?? ''}`
  return {
    isKept: (url) => kept.get(keyOf(url)) !== undefined,
    headers(url): Record<string, string> {
      const visit = kept.get(keyOf(url))
      return visit === undefined ? {} : { 'x-linchpin-visit': visit }
    },
    take(url, { dataset: { visit } }) {
      if (visit !== undefined) kept.set(keyOf(url), visit)
    },
  }
}

/** The link of an address of ours, whatever slashes are in it. */
export function linkOf(pathname: string): string {
  return /\/link\/+(?:frame\/+)?([^/]+)/.exec(pathname)?.[1] ?? ''
}
