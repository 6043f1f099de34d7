import { getScreenMessage } from './host.ts'

/**
 * Script of the diagnostics page. Posts the reason why an embedded page is not shown to the requesting origin, if the
 * server allows that origin. The URL fragment holds the session ID and the origin.
 */
function postEmbedDiagnostics(main: HTMLElement): void {
  const fragment = new URLSearchParams(location.hash.slice(1))
  const [session, hostOrigin] = [fragment.get('session') ?? '', fragment.get('origin') ?? '']
  const { origins = '', code = '' } = main.dataset
  if (parent === window || session === '' || !origins.split(' ').includes(hostOrigin)) return
  const payload = { code, displayMessage: getScreenMessage(main) }
  parent.postMessage({ source: 'linchpin', v: 1, session, type: 'why', payload }, hostOrigin)
}

postEmbedDiagnostics(document.querySelector('main') ?? document.body)
