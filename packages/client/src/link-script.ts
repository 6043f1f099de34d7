import { openLink } from './open-link.ts'
import type { LinkHandle, OpenLinkOptions } from './options.ts'
import { createPoozleLink } from './poozle-link.ts'

/**
 * `/link.js`: defines `window.LinchpinLink` and `window.PoozleLink`. Without a `baseURL` the page is opened at the
 * URL that this script is below, such as `https://example.com/linchpin` for `https://example.com/linchpin/link.js`. If the script is loaded twice, the first one is used.
 */
const script = document.currentScript
// A module has no current script, so it needs a `baseURL`.
const ownUrl =
  script instanceof HTMLScriptElement ? new URL('.', new URL(script.src, location.href)).href : ''

const LinchpinLink = {
  open: (options: Omit<OpenLinkOptions, 'baseURL'> & { readonly baseURL?: string }): LinkHandle =>
    openLink({ ...options, baseURL: options.baseURL ?? ownUrl }),
}

const globals: { LinchpinLink?: unknown; PoozleLink?: unknown } = Object(window)
globals.LinchpinLink ??= LinchpinLink
globals.PoozleLink ??= createPoozleLink(ownUrl)
