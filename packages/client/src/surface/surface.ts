import type { OpenLinkOptions } from '../options.ts'
import type { HostWords } from '../words.ts'

/** Where the frame stands in the page around. */
export interface Surface {
  /** The page in the frame is there. */
  show(): void
  /** It will not come: says why instead. */
  fail(why: string): void
  /** How high the page in the frame would like to be, in pixels. */
  resize(height: number): void
  /** Takes everything away and gives back focus and scrolling. */
  remove(): void
}

export interface SurfaceParts {
  readonly iframe: HTMLIFrameElement
  readonly options: Pick<OpenLinkOptions, 'cspNonce' | 'theme' | 'title'>
  readonly words: HostWords & { readonly lang: string }
  /** The person leaves by what belongs to us: Escape, or the button under a failure. */
  readonly onLeave: (reason: 'closed' | 'escape') => void
  /** The focus comes into the frame from this end. */
  readonly onFocus: (at: 'end' | 'start') => void
}

/** What is told while the frame is not there. `fail` puts the reason and a way out in its place. */
export function createTold(
  { words, onLeave }: Pick<SurfaceParts, 'onLeave' | 'words'>,
  holder: HTMLElement,
): { readonly element: HTMLElement; show(): void; fail(why: string): void } {
  const element = make('div', 'linchpin-told')
  element.setAttribute('role', 'status')
  const ring = make('span', 'linchpin-ring')
  ring.setAttribute('aria-hidden', 'true')
  const text = make('p')
  text.textContent = words.loading
  const button = make('button')
  button.type = 'button'
  button.hidden = true
  button.textContent = words.close
  button.addEventListener('click', () => onLeave('closed'))
  element.append(ring, text, button)
  holder.classList.add('linchpin-waits')
  return {
    element,
    show() {
      element.hidden = true
      holder.classList.remove('linchpin-waits')
    },
    fail(why) {
      ring.hidden = true
      text.textContent = why
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
export function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  className = '',
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name)
  if (className !== '') element.className = className
  return element
}
