import type { LinkInit } from '@linchpin/client'
import { applySearch } from './enhance-search.ts'
import type { SessionStorage } from './frame-session.ts'
import type { NavigateOptions, PageLoader } from './page-loader.ts'
import { getMainElement } from './screen.ts'
import type { SignIn } from './sign-in.ts'
import type { CredentialSubmitter } from './submit-credentials.ts'

/** Navigation between the states of the page. */
export interface PageNavigation {
  /** Navigates to a URL after cancelling a running check; shows the result instead when it is too late to cancel. */
  goTo(url: URL, options?: NavigateOptions): Promise<void>
  /** Leaves a running submission. */
  leave(): void
  /** Applies the options of the host page. */
  init(linkInit: LinkInit): void
  /**
   * Loads the full list when the server filtered it, and filters it here, because another query needs the rows that the
   * server left out.
   */
  showFullList(): Promise<void>
}

interface PageNavigationOptions {
  readonly loader: PageLoader
  readonly submitter: Pick<CredentialSubmitter, 'cancel'>
  readonly signIn: Pick<SignIn, 'stop'>
  readonly storage: SessionStorage
}

export function createPageNavigation({
  loader,
  submitter,
  signIn,
  storage,
}: PageNavigationOptions): PageNavigation {
  const goTo: PageNavigation['goTo'] = async (url, options = {}) => {
    const submissionId = await submitter.cancel()
    if (submissionId === undefined) return loader.navigate(url, options)
    const submissionUrl = getCurrentUrl()
    submissionUrl.searchParams.set('attempt', submissionId)
    return loader.navigate(submissionUrl, { historyMode: 'replace' })
  }
  return {
    goTo,
    leave() {
      signIn.stop()
      void goTo(withoutParams(getCurrentUrl(), 'attempt'), { historyMode: 'replace' })
    },
    init(linkInit) {
      const url = getCurrentUrl()
      const changedParams = getChangedParams(url, linkInit, storage)
      if (changedParams.length === 0) return
      for (const [name, value] of changedParams) url.searchParams.set(name, value)
      void goTo(url, { historyMode: 'replace', keepFocus: true })
    },
    async showFullList() {
      const { searchParams } = getCurrentUrl()
      const [query, category] = [searchParams.get('q') ?? '', searchParams.get('category') ?? '']
      if (query === '' && category === '') return
      await loader.navigate(withoutParams(getCurrentUrl(), 'q', 'category'), {
        historyMode: 'replace',
        keepFocus: true,
      })
      applySearch(getMainElement(), query, category)
    },
  }
}

function getCurrentUrl(): URL {
  return new URL(location.href)
}

function withoutParams(url: URL, ...names: readonly string[]): URL {
  for (const name of names) url.searchParams.delete(name)
  return url
}

/** The options that differ from the URL. `integration` applies once, since the person may have moved on before a reload. */
function getChangedParams(
  url: URL,
  linkInit: LinkInit,
  storage: SessionStorage,
): [string, string][] {
  const startedKey = `linchpin:begun:${url.hash}`
  const { integration, ...persistent } = linkInit
  const values = storage.get(startedKey) === undefined ? linkInit : persistent
  storage.set(startedKey, 'yes')
  return Object.entries(values).filter(
    ([name, value]) => value !== undefined && url.searchParams.get(name) !== value,
  )
}
