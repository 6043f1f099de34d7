import { sentenceOf } from './tell-host.ts'

/**
 * The script of the page that says why another one is not shown. It says this one thing, to the origin that asked, as the
 * server lets it, with the session in the fragment.
 */
function tellWhy(main: HTMLElement): void {
  const fragment = new URLSearchParams(location.hash.slice(1))
  const [session, named] = [fragment.get('session') ?? '', fragment.get('origin') ?? '']
  const { origins = '', code = '' } = main.dataset
  if (parent === window || session === '' || !origins.split(' ').includes(named)) return
  const payload = { code, displayMessage: sentenceOf(main) }
  parent.postMessage({ source: 'linchpin', v: 1, session, type: 'why', payload }, named)
}

tellWhy(document.querySelector('main') ?? document.body)
