import { useCallback, useEffect, useRef, useState } from 'react'
import type { LinkFailure } from '../messages.ts'
import { openOrFocusLink } from '../open-link.ts'
import type { LinkHandle, OpenLinkOptions } from '../options.ts'

/** The options of `openLink`; the link may still be on its way. */
export type UseLinkOptions = Omit<OpenLinkOptions, 'linkId'> & {
  readonly linkId: string | null | undefined
}

export interface UseLink {
  /** Opens the page; while it is open, does nothing. Never changes. */
  readonly open: () => void
  /** There is a link to open. False on the server. */
  readonly ready: boolean
  /** What went wrong last; null once it is opened anew. */
  readonly error: LinkFailure | null
}

/**
 * The connect page for React 18 and later. The options of the last render count; rendering again never loads the page
 * again. What is open is removed with its component.
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
    const { linkId, ...otherOptions } = latestOptions.current
    if (handle.current !== null || linkId === null || linkId === undefined) return
    setError(null)
    const { handle: opened, isNew } = openOrFocusLink({
      ...otherOptions,
      linkId,
      onReady: () => latestOptions.current.onReady?.(),
      onSuccess: (account) => latestOptions.current.onSuccess?.(account),
      onEvent: (name, meta) => latestOptions.current.onEvent?.(name, meta),
      onError(failure) {
        setError(failure)
        latestOptions.current.onError?.(failure)
      },
      onExit(exit) {
        handle.current = null
        latestOptions.current.onExit?.(exit)
      },
    })
    // Another component may have opened the same before: then it is its own, and its callbacks run.
    if (isNew) handle.current = opened
  }, [])
  return { open, ready: isMounted && Boolean(options.linkId), error }
}
