import type { HostTexts } from '../host-texts.ts'
import type { OpenLinkOptions } from '../options.ts'

/** Where the frame stands in the page around. */
export interface Surface {
  /** The page in the frame is there. */
  show(): void
  /** It will not come: says why instead. */
  fail(message: string): void
  /** How high the page in the frame would like to be, in pixels. */
  resize(height: number): void
  /** Takes everything away and gives back focus and scrolling. */
  remove(): void
}

export interface SurfaceParts {
  readonly iframe: HTMLIFrameElement
  readonly options: Pick<OpenLinkOptions, 'cspNonce' | 'theme' | 'title'>
  readonly texts: HostTexts & { readonly lang: string }
  /** The person leaves by what belongs to us: Escape, or the button under a failure. */
  readonly onDismiss: (reason: 'closed' | 'escape') => void
  /** The focus comes into the frame from this end. */
  readonly onFocus: (at: 'end' | 'start') => void
}

/** What is told while the frame is not there. `fail` puts the reason and a way out in its place. */
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

/** The colours of what is told before the page brings its own. */
export function themeClass({ theme = 'system' }: Pick<OpenLinkOptions, 'theme'>): string {
  return `linchpin-${theme}`
}

/** An element of ours. */
export function createElement<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  className = '',
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name)
  if (className !== '') element.className = className
  return element
}
