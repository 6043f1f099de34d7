import { ERRORS, type ErrorCode } from '../../../platform/error-codes.ts'
import { type Html, html } from '../../../platform/ui/html.ts'
import { ERROR_MEANINGS } from '../error-meanings.ts'
import { renderProse } from './render-fields.ts'

/** Renders error codes with their status and meaning. */
export function renderCodes(codes: readonly ErrorCode[]): Html {
  const rows = codes.map(
    (
      code,
    ) => html`<div><dt><code>${code}</code> <span class="type">${ERRORS[code][0]}</span></dt><dd>${renderProse(ERROR_MEANINGS[code])}</dd></div>
`,
  )
  return html`<dl class="fields">${rows}</dl>`
}
