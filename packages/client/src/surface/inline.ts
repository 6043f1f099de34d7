import { ensureStyle } from './style.ts'
import { createTold, make, type Surface, type SurfaceParts, themeClass } from './surface.ts'

/** The page inside an element of the host's, as high as it would like to be. */
export function openInline(container: HTMLElement, parts: SurfaceParts): Surface {
  const { iframe, options } = parts
  ensureStyle(container, options.cspNonce)
  const holder = make('div', `linchpin-inline ${themeClass(options)}`)
  const told = createTold(parts, holder)
  holder.append(told.element, iframe)
  container.append(holder)
  return {
    show: told.show,
    fail: told.fail,
    resize(height) {
      if (Number.isFinite(height))
        iframe.style.height = `${Math.min(Math.max(height, 320), 4_000)}px`
    },
    remove: () => holder.remove(),
  }
}
