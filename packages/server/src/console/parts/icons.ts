import { Html } from '../../platform/ui/html.ts'
import { ICON_SHAPES } from './icon-shapes.ts'

export type IconName = keyof typeof ICON_SHAPES

/** An icon in the current text colour, hidden from screen readers: 20 px, stroke 1.5, or smaller. */
export function icon(name: IconName, size: 16 | 20 = 20): Html {
  return new Html(
    `<svg class="icon" viewBox="0 0 24 24" width="${size}" height="${size}" aria-hidden="true">${ICON_SHAPES[name]}</svg>`,
  )
}
