import { firstFault } from './faults.ts'
import { forgetValues } from './keep-values.ts'
import type { Kept } from './kept.ts'
import type { PageLoader } from './load-page.ts'
import { hideWords, showWords, titleOf } from './waiting-words.ts'

const SLOW_MS = 8_000

export interface SendParts {
  readonly loader: PageLoader
  readonly kept: Kept
  readonly say: (words: string) => void
  readonly onLeave: () => void
}

/**
 * Sends a form of keys: says at once what is certainly wrong, shows that it is being checked, and after 8 seconds a way
 * out. When nobody can be reached, everything stays and can be sent again: the form counts once.
 */
export async function sendKeys(form: HTMLFormElement, parts: SendParts): Promise<boolean> {
  const fault = firstFault(form)
  if (fault !== undefined) {
    fault.focus()
    return false
  }
  const { loader, kept, say, onLeave } = parts
  const button = form.querySelector<HTMLElement>('button[type="submit"], button:not([type])')
  if (button?.ariaBusy === 'true') return false
  const idle = keepBusy(button, titleOf('checking'))
  say(titleOf('checking'))
  const slow = setTimeout(() => showWords('slow', { leave: onLeave }), SLOW_MS)
  try {
    await loader.send(form)
    if (document.querySelector('main[data-account]') !== null) forgetValues(form, kept)
  } catch {
    idle()
    const retry = () => {
      hideWords()
      void sendKeys(form, parts)
    }
    if (!showWords('offline', { retry })) form.submit()
  } finally {
    clearTimeout(slow)
  }
  return true
}

/** Marks a button as at work, and says at what; answers how to end it. */
export function keepBusy(button: HTMLElement | null, words?: string): () => void {
  if (button === null) return () => undefined
  const text = button.querySelector('span')
  const before = [...(text?.childNodes ?? [])]
  button.ariaBusy = 'true'
  if (words !== undefined) text?.replaceChildren(words)
  return () => {
    button.ariaBusy = null
    text?.replaceChildren(...before)
  }
}
