import type { LinkInit } from '@linchpin/client'
import type { Kept } from '../kept.ts'
import type { GoOptions, PageLoader } from '../load-page.ts'
import { narrowTo } from '../search-list.ts'
import type { Keys } from '../send-keys.ts'
import type { SignIn } from '../sign-in.ts'
import { mainOf } from './main-of.ts'

/** The ways through the page: each asks for an address, and shows what comes. */
export interface Moves {
  /** Goes elsewhere. What is being checked is taken back first; when it is too late for that, how it stands is shown. */
  goTo(url: URL, options?: GoOptions): Promise<void>
  /** Leaves an attempt that is under way. */
  leave(): void
  /** Takes over what the page around wants. */
  init(given: LinkInit): void
  /** A list that the server narrowed lacks the rows that another word would show: loads them all, and narrows it here. */
  widen(): Promise<void>
}

interface Movers {
  readonly loader: PageLoader
  readonly keys: Pick<Keys, 'takeBack'>
  readonly signIn: Pick<SignIn, 'stop'>
  readonly kept: Kept
}

export function createMoves({ loader, keys, signIn, kept }: Movers): Moves {
  const goTo: Moves['goTo'] = async (url, options = {}) => {
    const attempt = await keys.takeBack()
    if (attempt === undefined) return loader.go(url, options)
    const there = here()
    there.searchParams.set('attempt', attempt)
    return loader.go(there, { how: 'replace' })
  }
  return {
    goTo,
    leave() {
      signIn.stop()
      void goTo(without(here(), 'attempt'), { how: 'replace' })
    },
    init(given) {
      const url = here()
      const news = newsIn(url, given, kept)
      if (news.length === 0) return
      for (const [name, value] of news) url.searchParams.set(name, value)
      void goTo(url, { how: 'replace', isQuiet: true })
    },
    async widen() {
      const { searchParams } = here()
      const [query, category] = [searchParams.get('q') ?? '', searchParams.get('category') ?? '']
      if (query === '' && category === '') return
      await loader.go(without(here(), 'q', 'category'), { how: 'replace', isQuiet: true })
      narrowTo(mainOf(), query, category)
    },
  }
}

function here(): URL {
  return new URL(location.href)
}

function without(url: URL, ...names: readonly string[]): URL {
  for (const name of names) url.searchParams.delete(name)
  return url
}

/** What the address does not say yet. Which tool to begin with counts once: after a reload the person may be elsewhere. */
function newsIn(url: URL, given: LinkInit, kept: Kept): [string, string][] {
  const begun = `linchpin:begun:${url.hash}`
  const { integration, ...lasting } = given
  const wanted = kept.get(begun) === undefined ? given : lasting
  kept.set(begun, 'yes')
  return Object.entries(wanted).filter(
    ([name, value]) => value !== undefined && url.searchParams.get(name) !== value,
  )
}
