import { getScreenMessage } from './post-to-host.ts'

/**
 * The script of the page that says why another one is not shown. It says this one thing, to the origin that asked, as the
 * server lets it, with the session in the fragment.
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
