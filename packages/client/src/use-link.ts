import { useCallback, useEffect, useRef, useState } from 'react'
import type { LinkFailure } from './messages.ts'
import { openOrFocusLink } from './open-link.ts'
import type { LinkHandle, OpenLinkOptions } from './options.ts'

/** The options of `openLink`; the token or the link may still be loading. */
export type UseLinkOptions = Omit<OpenLinkOptions, 'linkId' | 'token'> & {
  readonly token?: string | null | undefined
  readonly linkId?: string | null | undefined
}

export interface UseLink {
  /** Opens the page; does nothing while it is open. Has a stable identity. */
  readonly open: () => void
  /** Whether there is something to open; false during server rendering. */
  readonly ready: boolean
  /** Why the page could not be shown. Null after it is opened again, and for errors that the page shows itself. */
  readonly error: LinkFailure | null
}

/**
 * The connect page for React 18 and later. The options of the latest render apply; rendering again never reloads the
 * page. An open page is removed with its component.
 */
export function useLink(options: UseLinkOptions): UseLink {
  const latestOptions = useRef(options)
  const handle = useRef<LinkHandle | null>(null)
  const [isMounted, setMounted] = useState(false)
  const [error, setError] = useState<LinkFailure | null>(null)
  useEffect(() => {
    latestOptions.current = options
  })
  useEffect(() => {
    setMounted(true)
    return () => {
      handle.current?.destroy()
      handle.current = null
    }
  }, [])
  const open = useCallback(() => {
    const { linkId, token, ...otherOptions } = latestOptions.current
    if (handle.current !== null || !(token || linkId)) return
    setError(null)
    let isShown = false
    const { handle: opened, isNew } = openOrFocusLink({
      ...otherOptions,
      linkId: linkId ?? undefined,
      token: token ?? undefined,
      onReady() {
        isShown = true
        latestOptions.current.onReady?.()
      },
      onSuccess: (account) => latestOptions.current.onSuccess?.(account),
      onEvent: (name, meta) => latestOptions.current.onEvent?.(name, meta),
      onError(failure) {
        if (!isShown) setError(failure)
        latestOptions.current.onError?.(failure)
      },
      onExit(exit) {
        handle.current = null
        latestOptions.current.onExit?.(exit)
      },
    })
    // Another component may have opened the same page before: then it belongs to that component, whose callbacks run.
    if (isNew) handle.current = opened
  }, [])
  return { open, ready: isMounted && Boolean(options.token || options.linkId), error }
}
