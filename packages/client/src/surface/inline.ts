import { ensureStyle } from './style.ts'
import {
  createElement,
  createLoadingStatus,
  type Surface,
  type SurfaceParts,
  themeClass,
} from './surface.ts'

/** The page inside an element of the host, at its preferred height. */
export function openInline(container: HTMLElement, parts: SurfaceParts): Surface {
  const { iframe, options } = parts
  ensureStyle(container, options.cspNonce)
  const wrapper = createElement('div', `linchpin-inline ${themeClass(options)}`)
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
