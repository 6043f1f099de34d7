import type { LinkedAccount } from './messages.ts'
import { openOrFocusLink } from './open-link.ts'
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

/** What is open, with the callbacks that were given last for the same values. */
interface OpenedLink {
  readonly key: string
  config: PoozleConfig
  handle?: LinkHandle
}

/**
 * `window.PoozleLink`, as the hook of `@poozle/react-poozle-link` 2.2.0 calls it: initialize on every render, openLink on
 * a click. Nothing is loaded before it is opened, and nothing again while it is open and its values stay. Several hooks on
 * a page share it: what one of them is given never reaches what another one opens.
 */
export function createPoozleLink(ownOrigin: string) {
  let initial: PoozleConfig = {}
  let opened: OpenedLink | undefined

  const open = (config: PoozleConfig) => {
    const { linkId, accountIdentifier, redirectURL, baseURL } = config
    if (!linkId) return
    const current: OpenedLink = { key: configKey(config), config }
    const { handle, isNew } = openOrFocusLink({
      baseURL: baseURL ?? ownOrigin,
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
    // The page itself may have opened the same before: then it is its own.
    if (isNew) opened = current
  }
  const initialize = (config: PoozleConfig) => {
    initial = config
    if (opened?.key === configKey(config)) opened.config = config
    // The hook is at work rendering: it is told afterwards.
    queueMicrotask(() => config.onReady?.())
  }
  return {
    initialize,
    update: initialize,
    openLink(overrides: PoozleConfig = {}) {
      // The hook gives all that it has; who calls by hand may have given it before.
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
