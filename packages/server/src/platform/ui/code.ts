import { highlight } from './highlight.ts'
import { type Html, html } from './html.ts'

/**
 * A block of code with a title; it can be scrolled with the keyboard, and the page's script adds a button that copies it.
 * `language` is also a class of the block: the reader's choice between `curl` and `ts` hides the other one.
 */
export function renderCode(title: string, code: string, language: string): Html {
  return html`<figure class="code ${language}"><figcaption>${title}</figcaption><pre tabindex="0"><code>${highlight(code, language)}</code></pre></figure>
`
}
