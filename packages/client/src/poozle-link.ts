import type { LinkedAccount } from './messages.ts'
import { openLink } from './open-link.ts'
import type { LinkHandle } from './options.ts'

/** What `@poozle/react-poozle-link` hands over. */
export interface PoozleConfig {
  readonly linkId?: string | undefined
  readonly accountIdentifier?: string | undefined
  readonly redirectURL?: string | undefined
  readonly baseURL?: string | undefined
  readonly onReady?: (() => void) | undefined
  readonly onSuccess?: ((account: LinkedAccount) => void) | undefined
  readonly onExit?: (() => void) | undefined
  readonly onValidationError?: ((errors: readonly PoozleError[]) => void) | undefined
}

export interface PoozleError {
  readonly detail: string
  readonly problem_type: string
}

/**
 * `window.PoozleLink`, as the hook of `@poozle/react-poozle-link` 2.2.0 calls it: initialize on every render, openLink on
 * a click. Nothing is loaded before it is opened, and nothing again while it is open and its values stay.
 */
export function createPoozleLink(ownOrigin: string) {
  let latest: PoozleConfig = {}
  let opened: { readonly values: string; readonly handle: LinkHandle } | undefined

  const open = (values: string) => {
    const { linkId, accountIdentifier, redirectURL, baseURL } = latest
    if (linkId === undefined) return
    const handle = openLink({
      baseURL: baseURL ?? ownOrigin,
      linkId,
      accountIdentifier,
      redirectURL,
      onSuccess: (account) => latest.onSuccess?.(account),
      onError: ({ code, displayMessage }) =>
        latest.onValidationError?.([{ detail: displayMessage, problem_type: code }]),
      onExit() {
        opened = undefined
        latest.onExit?.()
      },
    })
    opened = { values, handle }
  }
  const initialize = (config: PoozleConfig) => {
    latest = { ...latest, ...config }
    // The hook is at work rendering: it is told afterwards.
    queueMicrotask(() => config.onReady?.())
  }
  return {
    initialize,
    update: initialize,
    openLink(config: PoozleConfig = {}) {
      latest = { ...latest, ...config }
      const values = valuesOf(latest)
      if (opened?.values === values) return
      opened?.handle.destroy()
      open(values)
    },
    closeLink() {
      opened?.handle.close()
    },
  }
}

function valuesOf({ linkId, accountIdentifier, redirectURL, baseURL }: PoozleConfig): string {
  return JSON.stringify([linkId, accountIdentifier, redirectURL, baseURL])
}
