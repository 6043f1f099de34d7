import { Html } from './html.ts'

/** The icons of our pages: 20 px, stroke 1.5, in the current text color, hidden from screen readers. */
export const ICONS = {
  search: icon('<circle cx="9" cy="9" r="5.25"/><path d="m13 13 3.75 3.75"/>'),
  check: icon('<path d="m4.5 10.5 3.75 3.75 7.25-8"/>'),
  alert: icon('<circle cx="10" cy="10" r="7.25"/><path d="M10 6.25v4.5m0 2.75v.25"/>'),
  lock: icon(
    '<rect x="4.25" y="9" width="11.5" height="7.75" rx="2"/><path d="M6.75 9V6.5a3.25 3.25 0 0 1 6.5 0V9"/>',
  ),
  external: icon(
    '<path d="M8.25 4.75h-2a2 2 0 0 0-2 2v7a2 2 0 0 0 2 2h7a2 2 0 0 0 2-2v-2M11.5 3.75h4.75v4.75M16 4 9.5 10.5"/>',
  ),
  back: icon('<path d="M16 10H4.25m5-5.25L4 10l5.25 5.25"/>', 'turns'),
  close: icon('<path d="m5.25 5.25 9.5 9.5m0-9.5-9.5 9.5"/>'),
  window: icon(
    '<rect x="3.25" y="4.25" width="13.5" height="11.5" rx="2"/><path d="M3.25 7.75h13.5"/>',
  ),
  more: icon('<path d="M4.75 10h.01M10 10h.01M15.25 10h.01" stroke-width="2.5"/>'),
  /** Our own mark, for the small print. */
  linchpin: icon(
    '<path d="M8.5 11.5a2.6 2.6 0 0 0 3.9.3l1.7-1.7a2.6 2.6 0 0 0-3.7-3.7l-.9.9m2 1.2a2.6 2.6 0 0 0-3.9-.3L5.9 9.9a2.6 2.6 0 0 0 3.7 3.7l.9-.9"/>',
  ),
  clock: icon('<circle cx="10" cy="10" r="7.25"/><path d="M10 6v4l2.75 1.75"/>'),
} as const

export type IconName = keyof typeof ICONS

/** `turns`: mirrored in right-to-left text. */
function icon(shape: string, direction = ''): Html {
  const className = direction === '' ? 'icon' : `icon ${direction}`
  return new Html(
    `<svg class="${className}" viewBox="0 0 20 20" width="20" height="20" aria-hidden="true">${shape}</svg>`,
  )
}
