import type { HostTexts } from '../host-texts.ts'
import type { OpenLinkOptions } from '../options.ts'

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
export function themeClass({ theme = 'system' }: Pick<OpenLinkOptions, 'theme'>): string {
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
