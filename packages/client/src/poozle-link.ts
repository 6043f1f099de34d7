import type { LinkedAccount } from './messages.ts'
import { openOrFocusLink } from './open-link.ts'
import type { LinkHandle } from './options.ts'

/** The options of `@poozle/react-poozle-link`. */
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

/** The open page, with the latest callbacks for the same values. */
interface OpenedLink {
  readonly key: string
  config: PoozleConfig
  handle?: LinkHandle
}

/**
 * `window.PoozleLink`, as used by the hook of `@poozle/react-poozle-link` 2.2.0: initialize on every render, openLink
 * on a click. The page is loaded when it is opened, and not again while it is open with the same values. Several hooks
 * on a page share this object: the options of one never affect what another one opens.
 */
export function createPoozleLink(ownUrl: string) {
  let initial: PoozleConfig = {}
  let opened: OpenedLink | undefined

  const open = (config: PoozleConfig) => {
    const { linkId, accountIdentifier, redirectURL, baseURL } = config
    if (!linkId) return
    const current: OpenedLink = { key: configKey(config), config }
    const { handle, isNew } = openOrFocusLink({
      baseURL: baseURL ?? ownUrl,
      linkId,
      accountIdentifier,
      redirectURL,
      onSuccess: (account) => current.config.onSuccess?.(account),
      onError: ({ code, displayMessage }) =>
        current.config.onValidationError?.([{ detail: displayMessage, problem_type: code }]),
      onExit() {
        if (opened === current) opened = undefined
        current.config.onExit?.()
      },
    })
    current.handle = handle
    // The embedding page may have opened the same page before: then it keeps its own callbacks.
    if (isNew) opened = current
  }
  const initialize = (config: PoozleConfig) => {
    initial = config
    if (opened?.key === configKey(config)) opened.config = config
    // The hook is rendering: call back afterwards.
    queueMicrotask(() => config.onReady?.())
  }
  return {
    initialize,
    update: initialize,
    openLink(overrides: PoozleConfig = {}) {
      // The hook passes all options; a manual caller may have passed some earlier.
      const config = overrides.linkId === undefined ? { ...initial, ...overrides } : overrides
      if (opened?.key === configKey(config)) return
      opened?.handle?.destroy()
      opened = undefined
      open(config)
    },
    closeLink() {
      opened?.handle?.close()
    },
  }
}

function configKey({ linkId, accountIdentifier, redirectURL, baseURL }: PoozleConfig): string {
  return JSON.stringify([linkId, accountIdentifier, redirectURL, baseURL])
}
