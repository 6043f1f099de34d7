import type { HostTexts } from './host-texts.ts'
import type { OpenLinkOptions } from './options.ts'

/** The element that contains the frame in the embedding page. */
export interface Surface {
  /** The page in the frame has loaded. */
  show(): void
  /** The page will not load: shows why instead. */
  fail(message: string): void
  /** The preferred height of the page in the frame, in pixels. */
  resize(height: number): void
  /** Removes everything and restores focus and scrolling. */
  remove(): void
}

export interface SurfaceParts {
  readonly iframe: HTMLIFrameElement
  readonly options: Pick<OpenLinkOptions, 'cspNonce' | 'theme' | 'title'>
  readonly texts: HostTexts & { readonly lang: string }
  /** The user closes it with Escape, or with the button below an error. */
  readonly onDismiss: (reason: 'closed' | 'escape') => void
  /** The focus enters the frame from this end. */
  readonly onFocus: (at: 'end' | 'start') => void
}

/** The text that is shown until the frame has loaded. `fail` replaces it with the reason and a button to close. */
export function createLoadingStatus(
  { texts, onDismiss }: Pick<SurfaceParts, 'onDismiss' | 'texts'>,
  container: HTMLElement,
): { readonly element: HTMLElement; show(): void; fail(message: string): void } {
  const element = createElement('div', 'linchpin-told')
  element.setAttribute('role', 'status')
  const spinner = createElement('span', 'linchpin-ring')
  spinner.setAttribute('aria-hidden', 'true')
  const text = createElement('p')
  text.textContent = texts.loading
  const button = createElement('button')
  button.type = 'button'
  button.hidden = true
  button.textContent = texts.close
  button.addEventListener('click', () => onDismiss('closed'))
  element.append(spinner, text, button)
  container.classList.add('linchpin-waits')
  return {
    element,
    show() {
      element.hidden = true
      container.classList.remove('linchpin-waits')
    },
    fail(message) {
      spinner.hidden = true
      text.textContent = message
      button.hidden = false
      button.focus()
    },
  }
}

/** The colour scheme until the page brings its own. */
export function getThemeClass({ theme = 'system' }: Pick<OpenLinkOptions, 'theme'>): string {
  return `linchpin-${theme}`
}

/** Creates an element. */
export function createElement<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  className = '',
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name)
  if (className !== '') element.className = className
  return element
}

/** The page inside an element of the host, at its preferred height. */
export function openInline(container: HTMLElement, parts: SurfaceParts): Surface {
  const { iframe, options } = parts
  ensureStyle(container, options.cspNonce)
  const wrapper = createElement('div', `linchpin-inline ${getThemeClass(options)}`)
  const status = createLoadingStatus(parts, wrapper)
  wrapper.append(status.element, iframe)
  container.append(wrapper)
  return {
    show: status.show,
    fail: status.fail,
    resize(height) {
      if (Number.isFinite(height))
        iframe.style.height = `${Math.min(Math.max(height, 320), 4_000)}px`
    },
    remove: () => wrapper.remove(),
  }
}

/** The styles of the elements in the embedding page: the dialog, its loading text, and the frame. */
const CSS = `
.linchpin-dialog:focus{outline:0}.linchpin-dialog{box-sizing:border-box;width:min(440px,100vw);height:min(var(--linchpin-height,380px),720px,100dvh);max-width:none;max-height:none;margin:auto;padding:0;border:0;border-radius:14px;overflow:hidden;background:#fff;color:#181c24;font:16px/1.5 system-ui,sans-serif;box-shadow:0 12px 48px rgb(20 24 32/28%)}
.linchpin-dialog::backdrop{background:rgb(15 18 23/56%)}
.linchpin-frame{display:block;width:100%;height:100%;border:0;background:transparent;color-scheme:normal}
.linchpin-inline{position:relative;min-height:320px}
.linchpin-waits .linchpin-frame{position:absolute;inset:0;visibility:hidden}
.linchpin-told{display:flex;flex-direction:column;align-items:center;justify-content:center;gap:16px;box-sizing:border-box;height:100%;min-height:320px;padding:24px;text-align:center}
.linchpin-told[hidden],.linchpin-told [hidden]{display:none}
.linchpin-told p{margin:0}
.linchpin-told button{min-width:88px;min-height:44px;padding:0 16px;border:1px solid;border-radius:10px;background:none;color:inherit;font:inherit;cursor:pointer}
.linchpin-ring{width:32px;height:32px;border:2px solid rgb(133 141 156/40%);border-block-start-color:currentColor;border-radius:50%}
.linchpin-edge{position:absolute;width:1px;height:1px;overflow:hidden;outline:0}
.linchpin-dark{background:#181c23;color:#eceef2}
@media (prefers-color-scheme:dark){.linchpin-system{background:#181c23;color:#eceef2}}
@media (max-width:479px){.linchpin-dialog{width:100vw;height:100dvh;border-radius:0}}
@media (prefers-reduced-motion:no-preference){
.linchpin-dialog[open]{animation:linchpin-in 140ms ease-out;transition:height 180ms ease-out}
.linchpin-ring{animation:linchpin-turn 800ms linear infinite}}
@keyframes linchpin-in{from{opacity:0;transform:translateY(8px)}}
@keyframes linchpin-turn{to{transform:rotate(1turn)}}`

/**
 * Adds our styles to the document or shadow root of an element: as a constructed style sheet, which a content security
 * policy allows, otherwise as an element with the host's nonce. Adds them again if they were removed: some pages
 * replace their list of style sheets.
 */
export function ensureStyle(element: Element, nonce: string | undefined): void {
  const root = element.getRootNode()
  const styleRoot = root instanceof ShadowRoot ? root : document
  try {
    sheet ??= createSheet()
    if (!styleRoot.adoptedStyleSheets.includes(sheet))
      styleRoot.adoptedStyleSheets = [...styleRoot.adoptedStyleSheets, sheet]
  } catch {
    const parent = styleRoot instanceof ShadowRoot ? styleRoot : document.head
    if (parent.querySelector('style.linchpin-style') !== null) return
    const style = document.createElement('style')
    style.className = 'linchpin-style'
    if (nonce !== undefined) style.nonce = nonce
    style.textContent = CSS
    parent.append(style)
  }
}

let sheet: CSSStyleSheet | undefined

function createSheet(): CSSStyleSheet {
  const styleSheet = new CSSStyleSheet()
  styleSheet.replaceSync(CSS)
  return styleSheet
}
